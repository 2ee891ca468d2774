// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Each test is named after what an emitter does to a reader.

func tool(extra attrs) one {
	a := attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
	for k, v := range extra {
		a[k] = v
	}
	return newOne("", "execute_tool search", a)
}

func chat(extra attrs) one {
	a := attrs{"gen_ai.operation.name": "chat"}
	for k, v := range extra {
		a[k] = v
	}
	return newOne("", "chat m", a)
}

func TestTrapNormalizerTurnsChainsIntoAgents(t *testing.T) {
	for _, native := range []attrs{{"openinference.span.kind": "CHAIN"}, {"traceloop.span.kind": "task"}, {"traceloop.span.kind": "workflow"}} {
		native["gen_ai.operation.name"] = "invoke_agent"
		assert.Equal(t, Container, newOne("", "x", native).fact(t).Kind, native)
	}
	native := attrs{"gen_ai.operation.name": "invoke_agent", "openinference.span.kind": "AGENT"}
	assert.Equal(t, Agent, newOne("", "x", native).fact(t).Kind)
	native = attrs{"gen_ai.operation.name": "invoke_agent", "traceloop.span.kind": "agent"}
	assert.Equal(t, Agent, newOne("", "x", native).fact(t).Kind)
}

func TestTrapGenericNamesOfOtherPeoplesSpans(t *testing.T) {
	for _, name := range []string{
		"chat", "chat room", "turn", "Turn left", "invocation", "call_llm", "step 1", "agent", "agent run", "complete", "reply", "running late", "Task: cleanup",
		"workflow.run", "workflow.execute", "node.execute", "node 7", "message.send", "tools/call", "execute_tool", "Tool Usage", "delegate work", "llm.chat",
	} {
		assert.Nil(t, newOne("shop", name, attrs{"session.id": "s", "input": "x", "output": "y", "error.type": "500", "name": "n", "success": false}).fact(t), name)
	}
	assert.Nil(t, newOne("shop", "GET /", attrs{"gen_ai.conversation.id": "c", "gen_ai.agent.name": "a"}).fact(t), "baggage on a web span")
	assert.Nil(t, newOne("", "", attrs{"": "x", "traceloop.association.properties.session_id": "s"}).fact(t))
}

func TestTrapSchemaInsteadOfArguments(t *testing.T) {
	for _, schema := range []string{`{"type":"object","properties":{"q":{"type":"string"}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","title":"x"}`} {
		f := newOne("", "search", attrs{"openinference.span.kind": "TOOL", "tool.parameters": schema}).fact(t)
		assert.False(t, f.Args.Known(), schema)
	}
	f := newOne("", "draw", attrs{"openinference.span.kind": "TOOL", "tool.parameters": `{"type":"object","colour":"red"}`}).fact(t)
	assert.True(t, f.Args.Known(), "an argument that happens to be called type")
}

func TestTrapMergedPseudoTool(t *testing.T) {
	facts := assertFacts(t, "adk.parallel", "adk tool get_job_status id args outcome", "adk ignored")
	assert.Empty(t, facts[1].Name)
}

func TestTrapEmptyObjectsWhereContentIsOff(t *testing.T) {
	assertFacts(t, "adk.off", "adk tool search id", "adk model model=gemini-2.5-flash conversation finish=stop usage=in:319,out:21")
	f := newOne("gcp.vertex.agent", "execute_tool now", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "now", "gcp.vertex.agent.tool_call_args": "{}", "gcp.vertex.agent.tool_response": `{"time":12}`}).fact(t)
	assert.True(t, f.Args.Known(), "a tool without arguments")
	assert.True(t, tool(attrs{"gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.result": "{}"}).fact(t).Args.Known(), "other dialects do not hide so")
}

