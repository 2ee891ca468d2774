// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Findings name their tools however many the run has, and long after.
func TestToolsOfLongRuns(t *testing.T) {
	for name, o := range map[string]Options{
		"seed": {MaxSteps: MaxSteps{Off: true}, NoProgress: NoProgress{Off: true}}, "retrospective": Retrospective(),
	} {
		g := mustNew(t, o)
		step := func(tool string) Step {
			return Step{Calls: []ToolCall{{Name: tool, Args: 1, Result: "the same all over again, and long enough to tell"}}}
		}
		others := func(from int) {
			for i := range 1100 {
				g.Check(step(fmt.Sprint("t", from+i)))
			}
		}
		others(0)
		for _, tool := range []string{"late", "late", "late", "x", "y", "x", "y", "x", "y"} {
			if v := g.Check(step(tool)); v.Stop {
				assert.NotContains(t, fmt.Sprint(v.Detail, v.Evidence), "?", name)
			}
		}
		others(5000)
		g.End()
		findings := g.Findings()
		assert.Equal(t, "late", findings[0].Evidence["tool"], name)
		for _, f := range findings {
			assert.NotContains(t, fmt.Sprint(f.Detail, f.Evidence), "?", name)
		}
		assert.Less(t, len(g.tools)+len(g.others.young)+len(g.others.old), toolsKept+3*namesKept, name)
	}
}

// The seed knows no limit on names; Retrospective keeps their beginnings.
func TestLongToolNames(t *testing.T) {
	long := strings.Repeat("x", 100)
	for want, o := range map[string]Options{long: {}, long[:nameBytes]: Retrospective()} {
		g := mustNew(t, o)
		var v Verdict
		for range 3 {
			v = g.Check(Step{Calls: []ToolCall{{Name: long, Args: 1, Result: 1}}})
		}
		assert.Equal(t, want, v.Evidence["tool"])
		assert.Equal(t, map[string]int{want: 3}, g.Summary().Tools)
	}
}

// What is null in JSON is no error, whatever its Go type.
func TestNullErrors(t *testing.T) {
	var none *json.SyntaxError
	var failed error = none
	for _, null := range []any{nil, json.RawMessage("null"), json.RawMessage(" null "), failed, (*int)(nil), map[string]any(nil)} {
		g := mustNew(t, Options{RepeatedToolCall: RepeatedToolCall{IgnoreErrors: true}, NoProgress: NoProgress{Off: true}})
		var v Verdict
		for range 3 {
			v = g.Check(Step{Calls: []ToolCall{{Name: "a", Args: 1, Result: 2, Error: null}}})
		}
		assert.Equal(t, CodeRepeatedToolCall, v.Code, "%T", null)
		assert.Equal(t, true, v.Evidence["identical_results"], "%T", null)
		assert.Zero(t, g.Summary().ToolErrors, "%T", null)
	}
	for _, text := range []any{"null", json.RawMessage(`"null"`), Unknown, 0, false} {
		g := mustNew(t, Options{})
		g.Check(Step{Calls: []ToolCall{{Name: "a", Error: text}}})
		assert.Equal(t, 1, g.Summary().ToolErrors, "%T", text)
	}
}

// Evidence names every step of a streak that has just reached its threshold.
func TestStepsOfHighThresholds(t *testing.T) {
	for name, o := range map[string]Options{"seed": {}, "retrospective": Retrospective()} {
		o.RepeatedToolCall.Threshold, o.NoProgress.Off, o.RecurringCall.Off = 20, true, true
		g := mustNew(t, o)
		step := Step{Calls: []ToolCall{{Name: "a", Args: 1, Result: 1}}}
		var all []int
		for i := range 20 {
			all = append(all, i)
			v := g.Check(step)
			require.Equal(t, i == 19, v.Stop, name)
			if v.Stop {
				assert.Equal(t, all, v.Evidence["step_indexes"], name)
			}
		}
		data, err := g.Snapshot()
		require.NoError(t, err)
		restored := mustNew(t, o)
		require.NoError(t, restored.Restore(data))
		assert.Equal(t, all, restored.Findings()[0].Evidence["step_indexes"], name)
		next := restored.rules.digester.Step(step)
		restored.CheckDigest(next)
		restored.Amend(StepDigest{})
		restored.Amend(next)
		if o.retrospective {
			assert.Equal(t, append(all[1:], 20), restored.Findings()[0].Evidence["step_indexes"], name)
		}
	}
}
