// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// long is a result that says something.
const long = "the_quick_brown_fox_jumps_over_the_lazy_dog_and_runs_away"

// found judges a run with the retrospective profile and spells its findings
// "CODE grade@crossing-last state".
func found(t *testing.T, o Options, steps []Step) []string {
	g := mustNew(t, o)
	for _, s := range steps {
		g.Check(s)
	}
	g.End()
	var list []string
	for _, f := range g.Findings() {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s@%d-%d %s", f.Code, f.Grade, f.Step, f.LastStep, f.State)))
	}
	return list
}

func TestRetrospectiveRepeatedToolCall(t *testing.T) {
	tests := []struct{ name, run, want string }{
		{"three equal outcomes confirm", "a=x a=x a=x", "REPEATED_TOOL_CALL confirmed@2-2 ended_in_loop"},
		{"two do not", "a=x a=x", ""},
		{"different outcomes are progress", "a=1 a=2 a=3 a=4 a=5 a=6", ""},
		{"identical calls of a round count once", "a=x/a=x/a=x", ""},
		{"a round of several calls is for oscillation", "a=x/b=y b=y/a=x a=x/b=y", ""},
		{"one changed outcome of the set is progress", "a=x/b=1 a=x/b=2 a=x/b=3", ""},
		{"five without outcomes", "a=? a=? a=? a=? a=?", "REPEATED_TOOL_CALL args_only@4-4 ended_in_loop"},
		{"four are not enough", "a=? a=? a=? a=?", ""},
		{"an outcome lost inside does not break", "a=x a=? a=x a=x", "REPEATED_TOOL_CALL confirmed@3-3 ended_in_loop"},
		{"two known outcomes are no confirmation", "a=x a=? a=? a=x a=?", "REPEATED_TOOL_CALL args_only@4-4 ended_in_loop"},
		{"a third makes the warning a stop", "a=x a=? a=? a=x a=? a=x", "REPEATED_TOOL_CALL confirmed@5-5 ended_in_loop"},
		{"another outcome behind unknown ones breaks", "a=x a=? a=? a=y a=? a=?", ""},
		{"unknown arguments do not count", "a=x a(?)=x a=x", ""},
		{"nor break", "a=x a(?)=z a=x a=x", "REPEATED_TOOL_CALL confirmed@3-3 ended_in_loop"},
		{"another tool with unknown arguments breaks", "a=x a=x b(?)=x a=x", ""},
		{"equal informative outcomes of unknown arguments", strings.Repeat("a(?)="+long+" ", 5), "REPEATED_TOOL_CALL results_only@4-4 ended_in_loop"},
		{"short ones say nothing", strings.Repeat("a(?)=ok ", 8), ""},
		{"names alone never alert", strings.Repeat("a(?)=? ", 20), ""},
		{"nothing given is unknown here", "a a a a", ""},
		{"text only steps break nothing", "a=x - a=x - a=x", "REPEATED_TOOL_CALL confirmed@4-4 ended_in_loop"},
		{"a user's message starts afresh", "a=x a=x U:a=x a=x", ""},
		{"a recurring call is not consecutive", "a=x/b=1 a=x/c=1 a=x/d=1", ""},
		{"a no-op tool is ignored", "think=x think=x think=x think=x", ""},
		{"progress closes the episode", "a=x a=x a=x a=x b=y", "REPEATED_TOOL_CALL confirmed@2-3 recovered"},
		{"a loop that comes back is one finding", "a=x a=x a=x b=y a=x a=x a=x a=x", "REPEATED_TOOL_CALL confirmed@2-7 ended_in_loop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := found(t, only(ReasonRepeated, Retrospective()), scene(tt.run))
			assert.Equal(t, tt.want, strings.Join(got, "; "))
		})
	}
}

