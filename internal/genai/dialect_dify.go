// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// dify is Dify and the loongsuite family: a kind attribute beside the
// conventions.
var dify = vocabulary{
	dialect: Dify,
	scopes:  []string{"dify", "loongsuite"},
	fields: []fieldRow{
		{fieldEvidence, 0, "gen_ai.framework"},
	},
	kinds: []kindRow{
		{"gen_ai.span.kind", "TOOL", Tool, rankNative, 0},
		{"gen_ai.span.kind", "LLM", Model, rankNative, 0},
		{"gen_ai.span.kind", "AGENT", Agent, rankNative, 0},
		{"gen_ai.span.kind", "EMBEDDING", Embedding, rankNative, 0},
		{"gen_ai.span.kind", "*", Container, rankContainer, 0},
	},
}
