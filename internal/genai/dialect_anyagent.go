// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// anyAgent is Mozilla's any-agent.
var anyAgent = vocabulary{
	dialect: AnyAgent,
	scopes:  []string{"any_agent", "any-agent"},
	fields: []fieldRow{
		{fieldToolArgs, 70, "gen_ai.tool.args"},
		{fieldOutput, 25, "gen_ai.output"},
	},
}
