// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// vocabularies lists all dialects. The order matters only for a key that two
// of them claim.
var vocabularies = []vocabulary{
	common, otel, mcp, aiSDK, strands, openInference, traceloop, langSmith, langfuse, mlflow, pydantic, adk, microsoft,
	springAI, langChain4j, genkit, mastra, haystack, crewAI, llamaIndex, voltAgent, claudeCode, geminiCLI, codex, copilot,
	goose, openCode, liteLLM, dify, n8n, anyAgent, openLIT, koog,
}

// common holds keys that many emitters share and that prove nothing alone.
var common = vocabulary{
	dialect: Unspecified,
	fields: []fieldRow{
		{fieldToolName, 20, "tool.name"},
		{fieldToolName, 50, "tool_name"},
		{fieldCallID, 30, "tool.call.id"},
		{fieldCallID, 40, "tool_call.id"},
		{fieldCallID, 50, "tool.id"},
		{fieldCallID, 60, "tool_use_id"},
		{fieldCallID, 100, "tool.call_id"},
		{fieldToolArgs, 50, "tool_arguments"},
		{fieldToolArgs, 100, "tool.arguments"},
		{fieldToolParams, 10, "tool.parameters"},
		{fieldToolResult, 50, "tool_response"},
		{fieldInput, 20, "input.value"},
		{fieldInput, 90, "input"},
		{fieldOutput, 20, "output.value"},
		{fieldOutput, 90, "output"},
		{fieldAgentName, 20, "agent.name"},
		{fieldAgentName, 30, "agent_name"},
		{fieldConversation, 20, "session.id"},
		{fieldConversation, 80, "conversation.id"},
		{fieldConversation, 95, "thread_id"},
		{fieldConversation, 96, "session_id"},
		{fieldMetadata, 10, "metadata"},
		{fieldErrorType, 10, "error.type"},
		{fieldErrorText, 10, "error.message"},
		{fieldErrorText, 20, "error"},
		{fieldModel, 90, "model"},
		{fieldInputTokens, 70, "usage.prompt_tokens"},
		{fieldOutputTokens, 70, "usage.completion_tokens"},
		{fieldTotalTokens, 70, "usage.total_tokens"},
		{fieldInputTokens, 80, "input_tokens"},
		{fieldOutputTokens, 80, "output_tokens"},
		{fieldTotalTokens, 80, "total_tokens"},
		{fieldCost, 80, "cost_usd"},
		{fieldFinish, 60, "stop_reason"},
		// Pydantic AI and Logfire, VoltAgent, Claude Code.
		{fieldEntityName, 90, "name"},
		{fieldInputMessages, 50, "events"},
		{fieldUsageJSON, 40, "usage"},
		{fieldOutput, 70, "final_result"},
		{fieldInputMessages, 62, "request_data"},
		{fieldOutput, 75, "response_data"},
		{fieldModel, 85, "llm.model"},
		{fieldModel, 86, "ai.model.name"},
		{fieldAgentName, 25, "subagent.name"},
		{fieldAgentName, 90, "entity.name"},
		{fieldCacheRead, 95, "usage.cached_tokens"},
		{fieldReasoning, 95, "usage.reasoning_tokens"},
		{fieldRunMark, 10, "agent.state"},
		{fieldToolArgs, 120, "full_command"},
		{fieldToolArgs, 121, "bash_command"},
		{fieldToolArgs, 122, "file_path"},
		{fieldCacheRead, 90, "cache_read_tokens"},
		{fieldCacheWrite, 90, "cache_creation_tokens"},
	},
	failures: []failureRow{
		{key: "success", text: "false"},
		{key: "outcome", text: "ERROR"},
	},
}

