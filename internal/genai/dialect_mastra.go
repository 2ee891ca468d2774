// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// mastra is Mastra's OpenTelemetry exporter, 0.3 and 1.x.
var mastra = vocabulary{
	dialect: Mastra,
	scopes:  []string{"@mastra", "mastra"},
	fields: []fieldRow{
		{fieldCallID, 110, "mastra.metadata.toolCallId"},
		{fieldToolName, 110, "mastra.metadata.toolName"},
		{fieldConversation, 89, "mastra.metadata.threadId"},
		{fieldConversation, 91, "mastra.metadata.sessionId"},
	},
	kinds: []kindRow{
		{"mastra.span.type", "tool_call", Tool, rankNative, 0},
		{"mastra.span.type", "mcp_tool_call", Tool, rankNative, 0},
		{"mastra.span.type", "model_chunk", Ignored, rankPseudo, 0},
		{"mastra.span.type", "agent_run", Agent, rankNative, 0},
		{"mastra.span.type", "workflow_run", Agent, rankAgentOp, 0},
		{"mastra.span.type", "model_inference", Model, rankNative, 0},
		{"mastra.span.type", "model_generation", Container, rankWeak, 0},
		{"mastra.span.type", "*", Container, rankWeak, 0},
	},
	names: []nameRow{
		{exact: "model_chunk", kind: Ignored, rank: rankPseudo, need: Mastra},
	},
}
