// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// haystack is deepset's Haystack. Failures are in the tool's output only.
var haystack = vocabulary{
	dialect: Haystack,
	scopes:  []string{"haystack"},
	fields: []fieldRow{
		{fieldToolName, 70, "haystack.tool.name"},
		{fieldToolArgs, 95, "haystack.agent.step.tool.input"},
		{fieldToolResult, 95, "haystack.agent.step.tool.output"},
		{fieldInputMessages, 90, "haystack.agent.step.llm.input"},
		{fieldOutputMessages, 90, "haystack.agent.step.llm.output"},
		{fieldEvidence, 0, "haystack.component.name"},
		{fieldEvidence, 0, "haystack.agent.max_steps"},
	},
	names: []nameRow{
		{exact: "haystack.agent.run", kind: Agent, rank: rankName},
		{exact: "haystack.agent.step", kind: Container, rank: rankName},
		{exact: "haystack.agent.step.tool", kind: Tool, rank: rankName},
		{exact: "haystack.agent.step.llm", kind: Model, rank: rankName},
		{exact: "haystack.pipeline.run", kind: Container, rank: rankName},
		{exact: "haystack.component.run", kind: Container, rank: rankName},
	},
}