// operations are the values of gen_ai.operation.name: those of the conventions
// up to 0.1.0 and those that emitters made up.
var operations = []kindRow{
	{value: "execute_tool", kind: Tool, rank: rankOperation},
	{value: "tool_call", kind: Tool, rank: rankOperation},    // Gemini CLI
	{value: "tool.execute", kind: Tool, rank: rankOperation}, // Mastra 0.3
	{value: "handoff", kind: Tool, rank: rankOperation, flags: flagHandoff},
	{value: "chat", kind: Model, rank: rankOperation},
	{value: "generate_content", kind: Model, rank: rankOperation},
	{value: "text_completion", kind: Model, rank: rankOperation},
	{value: "completion", kind: Model, rank: rankOperation},
	{value: "call_llm", kind: Model, rank: rankOperation}, // any-agent
	{value: "llm_call", kind: Model, rank: rankOperation}, // Gemini CLI
	{value: "tool_selection", kind: Model, rank: rankOperation},
	{value: "embeddings", kind: Embedding, rank: rankOperation},
	{value: "embedding", kind: Embedding, rank: rankOperation},
	{value: "invoke_agent", kind: Agent, rank: rankAgentOp},
	{value: "invoke_workflow", kind: Agent, rank: rankAgentOp},
	{value: "agent.run", kind: Agent, rank: rankAgentOp},
	{value: "workflow.run", kind: Agent, rank: rankAgentOp},
	{value: "agent_call", kind: Agent, rank: rankAgentOp},
	{value: "user_prompt", kind: Agent, rank: rankAgentOp},
	{value: "orchestrate_tools", kind: Agent, rank: rankAgentOp}, // MEAI without an agent
	{value: "agent_step", kind: Container, rank: rankOperation},
	{value: "model_generation", kind: Container, rank: rankOperation},
	{value: "model_step", kind: Container, rank: rankOperation},
	{value: "react", kind: Container, rank: rankOperation},
	{value: "plan", kind: Container, rank: rankOperation},
	{value: "handle_conversation_turn", kind: Container, rank: rankOperation},
	{value: "schedule_tool_calls", kind: Container, rank: rankOperation},
	{value: "create_agent", kind: Ignored, rank: rankOperation},
	{value: "fetch_response", kind: Ignored, rank: rankOperation}, // polling by definition
	{value: "model_chunk", kind: Ignored, rank: rankPseudo},
	{value: "content_event", kind: Ignored, rank: rankPseudo},
	{value: "execute_hook", kind: Ignored, rank: rankOperation},
	{value: "system_prompt", kind: Ignored, rank: rankOperation},
	{value: "*", kind: Container, rank: rankWeak},
}

