// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests of this file are named after what the README of agent-loopguard
// 0.1.0 says under "How detection works".

// scene is a run in short: a letter a step's call, '/' between parallel calls.
func scene(text string) []Step {
	var steps []Step
	for _, word := range strings.Fields(text) {
		steps = append(steps, stepOf(word))
	}
	return steps
}

// stepOf reads calls such as "search=x", "read!error" or, with arguments,
// "read(p1)=x"; a "?" for arguments, result or error is unknown. "-" is a step
// without calls, a leading "U:" a boundary.
func stepOf(word string) Step {
	var s Step
	word, s.Boundary = strings.CutPrefix(word, "U:")
	if word == "-" {
		return s
	}
	for call := range strings.SplitSeq(word, "/") {
		s.Calls = append(s.Calls, callOf(call))
	}
	return s
}

func callOf(text string) ToolCall {
	var c ToolCall
	if rest, err, ok := strings.Cut(text, "!"); ok {
		text, c.Error = rest, orUnknown(err)
	} else if rest, result, ok := strings.Cut(text, "="); ok {
		text, c.Result = rest, orUnknown(result)
	}
	name, args, ok := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	if !ok {
		args = name
	}
	c.Name, c.Args = name, orUnknown(args)
	if c.Args != any(Unknown) {
		c.Args = map[string]any{"of": args}
	}
	return c
}

func orUnknown(text string) any {
	if text == "?" {
		return Unknown
	}
	return text
}

// stops lists the codes that each step of a run stops with, "" for none.
func stops(t *testing.T, o Options, steps []Step) []string {
	g := mustNew(t, o)
	var codes []string
	for _, s := range steps {
		codes = append(codes, g.Check(s).Code)
	}
	return codes
}

func firstStop(t *testing.T, o Options, steps []Step) (int, Verdict) {
	g := mustNew(t, o)
	for i, s := range steps {
		if v := g.Check(s); v.Stop {
			return i, v
		}
	}
	return -1, Verdict{}
}

// only switches all detectors of repetition off but one.
func only(keep Reason, o Options) Options {
	o.RepeatedToolCall.Off = keep != ReasonRepeated
	o.Oscillation.Off = keep != ReasonOscillation
	o.NoProgress.Off = keep != ReasonNoProgress
	o.RepeatedError.Off = keep != ReasonError
	o.RecurringCall.Off = keep != ReasonRecurring
	o.ErrorStreak.Off = keep != ReasonErrorStreak
	o.Burst.Off = keep != ReasonBurst
	o.DelegationLoop.Off = keep != ReasonDelegation
	o.RepeatedText.Off = keep != ReasonText
	o.Stagnation.Off = keep != ReasonStagnation
	return o
}

func TestCallSequence(t *testing.T) {
	repeated := only(ReasonRepeated, Options{})
	tests := []struct {
		name, run string
		o         Options
		stop      int
	}{
		{"calls are read across steps in order", "a a a", repeated, 2},
		{"parallel calls count one by one", "a/a/a", repeated, 0},
		{"the order of parallel calls matters", "a/b a/b a/b", repeated, -1},
		{"steps without calls do not break a run", "a - a - - a", repeated, 5},
		{"steps without calls do not extend a run", "a a - -", repeated, -1},
		{"a signature has the tool's name", "a b a b a", repeated, -1},
		{"parallel calls cycle", "a/b a/b a/b", only(ReasonOscillation, Options{}), 2},
		{"steps without calls do not break a cycle", "a b - a b - a b", only(ReasonOscillation, Options{}), 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at, _ := firstStop(t, tt.o, scene(tt.run))
			assert.Equal(t, tt.stop, at)
		})
	}
}