func TestRetrospectiveOscillation(t *testing.T) {
	unknownLaps := func(n int) string { return strings.Repeat("a=? b=? ", n) }
	tests := []struct{ name, run, want string }{
		{"three laps confirm", "a=1 b=2 a=1 b=2 a=1 b=2", "OSCILLATION confirmed@5-5 ended_in_loop"},
		{"a round is a set of calls", "a=x/b=y b=y/a=x a=x/b=y", "OSCILLATION confirmed@2-2 ended_in_loop"},
		{"a round whose outcome was lost", "a=x/b=y a=?/b=y a=x/b=y a=z/b=y a=?/b=y", ""},
		{"outcomes that change are progress", "a=1 b=2 a=3 b=4 a=5 b=6", ""},
		{"one that changes is enough", "a=1 b=2 a=1 b=4 a=1 b=6", ""},
		{"a period of five", strings.Repeat("a=1 b=1 c=1 d=1 e=1 ", 3), "OSCILLATION confirmed@14-14 ended_in_loop"},
		{"four laps without outcomes", unknownLaps(4), ""},
		{"five laps without outcomes", unknownLaps(5), "OSCILLATION args_only@9-9 ended_in_loop"},
		{"results of unknown arguments", strings.Repeat("a(?)="+long+" b(?)=b"+long+" ", 5), "OSCILLATION results_only@9-9 ended_in_loop"},
		{"names alone never alert", strings.Repeat("a(?)=? b(?)=? ", 20), ""},
		{"one symbol is no cycle", "a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1", ""},
		{"the cycle ends", "a=1 b=2 a=1 b=2 a=1 b=2 a=1 c=1 d=1", "OSCILLATION confirmed@5-6 recovered"},
		{"a boundary starts afresh", "a=1 b=2 a=1 b=2 U:a=1 b=2", ""},
		{"other outcomes behind unknown ones break", "a=1 b=1 a=? b=? a=2 b=2 a=? b=? a=1 b=1", ""},
		{"text only steps break nothing", "a=1 b=2 - a=1 b=2 - a=1 b=2", "OSCILLATION confirmed@7-7 ended_in_loop"},
		{"one call may flip between two answers", "a=1 a=2 a=1 a=2 a=1 a=2", "OSCILLATION confirmed@5-5 ended_in_loop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := found(t, only(ReasonOscillation, Retrospective()), scene(tt.run))
			assert.Equal(t, tt.want, strings.Join(got, "; "))
		})
	}
}

func TestRetrospectiveNoProgress(t *testing.T) {
	tests := []struct{ name, run, want string }{
		{"stalled on old outcomes", "a=1 b=1 b=1 a=1 b=1", "NO_PROGRESS confirmed@4-4 ended_in_loop"},
		{"a new outcome closes", "a=1 b=1 b=1 a=1 b=1 c=1", "NO_PROGRESS confirmed@4-4 recovered"},
		{"unknown outcomes neither count nor break", "a=1 a=1 a=? a=1 a=1", "NO_PROGRESS confirmed@4-4 ended_in_loop"},
		{"steps without calls do not count", "a=1 - - - -", ""},
		{"after a boundary all is new again", "a=1 b=1 U:a=1 b=1 a=1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := found(t, only(ReasonNoProgress, Retrospective()), scene(tt.run))
			assert.Equal(t, tt.want, strings.Join(got, "; "))
		})
	}
}

func TestUncapturedTextIsCompatible(t *testing.T) {
	g := mustNew(t, only(ReasonNoProgress, Retrospective()))
	d, err := NewDigester(Sameness{})
	require.NoError(t, err)
	for _, text := range []string{"x", "", "x", "", "y"} {
		s := d.Step(stepOf("a=1"))
		s.Text = TextDigest{}
		if text != "" {
			s.Text = d.Text(text)
		}
		g.CheckDigest(s)
	}
	require.Len(t, g.Findings(), 1)
	assert.Equal(t, 3, g.Findings()[0].Step)
	assert.Equal(t, 3, g.Findings()[0].LastStep, "another text is known to differ")
}

