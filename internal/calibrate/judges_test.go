// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// scene reads "tool=result" words, one step each; "U:" before one is a user's
// message, "." ends the turn with a plain stop.
func scene(text string) []step {
	var list []step
	for word := range strings.FieldsSeq(text) {
		if word == "." {
			list = append(list, step{Step: guard.Step{Text: "Done.", FinishReason: "stop"}})
			continue
		}
		word, boundary := strings.CutPrefix(word, "U:")
		tool, result, _ := strings.Cut(word, "=")
		call := guard.ToolCall{Name: tool, Args: "x", Result: result}
		list = append(list, step{Step: guard.Step{Calls: []guard.ToolCall{call}, Boundary: boundary}, TextUnknown: boundary})
	}
	return list
}

func TestJudges(t *testing.T) {
	j, err := newJudges()
	require.NoError(t, err)
	type alarms struct{ guard, seeds, sloth, inARow bool }
	tests := []struct {
		name, run string
		want      alarms
	}{
		{"a loop", "a=1 a=1 a=1", alarms{true, true, true, true}},
		{"two are none", "a=1 a=1 b=1", alarms{}},
		{"progress is none to those who look at results", "a=1 a=2 a=3", alarms{false, true, true, true}},
		{"a user's message in between", "a=1 a=1 U:a=1", alarms{false, false, false, true}},
		{"a turn that ended", "a=1 a=1 . U:a=1", alarms{false, false, false, true}},
		{"a cycle", "a=1 b=2 a=1 b=2 a=1 b=2", alarms{true, true, false, false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			steps := scene(tt.run)
			stop := worst(j.retrospective(judgeStop, j.digest(steps))) == guard.Stop
			got := alarms{stop, j.agentLoopguard(steps), j.gauntSloth(steps), j.identicalInARow(steps)}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestSettings(t *testing.T) {
	j, err := newJudges()
	require.NoError(t, err)
	var failing []step
	for _, text := range []string{"a", "b", "c", "d", "e"} {
		call := guard.ToolCall{Name: "t", Args: text, Error: "cannot find " + text}
		failing = append(failing, step{Step: guard.Step{Calls: []guard.ToolCall{call}}})
	}
	tests := []struct {
		name  string
		steps []step
		want  []bool // for each setting
	}{
		{"five different errors", failing, []bool{true, false, true, false, true}},
		{"a call between others", scene("a=1_error b=1 a=1_error c=1 a=1_error d=1"), []bool{false, true, true, false, false}},
		{"a call three times", scene("a=1 a=1 a=1"), []bool{true, true, true, false, false}},
		{"four times", scene("a=1 a=1 a=1 a=1"), []bool{true, true, true, true, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []bool
			for _, s := range settings {
				got = append(got, worst(j.retrospective(s.name, j.digest(tt.steps))) == guard.Stop)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestSimilarInARow(t *testing.T) {
	call := func(tool, args string) step {
		return step{Step: guard.Step{Calls: []guard.ToolCall{{Name: tool, Args: json.RawMessage(args)}}}}
	}
	tests := []struct {
		name  string
		steps []step
		want  bool
	}{
		{"other order of words", []step{call("s", `{"q":"hotels in Rome"}`), call("s", `{"q":"Rome hotels in"}`), call("s", `{"q":"in rome: hotels"}`)}, true},
		{"half in common", []step{call("s", `{"q":"a b"}`), call("s", `{"q":"a c"}`), call("s", `{"q":"a d"}`)}, false},
		{"another tool", []step{call("s", `{"q":"a"}`), call("t", `{"q":"a"}`), call("s", `{"q":"a"}`)}, false},
		{"no arguments", []step{call("s", `{}`), call("s", `{}`), call("s", `{}`)}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, (&judges{}).similarInARow(tt.steps)) })
	}
}

func TestALimitIsNoRepetition(t *testing.T) {
	j, err := newJudges()
	require.NoError(t, err)
	run := ""
	for i := range 60 {
		run += strings.Repeat("a", i+1) + "=1 "
	}
	assert.False(t, j.agentLoopguard(scene(run)))
}

func TestWhatAMissedRunRepeats(t *testing.T) {
	failed := func(args ...string) (list []step) {
		for _, a := range args {
			call := guard.ToolCall{Name: "a", Args: a, Error: "no"}
			list = append(list, step{Step: guard.Step{Calls: []guard.ToolCall{call}}})
		}
		return list
	}
	tests := []struct {
		name  string
		steps []step
		want  repetition
	}{
		{"nothing", scene("a=1 a=2 b=1"), nothingRepeats},
		{"a call twice", scene("a=1 b=1 a=1"), callTwice},
		{"thrice", scene("a=1 b=1 a=1 c=1 a=1"), callThrice},
		{"an error twice", failed("x", "y"), errorTwice},
		{"thrice, whatever the arguments", failed("x", "y", "z"), errorThrice},
		{"a failed call", failed("x", "y", "x"), callTwice},
		{"outcomes that were not recorded", []step{{Step: guard.Step{Calls: []guard.ToolCall{
			{Name: "a", Args: "x", Result: guard.Unknown}, {Name: "a", Args: "x", Result: guard.Unknown}}}}}, nothingRepeats},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, repetitionIn(tt.steps)) })
	}
}