func TestSignatureIsCanonical(t *testing.T) {
	same := func(args ...any) []Step {
		var steps []Step
		for _, a := range args {
			steps = append(steps, Step{Calls: []ToolCall{{Name: "f", Args: a}}})
		}
		return steps
	}
	type query struct {
		B int `json:"b"`
		A int `json:"a"`
	}
	at, _ := firstStop(t, Options{}, same(map[string]any{"a": 1, "b": 2}, json.RawMessage(`{"b":2,"a":1.0}`), query{2, 1}))
	assert.Equal(t, 2, at, "key order, number form and Go type do not matter")
	at, _ = firstStop(t, only(ReasonRepeated, Options{}), same(1, "1", []int{1}, 1, "1", []int{1}))
	assert.Equal(t, -1, at, "a number, a string and a list are three things")
	at, _ = firstStop(t, only(ReasonRepeated, Options{}), same([]int{1, 2}, []int{2, 1}, []int{1, 2}))
	assert.Equal(t, -1, at, "the order of a list matters")
}

func TestOutcomeSignature(t *testing.T) {
	o := only(ReasonRepeated, Options{})
	o.RepeatedToolCall.RequireIdenticalResults = true
	tests := []struct {
		name, run string
		stop      int
	}{
		{"the result counts", "a=1 a=2 a=3 a=4", -1},
		{"equal results repeat", "a=1 a=1 a=1", 2},
		{"the error counts", "a!1 a!2 a!3", -1},
		{"equal errors repeat", "a!1 a!1 a!1", 2},
		{"an error is no result of the same text", "a!1 a=1 a!1 a=1", -1},
		{"with neither given it is just the call", "a a a", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at, _ := firstStop(t, o, scene(tt.run))
			assert.Equal(t, tt.stop, at)
		})
	}
}

func TestMaxStepsStopsWhenTheLimitIsRecorded(t *testing.T) {
	o := Options{MaxSteps: MaxSteps{Limit: 3}}
	assert.Equal(t, []string{"", "", CodeMaxSteps, CodeMaxSteps}, stops(t, o, scene("a b c d")))
	_, v := firstStop(t, o, scene("a b c"))
	assert.Equal(t, Evidence{"steps": 3, "limit": 3}, v.Evidence)
}

func TestMaxStepsDefaultsTo50(t *testing.T) {
	var steps []Step
	for i := range 60 {
		steps = append(steps, Step{Calls: []ToolCall{{Name: "f", Args: i}}})
	}
	at, v := firstStop(t, Options{}, steps)
	assert.Equal(t, 49, at)
	assert.Equal(t, ReasonMaxSteps, v.Reason)
	at, _ = firstStop(t, Options{MaxSteps: MaxSteps{Off: true}}, steps)
	assert.Equal(t, -1, at)
}

func TestRepeatedToolCall(t *testing.T) {
	tests := []struct {
		name, run string
		o         RepeatedToolCall
		stop      int
	}{
		{"exactly N stops", "a a a", RepeatedToolCall{}, 2},
		{"N-1 does not", "a a", RepeatedToolCall{}, -1},
		{"a threshold of five", "a a a a a", RepeatedToolCall{Threshold: 5}, 4},
		{"another call starts over", "a a b a a", RepeatedToolCall{}, -1},
		{"results do not matter", "a=1 a=2 a=3", RepeatedToolCall{}, 2},
		{"a changing status is no repeat", "a=1 a=2 a=3 a=4", RepeatedToolCall{RequireIdenticalResults: true}, -1},
		{"the status stands still", "a=1 a=2 a=2 a=2", RepeatedToolCall{RequireIdenticalResults: true}, 3},
		{"errors count", "a!x a!x a!x", RepeatedToolCall{}, 2},
		{"ignored errors do not count", "a!x a!x a!x", RepeatedToolCall{IgnoreErrors: true}, -1},
		{"ignored errors leave the sequence", "a a b!x a", RepeatedToolCall{IgnoreErrors: true}, 3},
		{"a run may end in the middle of a step", "a a a/b", RepeatedToolCall{}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := only(ReasonRepeated, Options{})
			o.RepeatedToolCall = tt.o
			at, _ := firstStop(t, o, scene(tt.run))
			assert.Equal(t, tt.stop, at)
		})
	}
}

