// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// koog is JetBrains' Koog: node spans around the conventions' ones.
var koog = vocabulary{
	dialect: Koog,
	scopes:  []string{"ai.koog", "koog"},
	names: []nameRow{
		{exact: "llm.chat", kind: Model, rank: rankName, need: OTel},
	},
}