func TestTrapMasksLookLikeEqualArguments(t *testing.T) {
	for _, mask := range []string{
		"__REDACTED__", "<elided>", "[REDACTED]", "***", "*****", "N/A", "", "  ", `"__REDACTED__"`, `{"query":"[REDACTED]"}`, `{"query":"***"}`, `{"to":"a@b.c","key":"[REDACTED:API_KEY]"}`, "[Scrubbed due to 'password']", "null",
	} {
		f := tool(attrs{"gen_ai.tool.call.arguments": mask, "gen_ai.tool.call.result": mask}).fact(t)
		assert.False(t, f.Args.Known(), mask)
		if mask != "null" {
			assert.False(t, f.Outcome.Known(), mask)
		}
	}
	for _, text := range []string{`{"query":"n/a values"}`, `{"query":"**bold**"}`, `{"re":"a***b"}`, `{"__RED":1}`} {
		assert.True(t, tool(attrs{"gen_ai.tool.call.arguments": text}).fact(t).Args.Known(), text)
	}
}

func TestTrapCutAttributes(t *testing.T) {
	for _, cut := range []string{`{"query":"very lo`, `[1,2`, `"half a str`, `{"a":1,`, "a long text ...[TRUNCATED]", "a long text… (truncated)", "more…", `{'query': 'py`, strings.Repeat("x", 1024), `{"a":"` + strings.Repeat("é", 60)} {
		f := tool(attrs{"gen_ai.tool.call.arguments": cut, "gen_ai.tool.call.result": cut}).fact(t)
		assert.False(t, f.Args.Known(), cut)
		assert.False(t, f.Outcome.Known(), cut)
	}
	for _, text := range []string{"[INFO] it's done", `"Hello" he said`, "2026-11-30T10:00:00Z started", "(see above)", "{braces} in text", "true", "tru", "12 monkeys", "loading..."} {
		assert.True(t, tool(attrs{"gen_ai.tool.call.result": text}).fact(t).Outcome.Known(), text)
	}
}

func TestTrapLongAttributesAreNotRead(t *testing.T) {
	r := newReader(t, Options{AttributeBytes: 100, HistoryBytes: 100})
	long := `{"q":"` + strings.Repeat("x", 100) + `"}`
	var f Fact
	require.True(t, tool(attrs{"gen_ai.tool.call.arguments": long, "gen_ai.tool.call.result": long, "error.message": long, "error.type": "X"}).read(r, &f))
	assert.False(t, f.Args.Known())
	assert.False(t, f.Outcome.Known())
	assert.True(t, f.Failed)
	message := `[{"role":"user","content":"` + strings.Repeat("x", 100) + `"}]`
	require.True(t, chat(attrs{"gen_ai.input.messages": message, "gen_ai.output.messages": message}).read(r, &f))
	assert.False(t, f.HasMessages)
	assert.False(t, f.UserTurn)
}

func TestTrapVolatileWrappersAroundArguments(t *testing.T) {
	want := digester(t).Args(`{"query":"queue full"}`)
	for _, wrapped := range []string{
		`{"query":"queue full"}`, `"{\"query\":\"queue full\"}"`, `"\"{\\\"query\\\":\\\"queue full\\\"}\""`,
		`{"args":[],"kwargs":{"query":"queue full"}}`, `{"args":["{\"query\":\"queue full\"}"]}`, `{"args":[{"query":"queue full"}],"kwargs":{}}`,
		`{"input_str":"{'query': 'queue full'}","tags":[],"metadata":{"langgraph_step":7,"run_id":"r7"},"inputs":{"query":"queue full"},"kwargs":{}}`,
		`{"input_str":"{'query': 'queue full'}","tags":[],"metadata":{},"inputs":null}`,
		`{"tool_name":"search","arguments":{"query":"queue full"}}`, `{"tool":"search","arguments":{"query":"queue full"}}`,
		`{"callId":"c77","name":"search","args":{"query":"queue full"},"isClientInitiated":false}`,
		`{"name":"search","args":{"query":"queue full"},"id":"c1","type":"tool_call"}`,
		`{'query': 'queue full'}`,
	} {
		assert.Equal(t, want, tool(attrs{"gen_ai.tool.call.arguments": wrapped}).fact(t).Args, wrapped)
	}
	own := `{"args":["a"],"kwargs":{"b":1},"more":2}`
	assert.Equal(t, digester(t).Args(own), tool(attrs{"gen_ai.tool.call.arguments": own}).fact(t).Args, "a tool's own arguments")
	masked := `{"args":["__REDACTED__"],"kwargs":{}}`
	assert.False(t, tool(attrs{"gen_ai.tool.call.arguments": masked}).fact(t).Args.Known())
}

