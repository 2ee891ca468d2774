// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Every shape tells the same story: the user asks, the model calls search with
// {"q":1}, the tool answers "found", and the model asks for it once more while
// it says "Let me look.".
func TestInputShapes(t *testing.T) {
	d := digester(t)
	tests := map[string]struct {
		doc      string
		id, name bool
	}{
		"conventions":         {`[{"role":"user","parts":[{"type":"text","content":"Why?"}]},{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"search","arguments":{"q":1}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"found"}]}]`, true, false},
		"result for response": {`[{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","result":"found"}]}]`, true, false},
		"openai chat":         {`[{"role":"user","content":"Why?"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"q\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"found"}]`, true, false},
		"openai in an object": {`{"model":"m","messages":[{"role":"user","content":"Why?"},{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"found"}]}]}`, true, false},
		"openai responses":    {`[{"role":"user","content":[{"type":"input_text","text":"Why?"}]},{"type":"function_call","id":"fc","call_id":"c1","name":"search","arguments":"{\"q\":1}"},{"type":"function_call_output","call_id":"c1","output":"found"}]`, true, false},
		"anthropic":           {`[{"role":"user","content":"Why?"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"search","input":{"q":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"found"}]}]}]`, true, false},
		"ai sdk":              {`[{"role":"user","content":[{"type":"text","text":"Why?"}]},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"search","input":{"q":1}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"search","output":{"type":"text","value":"found"}}]}]`, true, true},
		"ai sdk 4":            {`[{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"search","result":"found"}]}]`, true, true},
		"bedrock":             {`[{"role":"user","content":[{"toolResult":{"toolUseId":"c1","status":"success","content":[{"text":"found"}]}}]}]`, true, false},
		"gemini":              {`{"contents":[{"role":"user","parts":[{"text":"Why?"}]},{"role":"model","parts":[{"functionCall":{"name":"search","args":{"q":1}}}]},{"role":"user","parts":[{"functionResponse":{"name":"search","response":"found"}}]}]}`, false, true},
		"gemini python":       {`[{"role":"user","parts":[{"function_response":{"id":"c1","name":"search","response":"found"}}]}]`, true, true},
		"genkit":              {`{"messages":[{"role":"tool","content":[{"toolResponse":{"name":"search","ref":"c1","output":"found"}}]}]}`, true, true},
		"langchain js":        {`{"messages":[[{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"Why?"}},{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessageChunk"],"kwargs":{"content":"","tool_calls":[{"name":"search","args":{"q":1},"id":"c1"}]}},{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"found","tool_call_id":"c1","name":"search","status":"success"}}]]}`, true, true},
		"langchain python":    {`[{"type":"human","content":"Why?"},{"type":"ai","content":"","tool_calls":[{"name":"search","args":{"q":1},"id":"c1"}]},{"type":"tool","content":"found","tool_call_id":"c1","name":"search"}]`, true, true},
		"langchain data":      {`[{"type":"tool","data":{"content":"found","tool_call_id":"c1","name":"search"}}]`, true, true},
		"pydantic events":     {`[{"event.name":"gen_ai.user.message","content":"Why?","role":"user"},{"event.name":"gen_ai.tool.message","role":"tool","id":"c1","name":"search","content":"found"}]`, false, true},
		"python literal":      {`[{'role': 'user', 'content': 'Why?'}, {'role': 'tool', 'tool_call_id': 'c1', 'content': 'found', 'x': None}]`, true, false},
		"json in json":        {`"[{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"found\"}]"`, true, false},
		"list of json":        {`["{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"found\"}"]`, true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := chat(attrs{"gen_ai.input.messages": tt.doc}).fact(t)
			assert.True(t, f.HasMessages)
			assert.False(t, f.UserTurn, "it ends with a tool's result")
			want := Result{Outcome: d.Result("found")}
			if tt.id {
				want.ID = hashID("c1")
			}
			if tt.name {
				want.Name = "search"
			}
			assert.Equal(t, []Result{want}, f.Results)
		})
	}
}

