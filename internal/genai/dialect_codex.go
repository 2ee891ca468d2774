// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// codex is the OpenAI Codex CLI. A turn's tool calls are span events that name
// the tool and nothing of what it was given or returned.
var codex = vocabulary{
	dialect: Codex,
	scopes:  []string{"codex_otel", "codex"},
	names: []nameRow{
		{exact: "session_task.turn", kind: Agent, rank: rankName},
		{exact: "handle_responses", kind: Container, rank: rankName, need: Codex},
	},
	events: []eventRow{{name: codexToolResult, side: sideParameter}},
}

const codexToolResult = "codex.tool_result"
