// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// traceloop is OpenLLMetry: the decorators' traceloop.* and the older llm.*
// keys. New versions speak the conventions besides.
var traceloop = vocabulary{
	dialect: Traceloop,
	scopes:  []string{"@traceloop", "traceloop"},
	fields: []fieldRow{
		{fieldEntityName, 20, "traceloop.entity.name"},
		{fieldEvidence, 0, "traceloop.workflow.name"},
		{fieldInput, 30, "traceloop.entity.input"},
		{fieldOutput, 30, "traceloop.entity.output"},
		{fieldConversation, 40, "traceloop.association.properties.thread_id"},
		{fieldConversation, 41, "traceloop.association.properties.session_id"},
		{fieldConversation, 42, "traceloop.association.properties.conversation_id"},
		{fieldInputTokens, 60, "llm.usage.prompt_tokens"},
		{fieldOutputTokens, 60, "llm.usage.completion_tokens"},
		{fieldTotalTokens, 20, "llm.usage.total_tokens"},
		{fieldCost, 70, "llm.usage.total_cost"},
		{fieldFinish, 70, "llm.response.finish_reason"},
		{fieldFinish, 71, "llm.response.stop_reason"},
		{fieldModel, 80, "llm.request.model"},
	},
	kinds: []kindRow{
		{"traceloop.span.kind", "tool", Tool, rankNative, flagEntity},
		{"traceloop.span.kind", "agent", Agent, rankNative, flagEntity},
		{"traceloop.span.kind", "workflow", Container, rankContainer, 0},
		{"traceloop.span.kind", "task", Container, rankContainer, 0},
		{"traceloop.span.kind", "*", Container, rankContainer, 0},
		{"llm.request.type", "chat", Model, rankOperation, 0},
		{"llm.request.type", "completion", Model, rankOperation, 0},
		{"llm.request.type", "embedding", Embedding, rankOperation, 0},
	},
	names: []nameRow{
		{prefix: "execute_task ", kind: Container, rank: rankTransport, need: Traceloop},
		{suffix: ".handoff", kind: Tool, rank: rankName, flags: flagHandoff, need: Traceloop},
	},
	presence: []presenceRow{
		// LlamaIndex's call_tool.task: a task that is a tool call.
		{fields: []field{fieldToolName, fieldToolArgs}, kind: Tool, rank: rankPair, need: Traceloop},
	},
}
