// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// caseOptions are options in the names of the guard seed; false switches off.
type caseOptions struct {
	MaxSteps int `json:"maxSteps"`
	Repeated orOff[struct {
		Threshold int  `json:"threshold"`
		Identical bool `json:"requireIdenticalResults"`
		Sound     bool `json:"ignoreErrors"`
	}] `json:"repeatedToolCall"`
	NoProgress orOff[struct {
		Threshold int `json:"threshold"`
	}] `json:"noProgress"`
	Finish struct {
		Policy OtherPolicy `json:"otherPolicy"`
	} `json:"finishReason"`
	Budget map[string]caseLimit `json:"budget"`
	Custom []struct {
		Tool string `json:"tool"`
		Max  int    `json:"max"`
		Code string `json:"code"`
	} `json:"custom"`
}

type orOff[T any] struct {
	off   bool
	value T
}

func (o *orOff[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "false" {
		o.off = true
		return nil
	}
	return json.Unmarshal(data, &o.value)
}

type caseLimit struct{ Limit }

func (l *caseLimit) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &l.Max) == nil {
		return nil
	}
	var v struct{ Limit, WarnAt float64 }
	err := json.Unmarshal(data, &v)
	l.Limit = Limit{v.Limit, v.WarnAt}
	return err
}

// apply sets a case's options on top of others.
func (c caseOptions) apply(o Options) Options {
	o.MaxSteps.Limit = c.MaxSteps
	if c.MaxSteps > 0 {
		o.MaxSteps.Off = false
	}
	r := &o.RepeatedToolCall
	r.Off, r.Threshold, r.IgnoreErrors = c.Repeated.off, c.Repeated.value.Threshold, c.Repeated.value.Sound
	r.RequireIdenticalResults = r.RequireIdenticalResults || c.Repeated.value.Identical
	o.NoProgress = NoProgress{Off: c.NoProgress.off, Threshold: c.NoProgress.value.Threshold}
	o.FinishReason.OtherPolicy = c.Finish.Policy
	o.Budget = Budget{
		TotalTokens: c.Budget["maxTotalTokens"].Limit, InputTokens: c.Budget["maxInputTokens"].Limit,
		OutputTokens: c.Budget["maxOutputTokens"].Limit, CostUSD: c.Budget["maxCostUsd"].Limit,
		DurationMs: c.Budget["maxDurationMs"].Limit,
	}
	for _, rule := range c.Custom {
		o.NoHistory = false
		o.Custom = append(o.Custom, callCap(rule.Tool, rule.Max, rule.Code))
	}
	return o
}

func callCap(tool string, most int, code string) Detector {
	return func(history []Step, _ Step) *CustomStop {
		n := 0
		for _, s := range history {
			for _, c := range s.Calls {
				if c.Name == tool {
					n++
				}
			}
		}
		if n <= most {
			return nil
		}
		return &CustomStop{Code: code, Detail: fmt.Sprintf("%d calls of %s.", n, tool), Evidence: Evidence{"calls": n}}
	}
}

func TestSeedVerdictsOnFieldCases(t *testing.T) {
	cases := loadCases(t, "testdata/cases/*.json")
	require.NotEmpty(t, cases)
	for _, c := range cases {
		if want := c.Expect.LoopGuard; want != nil {
			t.Run(c.ID, func(t *testing.T) {
				v, at, warned := c.seedVerdict(t)
				assert.Equal(t, want.Step, at, "step")
				if want.Step != nil {
					assert.Equal(t, *want.Reason, v.Reason)
					assert.Equal(t, *want.Code, v.Code)
					assert.Equal(t, want.Fault, IsFault(v))
				}
				assert.Equal(t, c.Expect.Warnings["budget"], warned, "budget warnings")
			})
		}
	}
}

// seedVerdict is the first fault of any run of the case, else the last normal
// stop, with its step and the steps that carry a warning.
func (c *fieldCase) seedVerdict(t *testing.T) (found Verdict, at *int, warned []int) {
	guards, over := map[string]*Guard{}, map[string]bool{}
	clock := time.UnixMilli(0)
	o := c.Options.apply(Options{Now: func() time.Time { return clock }})
	for i, s := range c.steps(t) {
		lane := s.lane()
		if s.Error != nil || over[lane] {
			continue
		}
		if guards[lane] == nil {
			clock = time.UnixMilli(s.StartMs)
			guards[lane] = mustNew(t, o)
		}
		clock = s.end()
		v := guards[lane].Check(s.step(nil))
		if len(v.Warnings) > 0 {
			warned = append(warned, i)
		}
		over[lane] = v.Stop
		if v.Stop && !IsFault(found) {
			found, at = v, &i
		}
	}
	return found, at, warned
}

func (s *caseStep) end() time.Time {
	end := s.EndMs
	for _, c := range s.Calls {
		end = max(end, c.EndMs)
	}
	return time.UnixMilli(end)
}

func mustNew(t testing.TB, o Options) *Guard {
	g, err := New(o)
	require.NoError(t, err)
	return g
}

func TestToolLoopOnFieldCases(t *testing.T) {
	for _, c := range loadCases(t, "testdata/cases/*.json") {
		if c.Expect.GauntSloth == nil {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			var history []Message
			warns := []int{}
			turn := 0
			for i, s := range c.steps(t) {
				if s.Turn != turn && c.Turns[fmt.Sprint(s.Turn)] != nil {
					turn, history = s.Turn, append(history, Message{Role: UserRole})
				}
				before := len(history)
				history = append(history, s.messages()...)
				if len(history) > before+1 && (ToolLoop{}).Judge(history).Notice != "" {
					warns = append(warns, i)
				}
			}
			assert.Equal(t, c.Expect.GauntSloth.Warns, warns)
		})
	}
}

