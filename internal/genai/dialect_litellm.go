// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// liteLLM is the LiteLLM proxy and SDK: each request twice, the second time
// raw.
var liteLLM = vocabulary{
	dialect: LiteLLM,
	scopes:  []string{"litellm"},
	fields: []fieldRow{
		{fieldCost, 60, "litellm.cost.total"},
		{fieldEvidence, 0, "litellm.call_id"},
		{fieldInputCost, 30, "gen_ai.cost.input_cost"},
		{fieldOutputCost, 30, "gen_ai.cost.output_cost"},
	},
	names: []nameRow{
		{exact: "litellm_request", kind: Model, rank: rankName},
		{exact: "raw_gen_ai_request", kind: Ignored, rank: rankPseudo},
		{exact: "Received Proxy Server Request", kind: Container, rank: rankName},
	},
}