func TestOutputShapes(t *testing.T) {
	d := digester(t)
	tests := map[string]struct {
		doc    string
		finish string
	}{
		"conventions":       {`[{"role":"assistant","parts":[{"type":"reasoning","content":"Hm"},{"type":"text","content":"Let me look."},{"type":"tool_call","id":"c1","name":"search","arguments":{"q":1}}],"finish_reason":"tool_call"}]`, "tool-calls"},
		"arguments as text": {`[{"role":"assistant","parts":[{"type":"text","content":"Let me look."},{"type":"tool_call","id":"c1","name":"search","arguments":"{\"q\":1}"}]}]`, ""},
		"openai chat":       {`{"id":"x","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"q\":1}"}}]}}],"usage":{"prompt_tokens":1}}`, "tool-calls"},
		"openai responses":  {`{"object":"response","status":"completed","output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me look."}]},{"type":"function_call","id":"fc","call_id":"c1","name":"search","arguments":"{\"q\":1}"}]}`, ""},
		"anthropic":         {`{"type":"message","role":"assistant","stop_reason":"tool_use","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"Let me look."},{"type":"tool_use","id":"c1","name":"search","input":{"q":1}}]}`, "tool-calls"},
		"gemini":            {`{"candidates":[{"content":{"role":"model","parts":[{"text":"Let me look."},{"functionCall":{"id":"c1","name":"search","args":{"q":1}}}]},"finishReason":"STOP"}]}`, "stop"},
		"adk":               {`{"content":{"role":"model","parts":[{"text":"Let me look."},{"functionCall":{"id":"c1","name":"search","args":{"q":1}}}]},"finish_reason":"MAX_TOKENS"}`, "length"},
		"genkit":            {`{"candidates":[{"index":0,"message":{"role":"model","content":[{"text":"Let me look."},{"toolRequest":{"name":"search","ref":"c1","input":{"q":1}}}]}}],"finishReason":"stop"}`, "stop"},
		"genkit message":    {`{"message":{"role":"model","content":[{"text":"Let me look."},{"toolRequest":{"name":"search","ref":"c1","input":{"q":1}}}]},"finishReason":"length"}`, "length"},
		"bedrock":           {`{"output":{"message":{"role":"assistant","content":[{"text":"Let me look."},{"toolUse":{"toolUseId":"c1","name":"search","input":{"q":1}}}]}},"stopReason":"tool_use"}`, "tool-calls"},
		"langchain":         {`{"generations":[[{"text":"Let me look.","message":{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"content":"Let me look.","tool_calls":[{"name":"search","args":{"q":1},"id":"c1"}],"additional_kwargs":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"q\":1}"}}]}}}}]]}`, ""},
		"langchain old":     {`{"lc":1,"type":"constructor","id":["langchain","schema","AIMessage"],"kwargs":{"content":"Let me look.","additional_kwargs":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"q\":1}"}}]}}}`, ""},
		"anthropic twice":   {`[{"type":"ai","content":[{"type":"text","text":"Let me look."},{"type":"tool_use","id":"c1","name":"search","input":{"q":1}}],"tool_calls":[{"name":"search","args":{"q":1},"id":"c1"}]}]`, ""},
		"strands":           {`[{"text":"Let me look."},{"type":"toolUse","name":"search","toolUseId":"c1","input":{"q":1}}]`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := chat(attrs{"gen_ai.output.messages": tt.doc}).fact(t)
			assert.Equal(t, []Call{{ID: hashID("c1"), Name: "search", Args: d.Args(`{"q":1}`)}}, f.Calls)
			assert.Equal(t, d.Text("Let me look."), f.Text)
			assert.Equal(t, tt.finish, f.Finish)
		})
	}
}

