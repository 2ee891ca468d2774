// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// openInference is Arize's family of instrumentations. The span's name is the
// tool's or agent's name.
var openInference = vocabulary{
	dialect: OpenInference,
	scopes:  []string{"openinference", "@arizeai/openinference"},
	fields: []fieldRow{
		{fieldAgentName, 40, "graph.node.id"},
		{fieldModel, 30, "llm.response.model_name"},
		{fieldModel, 40, "llm.model_name"},
		{fieldModel, 50, "llm.request.model_name"},
		{fieldFinish, 30, "llm.finish_reason"},
		{fieldInputTokens, 30, "llm.token_count.prompt"},
		{fieldOutputTokens, 30, "llm.token_count.completion"},
		{fieldTotalTokens, 30, "llm.token_count.total"},
		{fieldCacheRead, 50, "llm.token_count.prompt_details.cache_read"},
		{fieldCacheRead, 51, "llm.token_count.prompt_details.cache_input"},
		{fieldCacheWrite, 50, "llm.token_count.prompt_details.cache_write"},
		{fieldReasoning, 40, "llm.token_count.completion_details.reasoning"},
		{fieldCost, 65, "llm.cost.total"},
		{fieldInputCost, 20, "llm.cost.prompt"},
		{fieldOutputCost, 20, "llm.cost.completion"},
	},
	kinds: []kindRow{
		{"openinference.span.kind", "TOOL", Tool, rankNative, flagSpanName},
		{"openinference.span.kind", "LLM", Model, rankNative, 0},
		{"openinference.span.kind", "AGENT", Agent, rankNative, flagSpanName},
		{"openinference.span.kind", "EMBEDDING", Embedding, rankNative, 0},
		{"openinference.span.kind", "CHAIN", Container, rankContainer, 0},
		{"openinference.span.kind", "*", Container, rankContainer, 0},
	},
	names: []nameRow{
		// LangChain calls everything AGENT that has "agent" in its name; this
		// is the model node of LangGraph's prebuilt agent.
		{exact: "agent", kind: Container, rank: rankTransport, need: OpenInference, with: fieldMetadata},
		{prefix: "handoff to ", kind: Tool, rank: rankName, flags: flagHandoff, need: OpenInference},
		// BeeAI reports one call three times; success holds the most.
		{prefix: "tool.", suffix: ".start", kind: Ignored, rank: rankPseudo, need: OpenInference},
		{prefix: "tool.", suffix: ".finish", kind: Ignored, rank: rankPseudo, need: OpenInference},
		{exact: "agent.react.update", kind: Ignored, rank: rankPseudo, need: OpenInference},
	},
	indexed: []indexedRow{
		{prefix: "llm.input_messages.", middle: "message.", side: sideIn},
		{prefix: "llm.output_messages.", middle: "message.", side: sideOut},
	},
}