func TestTrapCallIDsInsideResults(t *testing.T) {
	want := digester(t).Result(`{"hits":2}`)
	for _, wrapped := range []string{
		`{"hits":2}`, `"{\"hits\":2}"`,
		`{"output":{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"status":"success","content":"{\"hits\":2}","tool_call_id":"c77","name":"search","additional_kwargs":{},"response_metadata":{}}}}`,
		`{"content":"{\"hits\":2}","type":"tool","tool_call_id":"c78","id":null,"name":"search","artifact":null,"status":"success","additional_kwargs":{},"response_metadata":{}}`,
		`content='{"hits":2}' name='search' tool_call_id='c79'`, `"content='{\"hits\":2}' name='search' tool_call_id='c79'"`,
		`{"output":"{\"hits\":2}","kwargs":{"tags":["seq:step:1"]}}`,
		`[{"json":{"hits":2}}]`, `[{"text":"{\"hits\":2}"}]`, `[{"type":"text","text":"{\"hits\":2}"}]`,
		`{"content":[{"type":"text","text":"{\"hits\":2}"}],"isError":false}`, `{"type":"json","value":{"hits":2}}`,
		`{"toolUseId":"c1","status":"success","content":[{"json":{"hits":2}}]}`,
	} {
		f := tool(attrs{"gen_ai.tool.call.result": wrapped}).fact(t)
		assert.Equal(t, want, f.Outcome, wrapped)
		assert.False(t, f.Failed, wrapped)
	}
}

func TestTrapClassNamesAreNoTools(t *testing.T) {
	f := newOne("", "execute_tool DynamicStructuredTool", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "StructuredTool"}).fact(t)
	assert.False(t, f.NameKnown)
	f = newOne("", "execute_tool search docs", attrs{"gen_ai.operation.name": "execute_tool"}).fact(t)
	assert.False(t, f.NameKnown, "what follows the operation may be more than the name")
	f = newOne("", "DynamicTool", attrs{"openinference.span.kind": "TOOL"}).fact(t)
	assert.False(t, f.NameKnown)
}

func TestTrapIDsThatAreNone(t *testing.T) {
	for _, id := range []string{"", "unknown", "<not specified>", "search", "None", " search "} {
		assert.Zero(t, tool(attrs{"gen_ai.tool.call.id": id}).fact(t).CallID, id)
	}
	one, other := tool(attrs{"gen_ai.tool.call.id": "a"}).fact(t), tool(attrs{"gen_ai.tool.call.id": "b"}).fact(t)
	assert.NotEqual(t, one.CallID, other.CallID)
}

func TestTrapFailuresWithoutErrorStatus(t *testing.T) {
	for name, o := range map[string]one{
		"status":           tool(nil).status(ptrace.StatusCodeError, ""),
		"error.type":       tool(attrs{"error.type": "ValueError"}),
		"tool status":      tool(attrs{"gen_ai.tool.status": "error"}),
		"tool success":     tool(attrs{"gen_ai.tool.success": false}),
		"success":          tool(attrs{"success": false}),
		"success text":     tool(attrs{"success": "false"}),
		"level":            tool(attrs{"langfuse.observation.level": "ERROR"}),
		"outcome":          tool(attrs{"outcome": "ERROR"}),
		"logfire level":    tool(attrs{"logfire.level_num": 17}),
		"mcp":              tool(attrs{"gen_ai.tool.call.result": `{"content":[{"type":"text","text":"no"}],"isError":true}`}),
		"result error":     tool(attrs{"gen_ai.tool.call.result": `{"error":"no such file"}`}),
		"result status":    tool(attrs{"gen_ai.tool.call.result": `{"status":"error","message":"x"}`}),
		"tool message":     tool(attrs{"gen_ai.tool.call.result": `{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"status":"error","content":"Error: x","tool_call_id":"c"}}`}),
		"exception":        tool(nil).with("exception", attrs{"exception.type": "E", "exception.message": "boom"}),
		"langsmith status": newOne("langsmith", "search", attrs{"langsmith.span.kind": "tool"}).status(ptrace.StatusCodeOk, "").with("exception", attrs{"exception.message": "boom"}),
	} {
		f := o.fact(t)
		assert.True(t, f.Failed, name)
		assert.True(t, f.Outcome.Failed, name)
	}
	for name, o := range map[string]one{
		"plain":      tool(attrs{"gen_ai.tool.call.result": "Error: this is what the file says"}),
		"no error":   tool(attrs{"gen_ai.tool.call.result": `{"error":null,"data":1}`}),
		"empty":      tool(attrs{"gen_ai.tool.call.result": `{"error":"","errors":{}}`}),
		"false":      tool(attrs{"gen_ai.tool.call.result": `{"error":false}`}),
		"success":    tool(attrs{"success": true, "outcome": "SUCCESS", "logfire.level_num": 9, "gen_ai.tool.status": "success"}),
		"handled":    tool(nil).status(ptrace.StatusCodeOk, "").with("exception", attrs{"exception.message": "retried"}),
		"error text": tool(attrs{"gen_ai.tool.call.result": `{"error":{}}`}),
	} {
		assert.False(t, o.fact(t).Failed, name)
	}
}