func TestRepeatedToolCallEvidence(t *testing.T) {
	_, v := firstStop(t, Options{}, scene("a - a=1 a=1"))
	assert.Equal(t, Evidence{
		"tool": "a", "args_preview": `{"of":"a"}`, "count": 3, "threshold": 3,
		"step_indexes": []int{0, 2, 3}, "identical_results": false,
	}, v.Evidence)
	assert.Contains(t, v.Detail, `a({"of":"a"})`)
	_, v = firstStop(t, Options{}, scene("a=1 a=1 a=1"))
	assert.Equal(t, true, v.Evidence["identical_results"])
	_, v = firstStop(t, Options{}, scene("b a/a/a/a"))
	assert.Equal(t, 4, v.Evidence["count"])
	assert.Equal(t, []int{1}, v.Evidence["step_indexes"])
}

func TestOscillation(t *testing.T) {
	tests := []struct {
		name, run string
		o         Oscillation
		stop      int
	}{
		{"three cycles of period two", "a b a b a b", Oscillation{}, 5},
		{"half a cycle short", "a b a b a", Oscillation{}, -1},
		{"period three", "a b c a b c a b c", Oscillation{}, 8},
		{"period four is beyond the default", "a b c d a b c d a b c d", Oscillation{}, -1},
		{"period four when asked for", "a b c d a b c d a b c d", Oscillation{MaxPeriod: 4}, 11},
		{"two repeats", "a b a b", Oscillation{Repeats: 2}, 3},
		{"one distinct call is none", "a a a a a a a a a", Oscillation{}, -1},
		{"a longer cycle of one call twice", "a a b a a b a a b", Oscillation{}, 8},
		{"results are not considered", "a=1 b=1 a=2 b=2 a=3 b=3", Oscillation{}, 5},
		{"it may start anywhere", "x y z a b a b a b", Oscillation{}, 8},
		{"it has to be at the end of the step", "a b a b a b/c", Oscillation{}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := only(ReasonOscillation, Options{})
			o.Oscillation = tt.o
			at, _ := firstStop(t, o, scene(tt.run))
			assert.Equal(t, tt.stop, at)
		})
	}
}

func TestOscillationEvidence(t *testing.T) {
	_, v := firstStop(t, only(ReasonOscillation, Options{}), scene("a b a b a b"))
	assert.Equal(t, Evidence{"period": 2, "repeats": 3, "threshold": 3, "cycle": []string{"a", "b"}}, v.Evidence)
}

func TestNoProgress(t *testing.T) {
	say := func(texts ...string) []Step {
		var steps []Step
		for _, s := range texts {
			steps = append(steps, Step{Text: s})
		}
		return steps
	}
	tests := []struct {
		name  string
		steps []Step
		stop  int
	}{
		{"a step without calls is always stalled", say("Hm.", "Hm.", "Hm."), 2},
		{"case and white space do not matter", say("Hm  hm", " hm hm", "HM\nhm "), 2},
		{"another text starts over", say("a", "a", "b", "a", "a"), -1},
		{"an empty text is a text", say("", "", ""), 2},
		{"an empty text is another one", say("a", "a", ""), -1},
		{"no new outcome for three steps", scene("a=1 b=1 a=1 b=1 a=1"), 4},
		{"one new of two outcomes is progress", scene("a=1 a=1/b=1 a=1/b=2 a=1/b=3 a=1/b=4"), -1},
		{"the same call with a new result is progress", scene("a=1 a=2 a=3 a=4"), -1},
		{"a new outcome starts over", scene("a=1 a=1 a=1 b=1 a=1 a=1"), -1},
		{"outcomes are new once in a run", scene("a=1 b=1 c=1 a=1 b=1 c=1"), 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at, v := firstStop(t, only(ReasonNoProgress, Options{}), tt.steps)
			assert.Equal(t, tt.stop, at)
			if v.Stop {
				assert.Equal(t, 3, v.Evidence["steps"])
				assert.Equal(t, 3, v.Evidence["threshold"])
				assert.Contains(t, v.Evidence, "text_preview")
			}
		})
	}
}

