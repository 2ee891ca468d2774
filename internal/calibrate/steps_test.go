// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

func TestAUserMessageIsABoundary(t *testing.T) {
	steps := sample(t, "taubench")["t#1"].steps()
	require.Len(t, steps, 3)
	assert.Equal(t, []bool{true, false, true}, []bool{steps[0].Boundary, steps[1].Boundary, steps[2].Boundary})
	assert.Equal(t, []string{"tool_calls", "stop", ""}, []string{steps[0].FinishReason, steps[1].FinishReason, steps[2].FinishReason})
	assert.Empty(t, steps[0].Text, "null stands for no text")
	assert.False(t, steps[0].TextUnknown)
	assert.Equal(t, "Your name is X.", steps[1].Text)
	assert.True(t, steps[2].TextUnknown, "no message was recorded for the call after the user's")
}

func TestContentIsReadAsInSpans(t *testing.T) {
	tau, intercode := sample(t, "taubench")["t#1"].steps(), sample(t, "intercode")
	tests := []struct {
		name string
		got  guard.ToolCall
		want guard.ToolCall
	}{
		{"JSON is JSON", tau[0].Calls[0], guard.ToolCall{
			Name: "get_user", Args: json.RawMessage(`{"id":"x"}`), Result: json.RawMessage(`{"name": "X"}`)}},
		{"null was not recorded", tau[2].Calls[0], guard.ToolCall{
			Name: "get_user", Args: json.RawMessage(`{"id":"x"}`), Result: guard.Unknown}},
		{"the result is the whole error", intercode["sql#1"].steps()[0].Calls[0], guard.ToolCall{
			Name: "sql", Args: json.RawMessage(`{"command":"select 1 from t"}`), Error: "Unknown table 't'"}},
		{"without a result, its mark", intercode["bash#1"].steps()[0].Calls[0], guard.ToolCall{
			Name: "bash", Args: json.RawMessage(`{"command":"ls | grep x"}`), Error: "error"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, tt.got) })
	}
}

func TestCallsBeforeAnyMessageAreOneStep(t *testing.T) {
	r := sample(t, "intercode")["sql#2"]
	steps := r.steps()
	require.Len(t, steps, 1)
	assert.Len(t, steps[0].Calls, 10)
	assert.Equal(t, 10, r.calls())
}