// otel are the GenAI conventions of OpenTelemetry, v1.26 to 0.1.0. Old and new
// spellings are read alike: eras live side by side.
var otel = vocabulary{
	dialect: OTel,
	fields: []fieldRow{
		{fieldEvidence, 0, "gen_ai.system"},
		{fieldEvidence, 0, "gen_ai.provider.name"},
		{fieldModel, 10, "gen_ai.response.model"},
		{fieldModel, 20, "gen_ai.request.model"},
		{fieldResponseID, 10, "gen_ai.response.id"},
		{fieldConversation, 10, "gen_ai.conversation.id"},
		{fieldAgentName, 10, "gen_ai.agent.name"},
		{fieldAgentName, 80, "gen_ai.workflow.name"},
		{fieldToolName, 10, "gen_ai.tool.name"},
		{fieldToolName, 80, "gen_ai.tool.call.name"},
		{fieldCallID, 10, "gen_ai.tool.call.id"},
		{fieldToolArgs, 10, "gen_ai.tool.call.arguments"},
		{fieldToolArgs, 80, "gen_ai.tool.arguments"},
		{fieldToolArgs, 90, "gen_ai.tool.input"},
		{fieldToolResult, 10, "gen_ai.tool.call.result"},
		{fieldToolResult, 70, "gen_ai.tool.output"},
		{fieldToolResult, 80, "gen_ai.tool.result"},
		{fieldInputMessages, 10, "gen_ai.input.messages"},
		{fieldOutputMessages, 10, "gen_ai.output.messages"},
		{fieldInput, 60, "gen_ai.prompt"},
		{fieldOutput, 60, "gen_ai.completion"},
		{fieldFinish, 10, "gen_ai.response.finish_reasons"},
		{fieldFinish, 20, "gen_ai.response.finish_reason"},
		{fieldInputTokens, 10, "gen_ai.usage.input_tokens"},
		{fieldInputTokens, 20, "gen_ai.usage.prompt_tokens"},
		{fieldOutputTokens, 10, "gen_ai.usage.output_tokens"},
		{fieldOutputTokens, 20, "gen_ai.usage.completion_tokens"},
		{fieldTotalTokens, 10, "gen_ai.usage.total_tokens"},
		{fieldCacheRead, 10, "gen_ai.usage.cache_read.input_tokens"},
		{fieldCacheRead, 20, "gen_ai.usage.cache_read_input_tokens"},
		{fieldCacheRead, 30, "gen_ai.usage.cached_input_tokens"},
		{fieldCacheRead, 40, "gen_ai.usage.cache_read_tokens"},
		{fieldCacheWrite, 10, "gen_ai.usage.cache_write.input_tokens"},
		{fieldCacheWrite, 15, "gen_ai.usage.cache_creation.input_tokens"},
		{fieldCacheWrite, 20, "gen_ai.usage.cache_creation_input_tokens"},
		{fieldCacheWrite, 30, "gen_ai.usage.cache_write_input_tokens"},
		{fieldCacheWrite, 40, "gen_ai.usage.cache_creation_tokens"},
		{fieldReasoning, 10, "gen_ai.usage.reasoning.output_tokens"},
		{fieldReasoning, 20, "gen_ai.usage.reasoning_tokens"},
		{fieldReasoning, 30, "gen_ai.usage.reasoning_output_tokens"},
		{fieldCost, 20, "gen_ai.cost.total_cost"},
		{fieldCost, 25, "gen_ai.usage.cost.amount"},
		{fieldCost, 30, "gen_ai.usage.cost"},
		{fieldCost, 40, "gen_ai.usage.total_cost"},
		{fieldCost, 50, "gen_ai.usage.cost_usd"},
		{fieldInputCost, 10, "gen_ai.usage.input_cost"},
		{fieldOutputCost, 10, "gen_ai.usage.output_cost"},
	},
	kinds: append(operationRows("gen_ai.operation.name"),
		kindRow{"gen_ai.tool.name", "(merged tools)", Ignored, rankPseudo, 0},
		kindRow{"gen_ai.transfer.mode", "pass_control", None, 0, flagHandoff},
	),
	names: []nameRow{
		{prefix: "execute_tool ", kind: Tool, rank: rankName},
		{prefix: "invoke_agent ", kind: Agent, rank: rankName},
		{prefix: "invoke_workflow ", kind: Agent, rank: rankName},
		{prefix: "chat ", kind: Model, rank: rankName, need: OTel},
		{exact: "chat", kind: Model, rank: rankName, need: OTel},
		{prefix: "generate_content ", kind: Model, rank: rankName, need: OTel},
		{prefix: "text_completion ", kind: Model, rank: rankName, need: OTel},
		{prefix: "embeddings ", kind: Embedding, rank: rankName, need: OTel},
	},
	presence: []presenceRow{
		{fields: []field{fieldToolName, fieldCallID}, kind: Tool, rank: rankPresence, need: OTel},
		{fields: []field{fieldToolName, fieldToolArgs}, kind: Tool, rank: rankPresence, need: OTel},
		{fields: []field{fieldToolName, fieldToolResult}, kind: Tool, rank: rankPresence, need: OTel},
		{fields: []field{fieldModel, fieldInputTokens}, kind: Model, rank: rankPresence, need: OTel},
		{fields: []field{fieldModel, fieldOutputTokens}, kind: Model, rank: rankPresence, need: OTel},
		{fields: []field{fieldModel, fieldFinish}, kind: Model, rank: rankPresence, need: OTel},
	},
	failures: []failureRow{
		{key: "gen_ai.tool.status", text: "error"},
		{key: "gen_ai.tool.success", text: "false"},
	},
	indexed: []indexedRow{
		{prefix: "gen_ai.prompt.", side: sideIn},
		{prefix: "gen_ai.completion.", side: sideOut},
		// google-genai's automatic function calling.
		{prefix: "code.function.parameters.", suffix: ".value", side: sideParameter},
	},
	events: []eventRow{
		{name: "gen_ai.system.message", side: sideIn, role: roleSystem, body: eventBody},
		{name: "gen_ai.user.message", side: sideIn, role: roleUser, body: eventBody},
		{name: "gen_ai.assistant.message", side: sideIn, role: roleAssistant, body: eventBody},
		{name: "gen_ai.tool.message", side: sideIn, role: roleTool, body: eventBody},
		{name: "gen_ai.choice", side: sideOut, role: roleAssistant, body: []string{"message", "content", "gen_ai.event.content", "body"}},
		{name: "gen_ai.content.prompt", side: sideIn, body: []string{"gen_ai.prompt", "gen_ai.event.content"}},
		{name: "gen_ai.content.completion", side: sideOut, body: []string{"gen_ai.completion", "gen_ai.event.content"}},
		{name: "gen_ai.client.inference.operation.details"},
	},
}

var eventBody = []string{"content", "gen_ai.event.content", "body"}

// operationRows puts the operations under a key.
func operationRows(key string) []kindRow {
	rows := make([]kindRow, len(operations))
	for i, row := range operations {
		row.key = key
		rows[i] = row
	}
	return rows
}
