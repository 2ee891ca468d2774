// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// goose is the Goose agent: an older dispatch span with the tool inside its
// input, and a newer one without a suffix.
var goose = vocabulary{
	dialect: Goose,
	scopes:  []string{"goose"},
	names: []nameRow{
		{exact: "dispatch_tool_call", kind: Tool, rank: rankName},
		{exact: "execute_tool", kind: Tool, rank: rankName, need: OTel},
		{exact: "reply", kind: Agent, rank: rankName, need: Goose},
		{exact: "reply_stream", kind: Agent, rank: rankName, need: Goose},
		{exact: "stream_response_from_provider", kind: Model, rank: rankName, need: Goose},
		{exact: "complete", kind: Model, rank: rankName, need: Goose},
	},
}
