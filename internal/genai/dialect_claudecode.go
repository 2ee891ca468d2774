// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// claudeCode is Claude Code with its traces switched on. Failures are on the
// execution child; input tokens exclude the cached ones.
var claudeCode = vocabulary{
	dialect: ClaudeCode,
	scopes:  []string{"com.anthropic.claude_code"},
	kinds: append(sideQueries("query_source"),
		kindRow{"span.type", "interaction", Agent, rankNative, 0},
		kindRow{"span.type", "llm_request", Model, rankNative, 0},
		kindRow{"span.type", "tool", Tool, rankNative, 0},
		kindRow{"span.type", "tool.execution", Tool, rankNative, flagTransport},
		kindRow{"span.type", "tool.blocked_on_user", Ignored, rankPseudo, 0},
		kindRow{"span.type", "hook", Ignored, rankPseudo, 0},
	),
	names: []nameRow{
		{exact: "claude_code.interaction", kind: Agent, rank: rankName},
		{exact: "claude_code.llm_request", kind: Model, rank: rankName},
		{exact: "claude_code.tool", kind: Tool, rank: rankName},
		{exact: "claude_code.tool.execution", kind: Tool, rank: rankTransport, flags: flagTransport},
		{exact: "claude_code.tool.blocked_on_user", kind: Ignored, rank: rankPseudo},
		{exact: "claude_code.hook", kind: Ignored, rank: rankPseudo},
	},
}

// sideQueries are the requests that Claude Code makes on the side.
func sideQueries(keys ...string) []kindRow {
	var rows []kindRow
	for _, key := range append(keys, "query_source_safe") {
		for _, source := range []string{
			"generate_session_title", "agent_classifier", "session_title", "prompt_suggestion", "topic_classifier", "summarize_tool_use", "away_summary",
		} {
			rows = append(rows, kindRow{key, source, None, 0, flagSide})
		}
	}
	return rows
}