func TestTrapErrorTextsComeFromManyPlaces(t *testing.T) {
	want := digester(t).Error("no such file: a.txt")
	for name, o := range map[string]one{
		"status":    tool(nil).status(ptrace.StatusCodeError, "no such file: a.txt"),
		"exception": tool(nil).status(ptrace.StatusCodeError, "no such file: a.txt\n    at read (a.js:1)").with("exception", attrs{"exception.type": "Error", "exception.message": "no such file: a.txt"}),
		"attribute": tool(attrs{"error.type": "_OTHER", "error.message": "no such file: a.txt"}),
		"result":    tool(attrs{"gen_ai.tool.call.result": `{"error":"no such file: a.txt"}`}),
		"content":   tool(attrs{"gen_ai.tool.status": "error", "gen_ai.tool.call.result": `[{"text":"no such file: a.txt"}]`}),
		"type":      tool(attrs{"error.type": "no such file: a.txt"}),
	} {
		assert.Equal(t, want, o.fact(t).Outcome, name)
	}
	for _, o := range []one{tool(attrs{"error.type": "_OTHER"}), tool(attrs{"error.type": "tool_error"}), tool(nil).status(ptrace.StatusCodeError, ""), tool(nil).status(ptrace.StatusCodeError, "__REDACTED__")} {
		f := o.fact(t)
		assert.True(t, f.Outcome.Failed)
		assert.False(t, f.Outcome.Known(), "that it failed says not how")
	}
}

func TestTrapHandoffsByException(t *testing.T) {
	message := "\n\nParentCommand\n    at RunnableCallable._controlBranch (state.js:775:47)"
	f := newOne("", "transfer_to_b", attrs{"openinference.span.kind": "TOOL", "input.value": "{}"}).
		status(ptrace.StatusCodeError, message).with("exception", attrs{"exception.message": message}).fact(t)
	assert.False(t, f.Failed)
	assert.False(t, f.Outcome.Failed)
	assert.True(t, f.Handoff)
	f = newOne("", "agent_a", attrs{"openinference.span.kind": "AGENT"}).status(ptrace.StatusCodeError, message).fact(t)
	assert.False(t, f.Failed)
	f = newOne("", "interrupt", attrs{"openinference.span.kind": "TOOL"}).with("exception", attrs{"exception.type": "langgraph.errors.GraphInterrupt"}).fact(t)
	assert.False(t, f.Failed)
	assert.True(t, newOne("", "x", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "b", "gen_ai.transfer.mode": "pass_control"}).fact(t).Handoff)
	assert.False(t, tool(nil).fact(t).Handoff)
}

func TestTrapNumbersSpelledTwiceCountOnce(t *testing.T) {
	u := chat(attrs{"gen_ai.usage.prompt_tokens": 5, "gen_ai.usage.input_tokens": 7, "ai.usage.promptTokens": 9, "gen_ai.usage.completion_tokens": 2, "gen_ai.usage.output_tokens": 3}).fact(t).Usage
	assert.Equal(t, Usage{Input: 7, Output: 3, Known: KnownInput | KnownOutput}, u)
}

