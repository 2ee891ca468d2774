// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// pydantic is Pydantic AI and the instrumentations of Logfire. Older versions
// name their spans in prose.
var pydantic = vocabulary{
	dialect: Pydantic,
	scopes:  []string{"pydantic-ai", "logfire"},
	fields: []fieldRow{
		{fieldEvidence, 0, "logfire.msg"},
		{fieldEvidence, 0, "logfire.msg_template"},
		{fieldEvidence, 0, "logfire.span_type"},
		{fieldInputMessages, 60, "all_messages_events"},
		{fieldInputMessages, 61, "pydantic_ai.all_messages"},
		{fieldAggregateInput, 10, "gen_ai.aggregated_usage.input_tokens"},
		{fieldAggregateOutput, 10, "gen_ai.aggregated_usage.output_tokens"},
		{fieldAggregateCacheRead, 10, "gen_ai.aggregated_usage.cache_read.input_tokens"},
		{fieldAggregateCacheRead, 11, "gen_ai.aggregated_usage.details.cache_read_tokens"},
		{fieldAggregateCacheWrite, 10, "gen_ai.aggregated_usage.cache_creation.input_tokens"},
		{fieldCacheRead, 70, "gen_ai.usage.details.cache_read_tokens"},
		{fieldCacheWrite, 70, "gen_ai.usage.details.cache_write_tokens"},
		{fieldReasoning, 60, "gen_ai.usage.details.reasoning_tokens"},
		{fieldCost, 10, "operation.cost"},
	},
	names: []nameRow{
		{exact: "agent run", kind: Agent, rank: rankName, need: Pydantic},
		{exact: "running tool", kind: Tool, rank: rankName, need: OTel},
		{prefix: "running tool: ", kind: Tool, rank: rankName, need: OTel},
		{prefix: "running ", kind: Container, rank: rankWeak, need: Pydantic},
		{prefix: "OpenAI Agents trace: ", kind: Container, rank: rankName, need: Pydantic},
		{prefix: "Task: ", kind: Container, rank: rankName, need: Pydantic},
		{prefix: "Agent run: ", kind: Agent, rank: rankName, need: Pydantic},
		{prefix: "Turn ", kind: Container, rank: rankName, need: Pydantic},
		{prefix: "Responses API with ", kind: Model, rank: rankName, need: Pydantic},
		{prefix: "Chat completion with ", kind: Model, rank: rankName, need: Pydantic},
		{prefix: "Function: ", kind: Tool, rank: rankName, flags: flagEntity, need: Pydantic},
		{prefix: "Handoff: ", kind: Tool, rank: rankName, flags: flagHandoff, need: Pydantic},
	},
	presence: []presenceRow{
		{fields: []field{fieldAgentName, fieldInputMessages}, kind: Agent, rank: rankPresence, need: Pydantic},
		{fields: []field{fieldAgentName, fieldOutput}, kind: Agent, rank: rankPresence, need: Pydantic},
	},
	failures: []failureRow{{key: "logfire.level_num", min: 17}},
}