func TestRetrospectiveFinishReason(t *testing.T) {
	say := func(text, finish string) Step { return Step{Text: text, FinishReason: finish} }
	tests := []struct {
		name  string
		steps []Step
		want  string
	}{
		{"a plain stop means nothing", []Step{say("x", "stop"), say("y", "stop")}, ""},
		{"length at the end", []Step{stepOf("a=1"), say("x", "length")}, "FINISH_TERMINAL @1-1 warn"},
		{"length in between", []Step{say("x", "length"), stepOf("a=1"), say("y", "stop")}, ""},
		{"an unfamiliar word and text only", []Step{say("x", "weird")}, "FINISH_OTHER_TEXT_ONLY @0-0 warn"},
		{"an unfamiliar word without text", []Step{say("", "weird")}, ""},
		{"the same answer again", []Step{say("x", "weird"), say("x", "weird"), say("x", "weird")}, "FINISH_OTHER_TEXT_ONLY @1-2 stop"},
		{"another answer", []Step{say("x", "weird"), say("y", "stop")}, ""},
		{"the user spoke in between", []Step{say("x", "length"), {Text: "x", FinishReason: "stop", Boundary: true}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := mustNew(t, Retrospective())
			for _, s := range tt.steps {
				g.Check(s)
			}
			require.Empty(t, warnings(g), "nothing is known of the end yet")
			g.End()
			var got []string
			for _, f := range g.Findings() {
				got = append(got, fmt.Sprintf("%s %s@%d-%d %s", f.Code, f.Grade, f.Step, f.LastStep, f.Severity))
			}
			assert.Equal(t, tt.want, strings.Join(got, "; "))
		})
	}
}

func warnings(g *Guard) []Finding {
	var list []Finding
	for _, f := range g.Findings() {
		if f.Severity == Warn {
			list = append(list, f)
		}
	}
	return list
}

func TestLimitsRunToTheEnd(t *testing.T) {
	o := Retrospective()
	o.MaxSteps = MaxSteps{Limit: 2}
	o.Budget.DurationMs = Limit{Max: 1500}
	o.Tools = map[string]Tool{"del*": {MaxCalls: 1}}
	g := mustNew(t, o)
	for i := range 5 {
		s := stepOf(fmt.Sprintf("delete(%d)=%d", i, i))
		s.Start, s.End = time.Unix(int64(i+1), 0), time.Unix(int64(i+1), 5e8)
		g.Check(s)
	}
	g.End()
	var got []string
	for _, f := range g.Findings() {
		assert.True(t, f.ToEnd)
		assert.Empty(t, f.State)
		assert.Empty(t, f.Grade)
		assert.Equal(t, 4, f.LastStep)
		got = append(got, fmt.Sprintf("%s@%d/%d %v", f.Code, f.Step, f.Call, f.Waste))
	}
	assert.Equal(t, []string{
		"BUDGET_DURATION_MS@1/-1 [{2 4}]", "MAX_STEPS@1/-1 [{2 4}]", "TOOL_CALL_LIMIT@1/0 [{2 4}]",
	}, got)
	assert.Equal(t, CodeBudgetDurationMs, g.Verdict().Code, "the first in order of priority")
}

func TestWasteHasASpanForEachBout(t *testing.T) {
	g := mustNew(t, Retrospective())
	for _, s := range scene("a=x a=x a=x a=x b=y c=y a=x a=x a=x a=x a=x") {
		g.Check(s)
	}
	g.End()
	f := g.Verdict()
	assert.Equal(t, CodeRepeatedToolCall, f.Code)
	assert.Equal(t, []Span{{3, 3}, {9, 10}}, f.Waste)
}

func TestAWeakerFindingOverTheSameStepsIsListed(t *testing.T) {
	g := mustNew(t, Retrospective())
	for _, s := range scene("a=x a=x a=x a=x a=x") {
		g.Check(s)
	}
	require.Len(t, g.Findings(), 1)
	assert.Equal(t, []string{CodeNoProgress}, g.Findings()[0].Also)
}