func TestTrapNumbersThatAreNone(t *testing.T) {
	for _, v := range []any{-1, "-3", "NaN", "Inf", "", "many", "1e30", 1e30, 1_000_000_001, int64(math.MaxInt64), true, strings.Repeat("9", 50)} {
		assert.Zero(t, chat(attrs{"gen_ai.usage.input_tokens": v}).fact(t).Usage, v)
	}
	for _, v := range []any{12, 12.0, "12", " 12 ", "12.0", `"12"`} {
		assert.EqualValues(t, 12, chat(attrs{"gen_ai.usage.input_tokens": v}).fact(t).Usage.Input, v)
	}
	u := chat(attrs{"gen_ai.usage.input_tokens": 0}).fact(t).Usage
	assert.True(t, u.Has(KnownInput), "0 is a report")
	assert.False(t, u.Has(KnownInput|KnownOutput))
}

func TestTrapCachedTokensInsideOrOutside(t *testing.T) {
	inside := chat(attrs{"gen_ai.usage.input_tokens": 100, "gen_ai.usage.cache_read.input_tokens": 80, "gen_ai.usage.reasoning.output_tokens": 3, "gen_ai.usage.output_tokens": 9}).fact(t).Usage
	assert.EqualValues(t, 100, inside.Input)
	assert.EqualValues(t, 9, inside.Output)
	outside := chat(attrs{"gen_ai.usage.input_tokens": 8, "gen_ai.usage.cache_read_input_tokens": 80, "gen_ai.usage.cache_creation_input_tokens": 20}).fact(t).Usage
	assert.EqualValues(t, 108, outside.Input)
}

func TestTrapCosts(t *testing.T) {
	for key, v := range map[string]any{"operation.cost": 0.5, "gen_ai.usage.cost": "0.5", "litellm.cost.total": 0.5, "llm.cost.total": 0.5, "langfuse.observation.cost_details": `{"input":0.2,"total":0.5}`, "gen_ai.usage.cost.amount": 0.5} {
		assert.InDelta(t, 0.5, chat(attrs{key: v}).fact(t).Usage.Cost, 1e-9, key)
	}
	assert.InDelta(t, 0.5, chat(attrs{"gen_ai.usage.input_cost": 0.2, "gen_ai.usage.output_cost": 0.3}).fact(t).Usage.Cost, 1e-9)
	for _, v := range []any{-1, 1e308, 1_000_001, "1e7", math.Inf(1), math.NaN()} {
		assert.Zero(t, chat(attrs{"gen_ai.usage.cost": v}).fact(t).Usage, v)
		assert.Zero(t, chat(attrs{"gen_ai.usage.input_cost": v}).fact(t).Usage, v)
	}
}

func TestTrapAggregatesOnContainersOnly(t *testing.T) {
	model := chat(attrs{"gen_ai.aggregated_usage.input_tokens": 90, "gen_ai.usage.input_tokens": 9}).fact(t)
	assert.EqualValues(t, 9, model.Usage.Input)
}

func TestTrapFailedRequestsAreNoDecisions(t *testing.T) {
	assert.True(t, chat(nil).status(ptrace.StatusCodeError, "429").fact(t).Failed)
	assert.True(t, chat(attrs{"error.type": "timeout", "gen_ai.response.finish_reasons": []any{"error"}}).fact(t).Failed)
	assert.False(t, chat(attrs{"error.type": "timeout", "gen_ai.usage.output_tokens": 3}).fact(t).Failed)
	assert.False(t, chat(attrs{"error.type": "x", "gen_ai.output.messages": `[{"role":"assistant","content":"Half an answer"}]`}).fact(t).Failed)
	assert.False(t, chat(nil).fact(t).Failed)
}

func TestTrapSDKDropsTheLastAttributes(t *testing.T) {
	o := newOne("", "ChatOpenAI", attrs{"openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Why?"})
	assert.True(t, o.fact(t).UserTurn)
	o.span.SetDroppedAttributesCount(4)
	f := o.fact(t)
	assert.True(t, f.HasMessages)
	assert.False(t, f.UserTurn, "what came after the question was dropped")
	o.span.Attributes().PutStr("input.value", `[{"role":"user","content":"Why?"},{"type":"function_call","callId":"c","name":"f","arguments":"{}"},{"type":"function_call_result","callId":"c","output":{"type":"text","text":"done"}}]`)
	f = o.fact(t)
	require.Len(t, f.Results, 1)
	assert.Equal(t, digester(t).Result("done"), f.Results[0].Outcome)
}

