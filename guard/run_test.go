// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// agent makes the steps of a scene.
func agent(steps []Step) func(context.Context, int) (Step, error) {
	return func(_ context.Context, i int) (Step, error) {
		if i >= len(steps) {
			return Step{}, errors.New("asked for too much")
		}
		return steps[i], nil
	}
}

func TestRun(t *testing.T) {
	answer := func(finish string) Step { return Step{Text: "Done.", FinishReason: finish} }
	tests := []struct {
		name      string
		steps     []Step
		made      int
		completed bool
		code      string
	}{
		{"a step without calls is the last", append(scene("a=1 b=1"), Step{Text: "x"}), 3, true, ""},
		{"a plain stop completes", []Step{answer("stop")}, 1, true, CodeFinishTerminal},
		{"even with calls", []Step{{Calls: stepOf("a").Calls, FinishReason: "stop"}}, 1, true, CodeFinishTerminal},
		{"length does not", []Step{answer("length")}, 1, false, CodeFinishTerminal},
		{"the guard cuts a loop short", scene("a a a a a"), 3, false, CodeRepeatedToolCall},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var verdicts []Verdict
			r, err := Run(t.Context(), Loop{Step: agent(tt.steps), OnVerdict: func(v Verdict) { verdicts = append(verdicts, v) }})
			require.NoError(t, err)
			assert.Len(t, r.Steps, tt.made)
			assert.Len(t, verdicts, tt.made)
			assert.Equal(t, tt.completed, r.Completed)
			assert.Equal(t, tt.code, r.Verdict.Code)
			assert.False(t, r.Aborted)
		})
	}
}

func TestRunAsksDone(t *testing.T) {
	g := mustNew(t, only("", Options{}))
	r, err := Run(t.Context(), Loop{
		Guard: g, Step: agent(append([]Step{{Text: "x"}}, scene("a a a")...)),
		Done: func(s Step) bool { return len(g.History()) == 3 },
	})
	require.NoError(t, err)
	assert.Len(t, r.Steps, 3, "a step without calls may go on, one with calls may be the last")
	assert.True(t, r.Completed)
}

func TestRunLooksAtTheContextBeforeEachStep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Run(ctx, Loop{Step: func(_ context.Context, i int) (Step, error) {
		if i == 1 {
			cancel()
		}
		return Step{Calls: []ToolCall{{Name: "a", Args: i}}}, nil
	}})
	require.NoError(t, err)
	assert.Len(t, r.Steps, 2, "the step under way is not cancelled")
	assert.True(t, r.Aborted)
	assert.False(t, r.Completed)
}

func TestRunReturnsTheErrorOfAStep(t *testing.T) {
	r, err := Run(t.Context(), Loop{Step: agent(scene("a b"))})
	assert.ErrorContains(t, err, "step 2: asked for too much")
	assert.Len(t, r.Steps, 2)
}

func TestWatchYieldsTheStepThatTripsAndClosesTheSource(t *testing.T) {
	closed, yielded := false, 0
	source := func(yield func(Step) bool) {
		defer func() { closed = true }()
		for _, s := range scene("a a a a a a") {
			if !yield(s) {
				return
			}
		}
	}
	var last Verdict
	for _, v := range mustNew(t, Options{}).Watch(source) {
		yielded++
		last = v
	}
	assert.Equal(t, 3, yielded)
	assert.True(t, last.Stop)
	assert.True(t, closed)

	closed = false
	for range mustNew(t, Options{}).Watch(source) {
		break
	}
	assert.True(t, closed, "leaving early closes it too")
}

func TestStopWhenIsIdempotent(t *testing.T) {
	var told []Verdict
	stop, err := StopWhen(Options{}, func(v Verdict) { told = append(told, v) })
	require.NoError(t, err)
	run := scene("a a a b")
	for range 3 {
		assert.False(t, stop(run[:2]))
		assert.True(t, stop(run[:3]))
		assert.False(t, stop(run), "only the latest step counts")
	}
	assert.Len(t, told, 3)
	_, err = StopWhen(Options{MaxSteps: MaxSteps{Limit: -1}}, nil)
	assert.Error(t, err)
}

func TestReplayLeavesTheGuardAlone(t *testing.T) {
	g := mustNew(t, Options{})
	g.Check(stepOf("a"))
	assert.True(t, g.Replay(scene("a a a")).Stop)
	assert.Equal(t, 1, g.Summary().Steps)
}

func TestHistoryIsACopy(t *testing.T) {
	g := mustNew(t, Options{})
	s := stepOf("a")
	g.Check(s)
	s.Calls[0].Name = "changed by the caller"
	h := g.History()
	assert.Equal(t, "a", h[0].Calls[0].Name)
	h[0].Text = "changed by the reader"
	assert.Empty(t, g.History()[0].Text)
	g.Reset()
	assert.Empty(t, g.History())
	assert.Nil(t, mustNew(t, Options{NoHistory: true}).History())
}

func TestCustomDetectors(t *testing.T) {
	var seen []int
	g := mustNew(t, Options{Custom: []Detector{
		func(h []Step, s Step) *CustomStop {
			seen = append(seen, len(h))
			assert.Equal(t, h[len(h)-1], s, "the current step is the last")
			return nil
		},
		callCap("delete", 1, "TOO_MANY_DELETES"),
	}})
	v := g.Check(stepOf("delete"))
	assert.False(t, v.Stop)
	v = g.Check(stepOf("delete"))
	assert.Equal(t, Verdict{
		Stop: true, Reason: ReasonCustom, Code: "TOO_MANY_DELETES", Detail: "2 calls of delete.",
		Evidence: Evidence{"calls": 2},
	}, v)
	assert.Equal(t, []int{1, 2}, seen)

	_, v = firstStop(t, Options{Custom: []Detector{func([]Step, Step) *CustomStop { return &CustomStop{} }}}, scene("a"))
	assert.Equal(t, CodeCustom, v.Code)
}

func TestAPanicInACustomDetectorReachesTheCaller(t *testing.T) {
	fail := true
	g := mustNew(t, Options{Custom: []Detector{func([]Step, Step) *CustomStop {
		if fail {
			panic("mine")
		}
		return nil
	}}})
	assert.PanicsWithValue(t, "mine", func() { g.Check(stepOf("a")) })
	fail = false
	g.Check(stepOf("a"))
	assert.Equal(t, CodeRepeatedToolCall, g.Check(stepOf("a")).Code, "the step was recorded all the same")
}

func TestFreshAndResetForget(t *testing.T) {
	g := mustNew(t, Options{})
	for _, s := range scene("a a a") {
		g.Check(s)
	}
	require.NotEmpty(t, g.Findings())
	assert.Equal(t, mustNew(t, Options{}).Summary(), g.Fresh().Summary())
	g.Reset()
	assert.Equal(t, mustNew(t, Options{}).Summary(), g.Summary())
}

func TestAmendWithoutAStepIsACheck(t *testing.T) {
	g := mustNew(t, Options{})
	g.Amend(StepDigest{})
	assert.Equal(t, 1, g.Summary().Steps)
}
