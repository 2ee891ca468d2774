// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

func TestEcho(t *testing.T) {
	d, err := guard.NewDigester(guard.Sameness{})
	assert.NoError(t, err)
	words := d.Text("I will write it now.").Print
	tests := []struct {
		name, input string
		want        uint64
	}{
		{"the model's last words", `[{"role":"user","content":"Write it."},{"role":"assistant","content":"I will  write it now."},{"role":"user","content":"Go on."}]`, words},
		{"words beside a call", `[{"role":"assistant","content":"I will write it now.","tool_calls":[{"id":"1","function":{"name":"write","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"done"}]`, 0},
		{"no words of the model's", `[{"role":"user","content":"Write it."}]`, 0},
		{"masked words", `[{"role":"assistant","content":"__REDACTED__"},{"role":"user","content":"Go on."}]`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newOne("", "chat", attrs{"gen_ai.operation.name": "chat", "gen_ai.input.messages": tt.input}).fact(t)
			assert.Equal(t, tt.want, f.Echo)
		})
	}
}

func TestOutputThatCameToNothing(t *testing.T) {
	with := func(finish string, more attrs) *Fact {
		a := attrs{"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": []any{finish}}
		for k, v := range more {
			a[k] = v
		}
		return newOne("", "chat", a).fact(t)
	}
	nothing := attrs{"gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 0}
	assert.True(t, with("unknown", nothing).Text.Blank)
	assert.NotZero(t, with("unknown", nothing).Text.Print)
	assert.Zero(t, with("tool_calls", nothing).Text.Print, "the calls may be hidden")
	assert.Zero(t, with("unknown", attrs{"gen_ai.usage.output_tokens": 4}).Text.Print)
	assert.Zero(t, with("unknown", nil).Text.Print)
}

func TestRoleAndFinishAreNoOutput(t *testing.T) {
	f := newOne("", "openai.chat", attrs{
		"llm.request.type": "chat", "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.finish_reason": "tool_calls",
	}).fact(t)
	assert.Zero(t, f.Text.Print)
	assert.Equal(t, FinishToolCalls, f.Finish)
	f = newOne("", "openai.chat", attrs{
		"llm.request.type": "chat", "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "",
	}).fact(t)
	assert.True(t, f.Text.Blank)
	assert.NotZero(t, f.Text.Print)
}

func TestHandoffNames(t *testing.T) {
	for name, want := range map[string]bool{
		"transfer_to_billing": true, "transfer_back_to_supervisor": true, "handoff_to_b": true, "hand_over": true, "handover": true,
		"hand_off_to_agent": true, "transfer_money": false, "search": false, "second_hand_offers": false,
	} {
		f := newOne("", "x", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}).fact(t)
		assert.Equal(t, want, f.Handoff, name)
	}
	f := newOne("", "chat", attrs{
		"gen_ai.operation.name":  "chat",
		"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"tool_call","id":"1","name":"transfer_to_b","arguments":{}}]}]`,
	}).fact(t)
	assert.True(t, f.Calls[0].Handoff)
}