func TestTrapConversationInManyPlaces(t *testing.T) {
	want := chat(attrs{"gen_ai.conversation.id": "t-1"}).fact(t).Conversation
	require.NotZero(t, want)
	for key, v := range map[string]any{"gen_ai.conversation.id": "t-1", "session.id": "t-1", "metadata": `{"langgraph_step":1,"thread_id":"t-1"}`, "langsmith.metadata.thread_id": "t-1", "ai.telemetry.metadata.sessionId": "t-1"} {
		assert.Equal(t, want, chat(attrs{key: v}).fact(t).Conversation, key)
	}
	o := chat(attrs{"gen_ai.conversation.id": ""})
	o.res.Attributes().PutStr("session.id", "t-1")
	assert.Equal(t, want, o.fact(t).Conversation, "on the resource")
	o.res.Attributes().PutEmptyMap("session.id")
	assert.Zero(t, o.fact(t).Conversation, "no text")
	assert.Zero(t, chat(attrs{"gen_ai.conversation.id": "unknown", "metadata": "{}"}).fact(t).Conversation)
}

func TestTrapConversationsOfOtherServices(t *testing.T) {
	held := func(by attrs) uint64 {
		o := chat(attrs{"gen_ai.conversation.id": "1"})
		require.NoError(t, o.res.Attributes().FromRaw(by))
		return o.fact(t).Conversation
	}
	shop := held(attrs{"service.namespace": "eu", "service.name": "shop", "deployment.environment.name": "live"})
	assert.Equal(t, shop, held(attrs{"service.namespace": "eu", "service.name": "shop", "deployment.environment": "live", "service.instance.id": "7"}))
	for name, by := range map[string]attrs{
		"another service":     {"service.namespace": "eu", "service.name": "bank", "deployment.environment.name": "live"},
		"another namespace":   {"service.namespace": "us", "service.name": "shop", "deployment.environment.name": "live"},
		"another environment": {"service.namespace": "eu", "service.name": "shop", "deployment.environment.name": "test"},
		"parts moved":         {"service.namespace": "", "service.name": "eushop", "deployment.environment.name": "live"},
		"nobody":              {},
	} {
		assert.NotEqual(t, shop, held(by), name)
	}
	o := chat(nil)
	o.res.Attributes().PutStr("service.name", "shop")
	assert.Zero(t, o.fact(t).Conversation)
}

func TestTrapAgentNames(t *testing.T) {
	for span, want := range map[string]string{"invoke_agent planner": "planner", "invoke_agent gpt-4o": "", "invoke_agent": ""} {
		f := newOne("", span, attrs{"gen_ai.operation.name": "invoke_agent", "gen_ai.request.model": "gpt-4o"}).fact(t)
		assert.Equal(t, want, f.Name, span)
	}
	f := newOne("", "x", attrs{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "  " + strings.Repeat("ü", 200)}).fact(t)
	assert.Equal(t, strings.Repeat("ü", 128), f.Name)
}

func TestTrapEmptyResults(t *testing.T) {
	nothing := digester(t).Result("")
	require.True(t, nothing.Known())
	f := newOne("", "sh", attrs{"openinference.span.kind": "TOOL", "input.value": `{"cmd":"true"}`, "output.value": ""}).fact(t)
	assert.Equal(t, nothing, f.Outcome, "the tool said nothing")
	f = newOne("", "sh", attrs{"openinference.span.kind": "TOOL", "input.value": "", "output.value": ""}).fact(t)
	assert.False(t, f.Outcome.Known(), "nothing was captured")
	f = newOne("", "sh", attrs{"openinference.span.kind": "TOOL", "input.value": `{"cmd":"true"}`}).fact(t)
	assert.False(t, f.Outcome.Known(), "no result was captured")
	f = newOne("", "llm", attrs{"openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "tool", "llm.input_messages.0.message.tool_call_id": "c", "llm.input_messages.0.message.content": ""}).fact(t)
	assert.Equal(t, nothing, f.Results[0].Outcome)
}