func TestFinishReason(t *testing.T) {
	call := []ToolCall{{Name: "a"}}
	tests := []struct {
		name  string
		step  Step
		o     FinishReason
		code  string
		fault bool
	}{
		{"stop", Step{Text: "x", FinishReason: "stop"}, FinishReason{}, CodeFinishTerminal, false},
		{"length", Step{FinishReason: "length"}, FinishReason{}, CodeFinishTerminal, true},
		{"terminal stops despite calls", Step{Calls: call, FinishReason: "error"}, FinishReason{}, CodeFinishTerminal, true},
		{"trimmed, lower case, underscores", Step{FinishReason: " Content_Filter\n"}, FinishReason{}, CodeFinishTerminal, true},
		{"tool-calls goes on", Step{Text: "x", FinishReason: "TOOL_CALLS"}, FinishReason{}, "", false},
		{"a missing reason says nothing", Step{Text: "x"}, FinishReason{OtherPolicy: StopOnOther}, "", false},
		{"a blank reason says nothing", Step{Text: "x", FinishReason: "  "}, FinishReason{OtherPolicy: StopOnOther}, "", false},
		{"unfamiliar and text only", Step{Text: "x", FinishReason: "unknown"}, FinishReason{}, CodeFinishOtherTextOnly, true},
		{"unfamiliar with calls", Step{Text: "x", Calls: call, FinishReason: "unknown"}, FinishReason{}, "", false},
		{"unfamiliar and blank", Step{Text: " \n", FinishReason: "unknown"}, FinishReason{}, "", false},
		{"policy stop", Step{Calls: call, FinishReason: "other"}, FinishReason{OtherPolicy: StopOnOther}, CodeFinishOther, true},
		{"policy continue", Step{Text: "x", FinishReason: "other"}, FinishReason{OtherPolicy: ContinueOther}, "", false},
		{"own terminal list", Step{FinishReason: "length"}, FinishReason{Terminal: []string{"stop"}, OtherPolicy: ContinueOther}, "", false},
		{"own terminal word", Step{FinishReason: "MAX_TOKENS"}, FinishReason{Terminal: []string{"max_tokens"}}, CodeFinishTerminal, true},
		{"off", Step{FinishReason: "error"}, FinishReason{Off: true}, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := mustNew(t, Options{FinishReason: tt.o}).Check(tt.step)
			assert.Equal(t, tt.code, v.Code)
			assert.Equal(t, tt.fault, IsFault(v))
		})
	}
}

func TestFinishReasonEvidence(t *testing.T) {
	v := mustNew(t, Options{}).Check(Step{Text: "Done.", FinishReason: " Weird_One"})
	assert.Equal(t, Evidence{
		"finish_reason": " Weird_One", "normalized": "weird-one", "policy": "stop-if-text-only",
		"has_text": true, "tool_call_count": 0,
	}, v.Evidence)
}