func TestVerdictIsTheEarliestStop(t *testing.T) {
	o := Retrospective()
	o.RepeatedToolCall.Severity = Warn
	g := mustNew(t, o)
	assert.Equal(t, OK, g.Verdict().Severity)
	for _, s := range scene("z=1 z=1 z=1 b=2 a=1 b=2 a=1 b=2") {
		g.Check(s)
	}
	assert.Equal(t, Stop, g.Verdict().Severity)
	assert.Equal(t, CodeNoProgress, g.Verdict().Code)
}

func TestALastAnswerRecovers(t *testing.T) {
	g := mustNew(t, Retrospective())
	for _, s := range append(scene("a=x a=x a=x"), Step{Text: "Done.", FinishReason: "stop"}) {
		g.Check(s)
	}
	assert.Empty(t, g.Verdict().State, "open")
	g.End()
	assert.Equal(t, Recovered, g.Verdict().State)
	g.Check(stepOf("a=x"))
	assert.Empty(t, g.Verdict().State, "the run went on")
}

func TestFindingsHoldNoContent(t *testing.T) {
	g := mustNew(t, Retrospective())
	for range 4 {
		v := g.Check(Step{Text: "secret", Calls: []ToolCall{{Name: "a", Args: "secret", Result: "secret"}}})
		if v.Stop {
			assert.Contains(t, v.Evidence["args_preview"], "secret", "the caller's own process may see it")
		}
	}
	data, err := json.Marshal(g.Findings())
	require.NoError(t, err)
	assert.NotContains(t, string(data), "secret")
	assert.Contains(t, string(data), `"severity":"stop"`)
}

func TestToolOptions(t *testing.T) {
	o := Options{Tools: map[string]Tool{
		"*":       {MaxCalls: 9},
		"search*": {Key: []string{"of"}, MaxCalls: 4},
		"note":    {Ignore: true},
	}}
	search := func(of, page any) Step {
		return Step{Calls: []ToolCall{{Name: "search_web", Args: map[string]any{"of": of, "page": page}}}}
	}
	assert.Equal(t, []string{"", "", CodeRepeatedToolCall}, stops(t, o, []Step{search(1, 1), search(1, 2), search(1, 3)}))
	assert.Equal(t, []string{"", "", "", "", CodeToolCallLimit},
		stops(t, o, []Step{search(1, 1), search(2, 1), search(3, 1), search(4, 1), search(5, 1)}))
	_, v := firstStop(t, o, scene("note note a note note a note b note note"))
	assert.Empty(t, v.Code, "ignored calls are not there")
	_, v = firstStop(t, Options{Tools: o.Tools, NoProgress: NoProgress{Off: true}}, scene(strings.Repeat("note ", 12)))
	assert.Equal(t, Evidence{"tool": "note", "count": 10, "limit": 9}, v.Evidence, "but for the limit")
}

func TestDelegationsAreNoToolCalls(t *testing.T) {
	g := mustNew(t, Retrospective())
	d, err := NewDigester(Sameness{})
	require.NoError(t, err)
	for range 6 {
		s := d.Step(stepOf("helper=x"))
		s.Calls[0].Delegation = true
		g.CheckDigest(s)
	}
	assert.Zero(t, g.Summary().ToolCalls)
	assert.NotEqual(t, CodeRepeatedToolCall, g.Verdict().Code)
}

func TestAFindingSaysWhichKeysVaried(t *testing.T) {
	varied := func(notes ...string) any {
		g := mustNew(t, Retrospective())
		for _, n := range notes {
			args := map[string]any{"command": "make", "description": n}
			g.Check(Step{Calls: []ToolCall{{Name: "sh", Args: args, Result: long}}})
		}
		require.Len(t, g.Findings(), 1)
		return g.Findings()[0].Evidence["varied_keys"]
	}
	assert.Equal(t, []string{"description"}, varied("build", "build it", "try to build"))
	assert.Nil(t, varied("build", "build", "build"), "what stays the same has not varied")
}
