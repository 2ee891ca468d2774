// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// openCode is opencode (which speaks AI SDK and repeats each call as
// Tool.execute) and its OpenTelemetry plugin.
var openCode = vocabulary{
	dialect: OpenCode,
	scopes:  []string{"opencode"},
	names: []nameRow{
		{exact: "Tool.execute", kind: Tool, rank: rankName, flags: flagTransport},
		{exact: "opencode.session", kind: Agent, rank: rankName},
		{exact: "gen_ai.chat", kind: Model, rank: rankName},
		{prefix: "opencode.tool ", kind: Tool, rank: rankName},
	},
}