func TestBudget(t *testing.T) {
	use := func(list ...Usage) []Step {
		var steps []Step
		for i, u := range list {
			steps = append(steps, Step{Usage: u, Calls: []ToolCall{{Name: "f", Args: i}}})
		}
		return steps
	}
	in := func(n ...float64) []Step {
		var list []Usage
		for _, v := range n {
			list = append(list, Usage{InputTokens: v})
		}
		return use(list...)
	}
	tests := []struct {
		name  string
		o     Budget
		steps []Step
		stop  int
		code  string
	}{
		{"a limit is spent when reached", Budget{InputTokens: Limit{Max: 30}}, in(10, 10, 10), 2, CodeBudgetInputTokens},
		{"not before", Budget{InputTokens: Limit{Max: 30}}, in(10, 10, 9), -1, ""},
		{"output", Budget{OutputTokens: Limit{Max: 5}}, use(Usage{OutputTokens: 5}), 0, CodeBudgetOutputTokens},
		{"total falls back to the sum", Budget{TotalTokens: Limit{Max: 9}}, use(Usage{InputTokens: 4, OutputTokens: 5}), 0, CodeBudgetTotalTokens},
		{"a given total counts", Budget{TotalTokens: Limit{Max: 9}}, use(Usage{InputTokens: 4, OutputTokens: 5, TotalTokens: 6}), -1, ""},
		{"cost", Budget{CostUSD: Limit{Max: 0.5}}, use(Usage{CostUSD: 0.25}, Usage{CostUSD: 0.25}), 1, CodeBudgetCostUSD},
		{"without a cost it never fires", Budget{CostUSD: Limit{Max: 0.01}}, in(1e9, 1e9), -1, ""},
		{"odd numbers are ignored", Budget{InputTokens: Limit{Max: 30}}, in(math.NaN(), math.Inf(1), -1e9, 29), -1, ""},
		{"a useless total falls back", Budget{TotalTokens: Limit{Max: 9}}, use(Usage{InputTokens: 9, TotalTokens: math.NaN()}), 0, CodeBudgetTotalTokens},
		{"sums stay finite", Budget{InputTokens: Limit{Max: math.MaxFloat64}}, in(math.MaxFloat64, math.MaxFloat64), 0, CodeBudgetInputTokens},
		{"the first metric speaks", Budget{InputTokens: Limit{Max: 1}, TotalTokens: Limit{Max: 1}}, in(5), 0, CodeBudgetTotalTokens},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at, v := firstStop(t, Options{Budget: tt.o}, tt.steps)
			assert.Equal(t, tt.stop, at)
			assert.Equal(t, tt.code, v.Code)
			_, err := json.Marshal(v)
			assert.NoError(t, err)
		})
	}
}

func TestBudgetDurationIsTheLargerOfStepsAndClock(t *testing.T) {
	clock := time.Unix(1000, 0)
	o := Options{Budget: Budget{DurationMs: Limit{Max: 1000}}, Now: func() time.Time { return clock }}
	_, v := firstStop(t, o, []Step{{DurationMs: 400}, {DurationMs: 600, Text: "x"}})
	assert.Equal(t, Evidence{"metric": "duration_ms", "value": 1000.0, "limit": 1000.0}, v.Evidence)

	g := mustNew(t, o)
	clock = clock.Add(999 * time.Millisecond)
	assert.False(t, g.Check(Step{DurationMs: 1}).Stop)
	clock = clock.Add(time.Millisecond)
	assert.Equal(t, CodeBudgetDurationMs, g.Check(Step{DurationMs: 1}).Code)
	g.Reset()
	assert.False(t, g.Check(Step{DurationMs: 1}).Stop, "reset starts the clock again")
}

func TestBudgetWarningRepeatsWhileItApplies(t *testing.T) {
	for name, b := range map[string]Budget{
		"own":    {InputTokens: Limit{Max: 100, WarnAt: 0.8}},
		"shared": {InputTokens: Limit{Max: 100}, WarnAt: 0.8},
	} {
		t.Run(name, func(t *testing.T) {
			g := mustNew(t, Options{Budget: b})
			var warned []int
			for i := range 5 {
				v := g.Check(Step{Usage: Usage{InputTokens: 20}, Calls: []ToolCall{{Name: "f", Args: i}}})
				for _, w := range v.Warnings {
					assert.False(t, v.Stop)
					assert.Equal(t, "input_tokens", w.Metric)
					assert.Equal(t, CodeBudgetWarning, w.Code)
					assert.InDelta(t, 0.8, w.Ratio, 1e-9)
					warned = append(warned, i)
				}
			}
			assert.Equal(t, []int{3}, warned)
		})
	}
	g := mustNew(t, Options{Budget: Budget{CostUSD: Limit{Max: 1, WarnAt: 0.5}}})
	g.Check(Step{Usage: Usage{CostUSD: 0.6}})
	assert.Len(t, g.Check(Step{Text: "x"}).Warnings, 1, "the warning repeats")
}

