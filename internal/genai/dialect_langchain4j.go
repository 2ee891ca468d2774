// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// langChain4j is LangChain4j's own listener: model spans whose token counts
// have no prefix.
var langChain4j = vocabulary{
	dialect: LangChain4j,
	scopes:  []string{"langchain4j", "dev.langchain4j"},
	presence: []presenceRow{
		{fields: []field{fieldModel, fieldInputTokens}, kind: Model, rank: rankPresence, need: LangChain4j},
	},
}
