// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

type attrs = map[string]any

// with adds an event to a span.
func (o one) with(event string, a attrs) one {
	e := o.span.Events().AppendEmpty()
	e.SetName(event)
	if err := e.Attributes().FromRaw(a); err != nil {
		panic(err)
	}
	return o
}

func (o one) status(c ptrace.StatusCode, message string) one {
	o.span.Status().SetCode(c)
	o.span.Status().SetMessage(message)
	return o
}

func (o one) kind(k ptrace.SpanKind) one {
	o.span.SetKind(k)
	return o
}

// fact reads a span with the default options; nil if it is not ours.
func (o one) fact(t testing.TB) *Fact {
	t.Helper()
	f := new(Fact)
	if !o.read(newReader(t, Options{}), f) {
		return nil
	}
	return f
}

// Spans as the named emitters write them, built from their sources where no
// recording is at hand.
func TestDialects(t *testing.T) {
	const q = `{"query":"queue full"}`
	tests := []struct {
		name string
		span one
		want string
	}{
		// OpenTelemetry, the eras.
		{"otel 1.26", newOne("", "chat gpt-4", attrs{"gen_ai.system": "openai", "gen_ai.request.model": "gpt-4", "gen_ai.usage.prompt_tokens": 7, "gen_ai.usage.completion_tokens": 3, "gen_ai.completion": `[{"role":"assistant","content":"Hi there"}]`}),
			"otel model model=gpt-4 usage=in:7,out:3 text=2 messages"},
		{"otel 1.36 events", newOne("", "chat gpt-4", attrs{"gen_ai.operation.name": "chat", "gen_ai.system": "openai"}).
			with("gen_ai.user.message", attrs{"content": "Find it", "role": "user"}).
			with("gen_ai.assistant.message", attrs{"tool_calls": `[{"id":"c1","type":"function","function":{"name":"search","arguments":"{}"}}]`}).
			with("gen_ai.tool.message", attrs{"id": "c1", "content": "found"}).
			with("gen_ai.choice", attrs{"index": 0, "finish_reason": "tool_calls", "message": `{"role":"assistant","tool_calls":[{"id":"c2","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]}`}),
			"otel model finish=tool-calls text=0 call=read+id+args answer=+id+outcome messages"},
		{"otel content events", newOne("", "chat gpt-4", attrs{"gen_ai.operation.name": "chat"}).
			with("gen_ai.content.prompt", attrs{"gen_ai.prompt": `[{"role":"user","content":"Hello"}]`}).
			with("gen_ai.content.completion", attrs{"gen_ai.completion": `[{"role":"assistant","content":"Hello yourself"}]`}),
			"otel model text=2 user messages"},
		{"otel 1.37 detail event", newOne("", "chat m", attrs{"gen_ai.operation.name": "chat"}).
			with("gen_ai.client.inference.operation.details", attrs{"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"Q"}]}]`, "gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"A"}],"finish_reason":"stop"}]`}),
			"otel model finish=stop text=1 user messages"},
		{"otel structured messages", newOne("", "chat m", attrs{"gen_ai.operation.name": "chat",
			"gen_ai.output.messages": []any{attrs{"role": "assistant", "parts": []any{attrs{"type": "tool_call", "id": "c1", "name": "search", "arguments": attrs{"query": "queue full"}}}}}}),
			"otel model text=0 call=search+id+args messages"},
		{"otel 0.1.0 workflow", newOne("", "invoke_workflow router", attrs{"gen_ai.operation.name": "invoke_workflow", "gen_ai.agent.name": "router", "gen_ai.usage.cache_write.input_tokens": 2, "gen_ai.usage.input_tokens": 9}),
			"otel agent router usage=in:9,write:2"},
		{"otel 1.41 workflow", newOne("", "invoke_workflow router", attrs{"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "router"}), "otel agent router"},
		{"otel tool before 1.37", newOne("", "execute_tool search", attrs{"gen_ai.tool.name": "search", "gen_ai.tool.call.id": "c1"}), "otel tool search id"},
		{"otel embeddings", newOne("", "embeddings e", attrs{"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "e", "gen_ai.usage.input_tokens": 5}), "otel embedding model=e usage=in:5"},
		{"otel create_agent", newOne("", "create_agent a", attrs{"gen_ai.operation.name": "create_agent"}), "otel ignored"},
		{"otel unknown operation", newOne("", "x", attrs{"gen_ai.operation.name": "search_memory"}), "otel container x"},
		{"otel openai-agents contrib", newOne("", "execute_tool search", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.call.arguments": attrs{"query": "queue full"}, "gen_ai.tool.call.result": "nothing found"}), "otel tool search args outcome"},
		{"google-genai functions", newOne("", "execute_tool get", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get", "code.function.parameters.id.value": "7", "code.function.parameters.id.type": "int"}), "otel tool get args"},

		// MCP.
		{"mcp client", newOne("", "tools/call search", attrs{"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}).kind(ptrace.SpanKindClient), "mcp tool search transport"},
		{"mcp server error", newOne("mcp-python-sdk", "tools/call search", attrs{"mcp.method.name": "tools/call", "gen_ai.tool.name": "search", "error.type": "tool_error"}).kind(ptrace.SpanKindServer), "mcp tool search transport failed"},
		{"mcp python client by name", newOne("mcp-python-sdk", "MCP send tools/call search", attrs{"mcp.method.name": "tools/call", "jsonrpc.request.id": "1"}).kind(ptrace.SpanKindClient), "mcp tool ?search transport"},
		{"mcp attributes on the framework's span", newOne("", "execute_tool search", attrs{"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}).kind(ptrace.SpanKindInternal), "mcp tool search"},
		{"mcp list", newOne("", "tools/list", attrs{"mcp.method.name": "tools/list"}), "mcp ignored"},
		{"logfire mcp", newOne("logfire.mcp", "MCP request: tools/call joker", attrs{"rpc.method": "tools/call", "request": "{}"}).kind(ptrace.SpanKindClient), "pydantic_ai tool ?joker transport"},

		// Traceloop.
		{"traceloop decorator tool", newOne("traceloop.sdk", "search.tool", attrs{"traceloop.span.kind": "tool", "traceloop.entity.name": "search", "traceloop.entity.input": `{"args":[],"kwargs":` + q + `}`, "traceloop.entity.output": `"found"`}), "traceloop tool search args outcome"},
		{"traceloop agent", newOne("traceloop.sdk", "planner.agent", attrs{"traceloop.span.kind": "agent", "traceloop.entity.name": "planner", "traceloop.entity.input": `{"args":["Plan it"],"kwargs":{}}`, "traceloop.association.properties.session_id": "s"}), "traceloop agent planner args conversation user messages"},
		{"traceloop old model", newOne("opentelemetry.instrumentation.openai.v1", "openai.chat", attrs{"llm.request.type": "chat", "gen_ai.system": "openai", "gen_ai.request.model": "gpt-4o", "gen_ai.usage.prompt_tokens": 8, "gen_ai.usage.completion_tokens": 2, "llm.usage.total_tokens": 10,
			"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Find it", "gen_ai.prompt.1.role": "assistant", "gen_ai.prompt.1.tool_calls.0.id": "c1", "gen_ai.prompt.1.tool_calls.0.name": "search", "gen_ai.prompt.1.tool_calls.0.arguments": q,
			"gen_ai.prompt.2.role": "tool", "gen_ai.prompt.2.tool_call_id": "c1", "gen_ai.prompt.2.content": "found",
			"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.finish_reason": "tool_calls", "gen_ai.completion.0.tool_calls.1.name": "read", "gen_ai.completion.0.tool_calls.1.id": "c3", "gen_ai.completion.0.tool_calls.0.id": "c2", "gen_ai.completion.0.tool_calls.0.name": "search", "gen_ai.completion.0.tool_calls.0.arguments": q}),
			"traceloop model model=gpt-4o finish=tool-calls usage=in:8,out:2,total:10 text=0 call=search+id+args call=read+id answer=+id+outcome messages"},
		{"traceloop mcp", newOne("opentelemetry.instrumentation.mcp", "search.tool", attrs{"traceloop.span.kind": "tool", "traceloop.entity.input": `{"tool_name":"search","arguments":` + q + `}`}), "traceloop tool search args"},
		{"traceloop llamaindex", newOne("opentelemetry.instrumentation.llamaindex", "call_tool.task", attrs{"traceloop.span.kind": "task", "tool.name": "search", "tool.arguments": q}), "traceloop tool search args"},
		{"traceloop python langchain", newOne("opentelemetry.instrumentation.langchain", "execute_tool search", attrs{"gen_ai.operation.name": "execute_tool", "traceloop.span.kind": "tool", "gen_ai.tool.name": "search",
			"gen_ai.tool.call.arguments": `{"input_str":"{'query': 'queue full'}","tags":[],"metadata":{"langgraph_step":3,"run_id":"77"},"inputs":` + q + `,"kwargs":{}}`, "gen_ai.tool.call.result": `{"output":"found","kwargs":{"tags":[]}}`}), "traceloop tool search args outcome"},

		// OpenInference.
		{"openinference responses", newOne("", "OpenAI Responses", attrs{"openinference.span.kind": "LLM", "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "The queue is",
			"output.value": `{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"The queue is"}]}]}`}),
			"openinference model finish=length text=3 messages"},
		{"openinference chat", newOne("", "ChatCompletion", attrs{"openinference.span.kind": "LLM", "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "The queue is",
			"output.value": `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"The queue is"},"finish_reason":"length"}]}`}),
			"openinference model finish=length text=3 messages"},
		{"openinference python", newOne("openinference.instrumentation.crewai", "search", attrs{"openinference.span.kind": "TOOL", "tool.parameters": `{"type":"object","properties":{"query":{"type":"string"}}}`}), "openinference tool search"},
		{"openinference adk parameters", newOne("openinference.instrumentation.google_adk", "search", attrs{"openinference.span.kind": "TOOL", "tool.name": "search", "tool.parameters": q}), "openinference tool search args"},
		{"openinference agent", newOne("openinference.instrumentation.smolagents", "CodeAgent.run", attrs{"openinference.span.kind": "AGENT", "input.value": `{"task":"x"}`, "llm.token_count.prompt": 5}), "openinference agent CodeAgent.run usage=in:5 messages"},
		{"openinference langgraph node", newOne("openinference.instrumentation.langchain", "agent", attrs{"openinference.span.kind": "AGENT", "metadata": `{"langgraph_node":"agent","thread_id":"t"}`}), "openinference container agent conversation"},
		{"openinference handoff", newOne("@arizeai/openinference-instrumentation-openai-agents", "handoff to b", attrs{"openinference.span.kind": "TOOL", "tool.name": "handoff_to_b", "input.value": `{"from_agent":"a"}`}), "openinference tool handoff_to_b handoff args"},
		{"openinference retriever", newOne("", "retrieve", attrs{"openinference.span.kind": "RETRIEVER"}), "openinference container retrieve"},
		{"beeai start", newOne("openinference.instrumentation.beeai", "tool.search.start", attrs{"openinference.span.kind": "TOOL"}), "openinference ignored"},
		{"llamaindex pseudo model", newOne("openinference.instrumentation.llama_index", "OpenAI._prepare_chat_with_tools", attrs{"openinference.span.kind": "LLM"}), "llamaindex ignored"},

		// LangSmith.
		{"langsmith tool", newOne("langsmith", "search", attrs{"langsmith.span.kind": "tool", "gen_ai.operation.name": "execute_tool", "gen_ai.prompt": q, "gen_ai.completion": `{"output":{"content":"found","type":"tool","tool_call_id":"c1","name":"search","status":"success"}}`, "langsmith.metadata.thread_id": "t"}), "langsmith tool search id args outcome conversation"},
		{"langsmith hidden", newOne("langsmith", "search", attrs{"langsmith.span.kind": "tool", "gen_ai.prompt": "{}", "gen_ai.completion": "{}"}), "langsmith tool search"},
		{"langsmith model", newOne("langsmith", "ChatOpenAI", attrs{"langsmith.span.kind": "llm", "gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": "tool_calls",
			"gen_ai.completion": `{"generations":[[{"text":"","generation_info":{"finish_reason":"tool_calls"},"message":{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"","additional_kwargs":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{}"}}]},"tool_calls":[{"name":"search","args":{"query":"queue full"},"id":"c1","type":"tool_call"}]}}}]]}`}),
			"langsmith model finish=tool-calls text=0 call=search+id+args messages"},
		{"langsmith chain", newOne("langsmith", "LangGraph", attrs{"langsmith.span.kind": "chain", "gen_ai.operation.name": "chain"}), "langsmith container LangGraph"},

		// Langfuse.
		{"langfuse generation", newOne("langfuse-sdk", "gpt", attrs{"langfuse.observation.type": "generation", "langfuse.observation.model.name": "gpt-4o", "langfuse.observation.usage_details": `{"input":9,"output":4,"total":13}`, "langfuse.observation.cost_details": `{"total":0.5}`, "langfuse.observation.output": `{"role":"assistant","content":"Done now"}`, "session.id": "s"}),
			"langfuse model model=gpt-4o conversation usage=in:9,out:4,total:13,cost:0.5 text=2 messages"},
		{"langfuse tool", newOne("langfuse-sdk", "search", attrs{"langfuse.observation.type": "tool", "langfuse.observation.input": q, "langfuse.observation.level": "ERROR", "langfuse.observation.status_message": "no such index"}), "langfuse tool search args outcome failed"},
		{"langfuse span yields", newOne("langfuse-sdk", "chat m", attrs{"langfuse.observation.type": "span", "gen_ai.operation.name": "chat"}), "langfuse model"},

		// MLflow.
		{"mlflow tool", newOne("mlflow", "search", attrs{"mlflow.spanType": `"TOOL"`, "mlflow.spanInputs": q, "mlflow.spanOutputs": `"found"`}), "mlflow tool search args outcome"},
		{"mlflow model", newOne("mlflow", "chat", attrs{"mlflow.spanType": `"CHAT_MODEL"`, "mlflow.chat.tokenUsage": `{"input_tokens":3,"output_tokens":2,"total_tokens":5}`, "mlflow.spanOutputs": `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hi"}}]}`}),
			"mlflow model finish=stop usage=in:3,out:2,total:5 text=1 messages"},

		// Pydantic AI and Logfire.
		{"pydantic 1", newOne("pydantic-ai", "joke_agent run", attrs{"agent_name": "joke_agent", "gen_ai.usage.input_tokens": 4, "gen_ai.usage.output_tokens": 1, "all_messages_events": `[{"event.name":"gen_ai.user.message","role":"user","content":"Tell one"},{"event.name":"gen_ai.choice","index":0,"message":{"role":"assistant","content":"A joke"}}]`, "logfire.msg": "joke_agent run"}),
			"pydantic_ai agent joke_agent usage=in:4,out:1 messages"},
		{"pydantic 3 aggregate", newOne("pydantic-ai", "invoke_agent a", attrs{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a", "gen_ai.aggregated_usage.input_tokens": 40, "gen_ai.aggregated_usage.output_tokens": 10, "gen_ai.usage.input_tokens": 1}), "pydantic_ai agent a usage=in:40,out:10"},
		{"pydantic old tool", newOne("pydantic-ai", "running tool", attrs{"gen_ai.tool.name": "search", "gen_ai.tool.call.id": "c", "tool_arguments": q, "tool_response": "found"}), "pydantic_ai tool search id args outcome"},
		{"pydantic tools", newOne("pydantic-ai", "running 2 tools", attrs{"tools": []any{"a", "b"}, "logfire.msg": "running 2 tools"}), "pydantic_ai container running 2 tools"},
		{"pydantic cost", newOne("pydantic-ai", "chat m", attrs{"gen_ai.operation.name": "chat", "operation.cost": 0.25, "gen_ai.usage.input_tokens": 10, "gen_ai.usage.details.cache_read_tokens": 4}), "pydantic_ai model usage=in:10,read:4,cost:0.25"},
		{"logfire claude sdk tool", newOne("logfire.claude_agent_sdk", "execute_tool Bash", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "Bash", "logfire.level_num": 17, "error.type": "ToolError"}), "pydantic_ai tool Bash failed"},
		{"logfire partial usage", newOne("logfire.claude_agent_sdk", "chat m", attrs{"gen_ai.operation.name": "chat", "gen_ai.usage.partial.input_tokens": 3}), "pydantic_ai model"},
		{"logfire openai agents", newOne("logfire.openai_agents", "Function: {name}", attrs{"name": "search", "input": q, "output": "found", "logfire.level_num": 9, "logfire.msg": "Function: search"}), "pydantic_ai tool search args outcome"},

		// ADK.
		{"adk java id", newOne("gcp.vertex.agent", "execute_tool search", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool_call.id": "c1", "gcp.vertex.agent.tool_call_args": q, "gcp.vertex.agent.tool_response": "<not specified>"}), "adk tool search id args"},
		{"adk go", newOne("gcp.vertex.agent", "generate_content gemini", attrs{"gen_ai.operation.name": "generate_content", "gen_ai.response.finish_reasons": []any{"STOP"}}), "adk model finish=stop"},

		// Microsoft.
		{"agent framework sentinel id", newOne("agent_framework", "execute_tool search", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.call.id": "unknown"}), "microsoft tool search"},
		{"agent framework executor", newOne("agent_framework", "executor.process writer", attrs{"executor.id": "writer"}), "microsoft container executor.process writer"},
		{"meai", newOne("Experimental.Microsoft.Extensions.AI", "orchestrate_tools", attrs{"gen_ai.operation.name": "orchestrate_tools", "gen_ai.usage.input_tokens": 12}), "microsoft agent usage=in:12"},
		{"meai finish", newOne("Experimental.Microsoft.Extensions.AI", "chat gemini", attrs{"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": `["stop"]`}), "microsoft model finish=stop"},
		{"semantic kernel", newOne("Microsoft.SemanticKernel.Diagnostics", "chat.completions gpt-4o", attrs{"gen_ai.operation.name": "chat.completions", "gen_ai.request.model": "gpt-4o", "gen_ai.response.finish_reason": "FinishReason.TOOL_CALLS", "gen_ai.usage.prompt_tokens": 3}), "microsoft model model=gpt-4o finish=tool-calls usage=in:3"},
		{"autogen runtime", newOne("autogen-core", "autogen process agent.(default)-A", attrs{"messaging.operation": "process"}), "microsoft ignored"},

		// Spring AI and LangChain4j.
		{"spring tool", newOne("org.springframework.boot", "tool_call search", attrs{"gen_ai.operation.name": "framework", "spring.ai.kind": "tool_call", "spring.ai.tool.definition.name": "search", "spring.ai.tool.call.arguments": q, "spring.ai.tool.call.result": "found"}), "spring_ai tool search args outcome"},
		{"spring model", newOne("org.springframework.boot", "chat gpt-4o", attrs{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": "123", "gen_ai.usage.output_tokens": "none", "gen_ai.response.finish_reasons": `["STOP"]`}), "otel model finish=stop usage=in:123"},
		{"langchain4j", newOne("", "chat gpt-4o", attrs{"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o", "input_tokens": "12", "output_tokens": "3", "outcome": "SUCCESS"}), "otel model model=gpt-4o usage=in:12,out:3"},

		// Mastra.
		{"mastra 1 tool", newOne("@mastra/otel-exporter", "execute_tool search", attrs{"gen_ai.operation.name": "execute_tool", "mastra.span.type": "mcp_tool_call", "gen_ai.tool.name": "search", "gen_ai.tool.call.arguments": q}).kind(ptrace.SpanKindClient), "mastra tool search args"},
		{"mastra chunk", newOne("@mastra/otel-exporter", "model_chunk tool-call", attrs{"mastra.span.type": "model_chunk", "mastra.metadata.toolName": "search"}), "mastra ignored"},
		{"mastra generation", newOne("@mastra/otel-exporter", "model_generation gpt-4o", attrs{"gen_ai.operation.name": "model_generation", "mastra.span.type": "model_generation", "gen_ai.request.model": "gpt-4o"}), "mastra container model_generation gpt-4o model=gpt-4o"},
		{"mastra model", newOne("@mastra/otel-exporter", "chat gpt-4o", attrs{"gen_ai.operation.name": "chat", "mastra.span.type": "model_inference", "gen_ai.response.finish_reasons": `["tool-calls"]`, "mastra.metadata.sessionId": "s"}), "mastra model conversation finish=tool-calls"},
		{"mastra 0.3 tool", newOne("mastra", "tool.execute search", attrs{"gen_ai.operation.name": "tool.execute", "gen_ai.tool.name": "search", "gen_ai.tool.input": q, "gen_ai.tool.output": "found", "gen_ai.tool.success": false}), "mastra tool search args outcome failed"},

		// Haystack, CrewAI, VoltAgent.
		{"haystack tool", newOne("haystack", "haystack.agent.step.tool", attrs{"haystack.tool.name": "search", "haystack.agent.step.tool.input": q, "haystack.agent.step.tool.output": `{"error":"no such index"}`}), "haystack tool search args outcome failed"},
		{"haystack agent", newOne("haystack", "haystack.agent.run", attrs{"haystack.agent.max_steps": 10}), "haystack agent"},
		{"crewai telemetry", newOne("crewai.telemetry", "Tool Repeated Usage", attrs{"tool_name": "search"}), "crewai ignored"},
		{"voltagent root", newOne("@voltagent/core", "main", attrs{"entity.type": "agent", "entity.name": "main", "agent.state": "completed", "conversation.id": "c", "usage.prompt_tokens": 90, "usage.completion_tokens": 9, "ai.model.name": "gpt-4o", "input": "Find it"}), "voltagent agent main model=gpt-4o loop args conversation usage=in:90,out:9 user messages"},
		{"voltagent model", newOne("@voltagent/core", "llm:generateText", attrs{"span.type": "llm", "entity.type": "agent", "entity.name": "main", "llm.usage.prompt_tokens": 9, "llm.finish_reason": "stop"}), "voltagent model loop finish=stop"},
		{"voltagent tool", newOne("@voltagent/core", "tool.execution:search", attrs{"span.type": "tool", "entity.type": "agent", "tool.name": "search", "tool.call.id": "c1", "input": q, "output": "found", "tool.parameters": `{"type":"object","properties":{}}`}).kind(ptrace.SpanKindClient), "voltagent tool search loop id args outcome"},
		{"voltagent memory", newOne("@voltagent/core", "memory.read", attrs{"span.type": "memory", "entity.type": "agent", "entity.name": "main"}), "not ours"},

		// Coding agents.
		{"claude turn", newOne("com.anthropic.claude_code.tracing", "claude_code.interaction", attrs{"span.type": "interaction", "session.id": "s"}), "claude_code agent conversation"},
		{"claude model", newOne("com.anthropic.claude_code.tracing", "claude_code.llm_request", attrs{"span.type": "llm_request", "model": "claude", "input_tokens": 8, "output_tokens": 20, "cache_read_tokens": 5, "cache_creation_tokens": 1, "stop_reason": "tool_use", "success": true, "query_source_safe": "sdk"}), "claude_code model model=claude finish=tool-calls usage=in:14,out:20,read:5,write:1"},
		{"strands latest", newOne("strands-agents", "execute_tool search", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}).
			with("gen_ai.client.inference.operation.details", attrs{"gen_ai.input.messages": `[{"role":"tool","parts":[{"type":"tool_call","id":"c1","name":"search","arguments":{"query":"queue full"}}]}]`}).
			with("gen_ai.client.inference.operation.details", attrs{"gen_ai.output.messages": `[{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":[{"text":"found"}]}]}]`}), "strands tool search args outcome"},
		{"claude tool event", newOne("com.anthropic.claude_code.tracing", "claude_code.tool", attrs{"span.type": "tool", "tool_name": "Bash"}).with("tool.output", attrs{"bash_command": "make", "output": "done"}), "claude_code tool Bash args outcome"},
		{"claude title", newOne("com.anthropic.claude_code.tracing", "claude_code.llm_request", attrs{"span.type": "llm_request", "query_source_safe": "generate_session_title", "input_tokens": 8}), "claude_code model side usage=in:8"},
		{"claude tool", newOne("com.anthropic.claude_code.tracing", "claude_code.tool", attrs{"span.type": "tool", "tool_name": "Bash", "tool_use_id": "t1", "full_command": "make"}), "claude_code tool Bash id args"},
		{"claude execution", newOne("com.anthropic.claude_code.tracing", "claude_code.tool.execution", attrs{"span.type": "tool.execution", "gen_ai.tool.call.id": "t1", "success": false, "error": "exit 2"}), "claude_code tool transport id outcome failed"},
		{"claude permission", newOne("com.anthropic.claude_code.tracing", "claude_code.tool.blocked_on_user", attrs{"span.type": "tool.blocked_on_user", "decision": "accept"}), "claude_code ignored"},
		{"gemini cli tool", newOne("gemini-cli", "tool_call", attrs{"gen_ai.operation.name": "tool_call", "gen_ai.tool.name": "read_file", "gen_ai.tool.call_id": "c1", "gen_ai.input.messages": `{"callId":"c1","name":"read_file","args":{"path":"a"},"isClientInitiated":false,"prompt_id":"p"}`}), "gemini_cli tool read_file id args"},
		{"gemini cli turn", newOne("gemini-cli", "user_prompt", attrs{"gen_ai.operation.name": "user_prompt", "gen_ai.agent.name": "gemini-cli", "gen_ai.conversation.id": "c"}), "gemini_cli agent gemini-cli conversation"},
		{"codex turn", newOne("codex_otel", "session_task.turn", attrs{"gen_ai.conversation.id": "c"}).with("codex.tool_result", attrs{"tool_name": "shell", "call_id": "c1", "success": "true"}), "codex agent conversation call=shell+id answer=shell+id"},
		{"copilot tool", newOne("copilot-chat", "execute_tool readFile", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "readFile", "github.copilot.tool.parameters.path": "a"}), "copilot tool readFile args"},
		{"copilot hook", newOne("copilot-chat", "execute_hook x", attrs{"gen_ai.operation.name": "execute_hook"}), "copilot ignored"},
		{"goose old", newOne("goose", "dispatch_tool_call", attrs{"input": `{"tool":"shell","arguments":{"command":"ls"}}`, "output": "a b"}), "goose tool shell args outcome"},
		{"goose new", newOne("goose", "execute_tool", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "shell", "gen_ai.tool.call.arguments": q}), "goose tool shell args"},
		{"opencode", newOne("opencode", "Tool.execute", attrs{"tool.name": "bash", "tool.call_id": "c1", "session.id": "s"}), "opencode tool bash transport id conversation"},

		// The rest.
		{"litellm", newOne("litellm", "litellm_request", attrs{"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": `["tool_calls"]`, "gen_ai.cost.total_cost": 0.1, "gen_ai.output.messages": `[{"role":"assistant","parts":[]}]`, "gen_ai.completion.0.function_call.name": "search", "gen_ai.completion.0.function_call.arguments": q}), "litellm model finish=tool-calls usage=cost:0.1 text=0 call=search+args messages"},
		{"litellm raw", newOne("litellm", "raw_gen_ai_request", attrs{"llm.openai.model": "x"}), "litellm ignored"},
		{"dify tool", newOne("dify", "search", attrs{"gen_ai.span.kind": "TOOL", "gen_ai.framework": "dify", "gen_ai.tool.name": "search", "gen_ai.tool.call.arguments": q}), "dify tool search args"},
		{"dify model", newOne("dify", "llm", attrs{"gen_ai.span.kind": "LLM", "gen_ai.response.finish_reason": "length"}), "dify model finish=length"},
		{"n8n", newOne("n8n", "workflow.execute", attrs{"n8n.workflow.id": "1", "n8n.workflow.name": "nightly"}), "n8n agent nightly"},
		{"n8n node", newOne("n8n", "node.execute", attrs{"n8n.node.type": "agent"}), "n8n container node.execute"},
		{"any-agent tool", newOne("any_agent", "execute_tool search", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.args": q, "gen_ai.output": "found"}), "any_agent tool search args outcome"},
		{"any-agent model", newOne("any_agent", "call_llm gpt", attrs{"gen_ai.operation.name": "call_llm", "gen_ai.usage.input_cost": 0.1, "gen_ai.usage.output_cost": 0.2}), "any_agent model usage=cost:0.30000000000000004"},
		{"openlit", newOne("openlit.instrumentation.crewai", "execute_tool search", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.input_kwargs": q}), "openlit tool search args"},
		{"koog", newOne("ai.koog", "tool.Search", attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "input.value": q}), "koog tool search args"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, describe(tt.span.fact(t)))
		})
	}
}
