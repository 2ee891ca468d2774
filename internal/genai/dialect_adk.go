// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// adk is Google's Agent Development Kit in four languages. Its root span has no
// attributes at all, and parallel calls add a pseudo tool.
var adk = vocabulary{
	dialect: ADK,
	scopes:  []string{"gcp.vertex.agent"},
	fields: []fieldRow{
		{fieldToolArgs, 30, "gcp.vertex.agent.tool_call_args"},
		{fieldToolResult, 30, "gcp.vertex.agent.tool_response"},
		{fieldInput, 15, "gcp.vertex.agent.llm_request"},
		{fieldOutput, 15, "gcp.vertex.agent.llm_response"},
		{fieldCallID, 80, "gen_ai.tool_call.id"},
		{fieldConversation, 60, "gcp.vertex.agent.session_id"},
		{fieldEvidence, 0, "gcp.vertex.agent.invocation_id"},
		{fieldEvidence, 0, "gcp.vertex.agent.event_id"},
		{fieldReasoning, 70, "gen_ai.usage.experimental.reasoning_tokens"},
	},
	kinds: []kindRow{
		{"gen_ai.operation.name", "invoke_node", Container, rankOperation, 0},
	},
	names: []nameRow{
		{prefix: "execute_tool (merged", kind: Ignored, rank: rankPseudo},
		{exact: "call_llm", kind: Model, rank: rankName, need: ADK},
		{exact: "invocation", kind: Container, rank: rankName, need: ADK},
		{prefix: "agent_run ", kind: Agent, rank: rankName, need: ADK},
		{prefix: "invoke_node ", kind: Container, rank: rankName, need: ADK},
	},
}