func TestServersToolsAndOldFunctionCalls(t *testing.T) {
	f := chat(attrs{"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"server_tool_call","id":"s","name":"web_search","server_tool_call":{"type":"web_search","query":"x"}},{"type":"server_tool_call_response","id":"s","server_tool_call_response":{}}]}]`}).fact(t)
	assert.Equal(t, "web_search", f.Calls[0].Name)
	assert.True(t, f.Calls[0].Args.Known())
	f = chat(attrs{"gen_ai.output.messages": `[{"role":"assistant","content":null,"function_call":{"name":"search","arguments":"{}"}}]`}).fact(t)
	assert.Equal(t, "search", f.Calls[0].Name)
}

func TestWhoSpeaksLast(t *testing.T) {
	for doc, user := range map[string]bool{
		`[{"role":"user","content":"Why?"}]`:                                                                                     true,
		`[{"role":"assistant","content":"x"},{"role":"user","content":"And?"}]`:                                                  true,
		`[{"role":"user","content":"Why?"},{"role":"system","content":"Be brief."}]`:                                             true,
		`[{"role":"user","content":"Why?"},{"role":"assistant","content":"x"}]`:                                                  false,
		`[{"role":"user","content":"Observation: found 3"}]`:                                                                     false,
		`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"x"},{"type":"text","text":"reminder"}]}]`: false,
		`[{"role":"system","content":"Be brief."}]`:                                                                              false,
		`Why?`:                                   true,
		`{"system":"Be brief.","prompt":"Why?"}`: true,
		`[]`:                                     false,
	} {
		assert.Equal(t, user, chat(attrs{"gen_ai.input.messages": doc}).fact(t).UserTurn, doc)
	}
}

func TestOnlyTheEndOfTheInputCounts(t *testing.T) {
	f := chat(attrs{"gen_ai.input.messages": `[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"tool","tool_call_id":"old","content":"x"},{"role":"assistant","content":"c"},{"role":"tool","tool_call_id":"new","content":"y"}]`}).fact(t)
	assert.Len(t, f.Results, 1)
	assert.Equal(t, hashID("new"), f.Results[0].ID)
}

func TestFailedAnswersInTheInput(t *testing.T) {
	for _, doc := range []string{
		`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","is_error":true,"content":"no such file"}]}]`,
		`[{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"f","output":{"type":"error-text","value":"no such file"}}]}]`,
		`[{"role":"user","content":[{"toolResult":{"toolUseId":"c","status":"error","content":[{"text":"no such file"}]}}]}]`,
		`[{"type":"tool","status":"error","tool_call_id":"c","content":"no such file"}]`,
	} {
		f := chat(attrs{"gen_ai.input.messages": doc}).fact(t)
		assert.Len(t, f.Results, 1, doc)
		assert.Equal(t, digester(t).Error("no such file"), f.Results[0].Outcome, doc)
	}
}

func TestACutOutputKeepsWholeCalls(t *testing.T) {
	doc := `[{"role":"assistant","parts":[{"type":"text","content":"Let me look."},{"type":"tool_call","id":"c1","name":"search","arguments":{"q":1}},{"type":"tool_call","id":"c2","name":"read","arguments":{"path":"/very/lo`
	f := chat(attrs{"gen_ai.output.messages": doc}).fact(t)
	assert.Len(t, f.Calls, 2)
	assert.True(t, f.Calls[0].Args.Known())
	assert.Equal(t, "read", f.Calls[1].Name)
	assert.False(t, f.Calls[1].Args.Known())
	assert.Zero(t, f.Text, "the text may have gone on")
	for i := range doc {
		f := chat(attrs{"gen_ai.output.messages": doc[:i], "gen_ai.input.messages": doc[:i]}).fact(t)
		assert.LessOrEqual(t, len(f.Calls), 2)
	}
}

func TestMaskedMessagesAreNotCaptured(t *testing.T) {
	for _, mask := range []string{"__REDACTED__", "[REDACTED]", "{}", "***", "HIDDEN:non-empty"} {
		f := chat(attrs{"gen_ai.input.messages": mask, "gen_ai.output.messages": mask}).fact(t)
		assert.False(t, f.HasMessages, mask)
		assert.Zero(t, f.Text, mask)
	}
	f := chat(attrs{"gen_ai.output.messages": `[{"role":"assistant","content":"The key is [REDACTED], and it has been so for as long as I can remember."}]`}).fact(t)
	assert.Zero(t, f.Text, "two masked texts are not one text")
	f = chat(attrs{"gen_ai.output.messages": `[{"role":"assistant","content":""}]`}).fact(t)
	assert.True(t, f.Text.Blank, "nothing said is something known")
}

func TestDeepDocumentsEnd(t *testing.T) {
	for _, doc := range []string{
		strings.Repeat("[", 5000), strings.Repeat(`{"messages":`, 3000), strings.Repeat(`[{"role":"user","content":`, 2000),
		strings.Repeat("[", 400) + strings.Repeat("]", 400), strings.Repeat(`{"kwargs":`, 300) + "1" + strings.Repeat("}", 300),
		strings.Repeat(`{"message":{"role":"user","data":`, 100) + "1" + strings.Repeat("}}", 100),
	} {
		f := chat(attrs{"gen_ai.input.messages": doc, "gen_ai.output.messages": doc, "gen_ai.tool.call.arguments": doc}).fact(t)
		assert.Empty(t, f.Calls)
	}
}

func TestFlattenedParts(t *testing.T) {
	f := newOne("", "llm", attrs{"openinference.span.kind": "LLM",
		"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.contents.1.message_content.text": "look.",
		"llm.output_messages.0.message.contents.0.message_content.text": "Let me", "llm.output_messages.0.message.contents.0.message_content.type": "text",
		"llm.output_messages.0.message.function_call_name": "search", "llm.output_messages.0.message.function_call_arguments_json": `{"q":1}`,
		"llm.input_messages.10.message.role": "tool", "llm.input_messages.10.message.tool_call_id": "c1", "llm.input_messages.10.message.name": "search", "llm.input_messages.10.message.content": "found",
		"llm.input_messages.9.message.role": "assistant", "llm.input_messages.9.message.content": "x",
		"llm.input_messages.x.message.role": "user", "llm.input_messages.9": "user", "llm.input_messages.99999999.message.role": "user",
		"llm.output_messages.0.message.tool_calls.x.tool_call.id": "no", "llm.output_messages.0.other.role": "no"}).fact(t)
	d := digester(t)
	assert.Equal(t, d.Text("Let me\nlook."), f.Text)
	assert.Equal(t, []Call{{Name: "search", Args: d.Args(`{"q":1}`)}}, f.Calls)
	assert.Equal(t, []Result{{ID: hashID("c1"), Name: "search", Outcome: d.Result("found")}}, f.Results)

	f = newOne("", "anthropic.chat", attrs{"llm.request.type": "chat", "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": `[{"type":"text","text":"Let me look."},{"type":"tool_use","id":"c1","name":"search","input":{"q":1}}]`}).fact(t)
	assert.Equal(t, d.Text("Let me look."), f.Text)
	assert.Len(t, f.Calls, 1)
}