func TestPriority(t *testing.T) {
	// Every detector is at its threshold in the last step.
	run := scene("a=1 b=1 a=1 b=1 a=1 b=1")
	last := &run[5]
	last.Calls = append(last.Calls, last.Calls[0], last.Calls[0])
	last.FinishReason, last.Usage = "length", Usage{InputTokens: 5}
	o := Options{
		Budget: Budget{InputTokens: Limit{Max: 5}}, MaxSteps: MaxSteps{Limit: 6},
		NoProgress: NoProgress{Threshold: 4}, Oscillation: Oscillation{MaxPeriod: 4},
		Tools:  map[string]Tool{"b": {MaxCalls: 4}},
		Custom: []Detector{func(h []Step, _ Step) *CustomStop { return map[bool]*CustomStop{true: {}}[len(h) == 6] }},
	}
	order := []struct {
		code string
		off  func(*Options)
	}{
		{CodeFinishTerminal, func(o *Options) { o.FinishReason.Off = true }},
		{CodeBudgetInputTokens, func(o *Options) { o.Budget.Off = true }},
		{CodeMaxSteps, func(o *Options) { o.MaxSteps.Off = true }},
		{CodeToolCallLimit, func(o *Options) { o.ToolLimit.Off = true }},
		{CodeRepeatedToolCall, func(o *Options) { o.RepeatedToolCall.Off = true; *last = stepOf("b=1") }},
		{CodeOscillation, func(o *Options) { o.Oscillation.Off = true }},
		{CodeNoProgress, func(o *Options) { o.NoProgress.Off = true }},
		{CodeCustom, func(o *Options) { o.Custom = nil }},
		{"", func(*Options) {}},
	}
	for _, tt := range order {
		at, v := firstStop(t, o, run)
		require.Equal(t, tt.code, v.Code)
		if tt.code != "" {
			assert.Equal(t, 5, at)
		}
		tt.off(&o)
	}
}

func TestAllDetectorsSeeEveryStep(t *testing.T) {
	g := mustNew(t, Options{})
	for range 2 {
		assert.Equal(t, CodeFinishTerminal, g.Check(Step{Calls: stepOf("a").Calls, FinishReason: "stop"}).Code)
	}
	assert.Equal(t, CodeRepeatedToolCall, g.Check(stepOf("a")).Code, "the stopped steps counted")
}

func TestNoProgressComesAStepBeforeOscillation(t *testing.T) {
	at, v := firstStop(t, Options{}, scene("a=1 b=1 a=1 b=1 a=1 b=1"))
	assert.Equal(t, 4, at)
	assert.Equal(t, ReasonNoProgress, v.Reason)
}

func TestOddStepDataIsNoError(t *testing.T) {
	g := mustNew(t, Options{})
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	for _, args := range []any{make(chan int), func() {}, cyclic, math.NaN(), hostile{}, (*hostile)(nil)} {
		assert.NotPanics(t, func() {
			g.Check(Step{DurationMs: math.NaN(), Calls: []ToolCall{{Args: args, Result: args, Error: args}}})
		})
	}
}

func TestAHostileValueEqualsNothing(t *testing.T) {
	o := only(ReasonRepeated, Options{})
	bad, good := Step{Calls: []ToolCall{{Name: "f", Args: hostile{}}}}, Step{Calls: []ToolCall{{Name: "f", Args: 1}}}
	at, _ := firstStop(t, o, []Step{bad, bad, bad, bad})
	assert.Equal(t, -1, at)
	at, _ = firstStop(t, o, []Step{good, good, bad, good})
	assert.Equal(t, -1, at, "it breaks the run")
}

type hostile struct{}

func (hostile) MarshalJSON() ([]byte, error) { panic("no") }
func (hostile) MarshalText() ([]byte, error) { panic("no") }
