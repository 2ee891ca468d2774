// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// llamaIndex adds the one pseudo model span that its instrumentations report.
var llamaIndex = vocabulary{
	dialect: LlamaIndex,
	scopes:  []string{"llama-index", "llama_index", "openinference.instrumentation.llama_index"},
	names: []nameRow{
		{suffix: "._prepare_chat_with_tools", kind: Ignored, rank: rankPseudo},
	},
}