// messages are what a step adds to the history of its model.
func (s *caseStep) messages() []Message {
	ask := Message{Role: AssistantRole}
	var answers []Message
	for _, c := range s.Calls {
		ask.Calls = append(ask.Calls, MessageCall{ID: c.ID, Name: c.Name, Args: rawOr(c.Args, nil)})
		answers = append(answers, Message{Role: ToolRole, CallID: c.ID, Failed: c.Error != nil})
	}
	return append([]Message{ask}, answers...)
}

// asReported spells finish reasons as they reach the guard: telemetry has been
// read by then.
var asReported = map[string]string{"end_turn": "stop", "tool_use": "tool-calls"}

// TestRetrospectiveOnFieldCases runs every field case through the profile.
func TestRetrospectiveOnFieldCases(t *testing.T) {
	for _, c := range loadCases(t, "testdata/cases/*.json") {
		t.Run(c.ID, func(t *testing.T) {
			var all []Finding
			for _, g := range c.judge(t) {
				all = append(all, g.findings...)
			}
			c.assertFindings(t, all)
		})
	}
}

type judged struct {
	findings []Finding
}

// judge gives each run of a case a guard of its own. Steps are numbered as in
// the case.
func (c *fieldCase) judge(t *testing.T) []judged {
	guards, order, at := map[string]*Guard{}, []string{}, map[string][]int{}
	turn, steps := 0, c.steps(t)
	for i, s := range steps {
		if s.Error != nil {
			continue
		}
		lane := s.lane()
		if guards[lane] == nil {
			guards[lane] = mustNew(t, c.Options.apply(Retrospective()))
			order = append(order, lane)
		}
		step := s.step(Unknown)
		step.FinishReason = cmp.Or(asReported[step.FinishReason], step.FinishReason)
		step.Boundary = s.Turn != turn && c.Turns[fmt.Sprint(s.Turn)] != nil
		turn = s.Turn
		at[lane] = append(at[lane], i)
		check(guards[lane], step, steps, &s)
	}
	var out []judged
	for _, lane := range order {
		guards[lane].End()
		fs := guards[lane].Findings()
		for i := range fs {
			fs[i].Step = crossing(steps, at[lane][fs[i].Step], &fs[i])
		}
		out = append(out, judged{fs})
	}
	return out
}

// check shows a guard a step, and what its calls have started.
func check(g *Guard, step Step, steps []caseStep, s *caseStep) {
	d := g.rules.digester.Step(step)
	nested := false
	for i := range s.Calls {
		for _, n := range below(steps, s, i) {
			run := &steps[n]
			said := g.rules.digester.Text(run.Text)
			d.Calls[i].Nested = append(d.Calls[i].Nested, NestedRun{
				Agent: run.Agent, Task: said.Print, Did: said.Print,
			})
			nested = true
		}
	}
	if nested {
		g.CheckDigest(d)
	} else {
		g.Check(step)
	}
}

// below are the first steps of the runs below a call, each within the one
// before it.
func below(steps []caseStep, s *caseStep, call int) []int {
	for i := range steps {
		run := &steps[i]
		if run.ParentCall == "" || run.ParentCall != s.Calls[call].ID || *run.ParentAgent != cmp.Or(s.Invocation, s.Agent) {
			continue
		}
		path := []int{i}
		for next := range run.Calls {
			if deeper := below(steps, run, next); len(deeper) > 0 {
				return append(path, deeper...)
			}
		}
		return path
	}
	return nil
}

// crossing is the step of the case at which a finding says that it crossed.
func crossing(steps []caseStep, at int, f *Finding) int {
	if f.Depth == 0 {
		return at
	}
	return below(steps, &steps[at], f.Call)[f.Depth]
}

// assertFindings holds findings against what the case expects. A fault that is
// hard to see may be missed, but then the log says so.
func (c *fieldCase) assertFindings(t *testing.T, all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int { return a.Step - b.Step })
	if c.Hard {
		t.Log("hard:", c.result(all))
	}
	switch {
	case !c.Expect.Fault:
		for _, f := range all {
			assert.True(t, c.allows(f), "%s at step %d: %s", f.Code, f.Step, f.Detail)
		}
	case !c.Hard || len(all) > 0:
		c.assertFault(t, all)
	}
}

func (c *fieldCase) result(all []Finding) string {
	if len(all) == 0 {
		return fmt.Sprintf("fault %t, nothing found", c.Expect.Fault)
	}
	return fmt.Sprintf("fault %t, %s at step %d", c.Expect.Fault, all[0].Code, all[0].Step)
}

// allows reports whether a finding about a clean case is no false alarm.
func (c *fieldCase) allows(f Finding) bool {
	return f.Severity == Warn && (slices.Contains(c.Expect.NoticeOK, f.Reason) || f.Code == CodeBudgetWarning)
}

func (c *fieldCase) assertFault(t *testing.T, all []Finding) {
	x := c.Expect
	require.NotEmpty(t, all, "want one of %v at step %d to %d", x.Kinds, x.AtLeast, x.AtMost)
	first := all[0]
	assert.Contains(t, x.Kinds, first.Reason)
	assert.GreaterOrEqual(t, first.Step, x.AtLeast, first.Code)
	assert.LessOrEqual(t, first.Step, x.AtMost, first.Code)
	for _, f := range all {
		assert.NotContains(t, x.NotKinds, f.Reason)
	}
	if x.State != "" {
		assert.Equal(t, x.State, first.State, first.Code)
	}
	ended := slices.ContainsFunc(all, func(f Finding) bool { return f.State != Recovered })
	if x.EndedIn {
		assert.True(t, ended, "the run ended in the loop")
	}
}
