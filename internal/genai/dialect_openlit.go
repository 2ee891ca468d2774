// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// openLIT is OpenLIT; it has a key for every fashion.
var openLIT = vocabulary{
	dialect: OpenLIT,
	scopes:  []string{"openlit"},
	fields: []fieldRow{
		{fieldToolArgs, 91, "gen_ai.tool.input_kwargs"},
		{fieldToolParams, 20, "gen_ai.tool.parameters"},
		{fieldCacheRead, 80, "gen_ai.usage.prompt_tokens_details.cached_tokens"},
		{fieldReasoning, 80, "gen_ai.usage.completion_tokens_details.reasoning_tokens"},
	},
}
