// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMessagesAreCapturedWithTheirContentOnly(t *testing.T) {
	for _, key := range []string{"gen_ai.input.messages", "gen_ai.output.messages"} {
		for _, off := range []string{
			"", "__REDACTED__", "{}",
			`[{"role":"assistant","parts":[{"type":"text"}],"finish_reason":"stop"}]`, // Pydantic AI
			`[{"role":"assistant","parts":[{"type":"thinking"},{"type":"text"},{"type":"tool_call","id":"c","name":"f"}]}]`,
			`[{"role":"tool","parts":[{"type":"tool_call_response","id":"c","name":"f"}]}]`,
			`[{"role":"assistant","finish_reason":"stop"}]`,
			`[{"role":"assistant","content":"[REDACTED]"}]`,
		} {
			f := chat(attrs{key: off, "gen_ai.response.finish_reasons": []any{"stop"}}).fact(t)
			assert.False(t, f.HasMessages, off)
			assert.False(t, f.HasContent, off)
			assert.Zero(t, f.Text, off)
		}
		for _, on := range []string{
			`[{"role":"assistant","content":"Hi"}]`, `[{"role":"assistant","content":""}]`, `[{"role":"assistant","content":null}]`, `[{"role":"assistant","parts":[]}]`,
			`[{"role":"assistant","parts":[{"type":"reasoning","content":"Hm"}]}]`,
			`[{"role":"assistant","parts":[{"type":"tool_call","name":"f","arguments":{}}]}]`, `[{"role":"assistant","cont`, "Hi",
		} {
			assert.True(t, chat(attrs{key: on}).fact(t).HasMessages, on)
		}
	}
	hidden := attrs{"openinference.span.kind": "LLM", "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "__REDACTED__"}
	assert.False(t, newOne("", "llm", hidden).fact(t).HasMessages)
	hidden["llm.output_messages.0.message.content"] = ""
	assert.True(t, newOne("", "llm", hidden).fact(t).HasMessages, "the model said nothing")
	event := chat(nil).with("gen_ai.choice", attrs{"finish_reason": "stop", "message": `{"role":"assistant"}`}).fact(t)
	assert.False(t, event.HasMessages)
	assert.Equal(t, FinishStop, event.Finish)
}

// LangSmith writes {} for hidden arguments; a call that failed has no result
// that would be hidden as well.
func TestHiddenArgumentsOfAFailedCallAreUnknown(t *testing.T) {
	hidden := attrs{"langsmith.span.kind": "tool", "gen_ai.tool.name": "flaky", "gen_ai.prompt": "{}"}
	f := newOne("langsmith", "flaky", hidden).with("exception", attrs{"exception.type": "Error", "exception.message": "HTTP 504"}).fact(t)
	assert.False(t, f.Args.Known())
	assert.True(t, f.Outcome.Failed)
	hidden["gen_ai.completion"] = `{"output":"up"}`
	assert.True(t, newOne("langsmith", "flaky", hidden).fact(t).Args.Known(), "a tool without parameters")
}
