// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// microsoft is Agent Framework, Microsoft.Extensions.AI, Semantic Kernel and
// AutoGen. All speak the conventions; the rows are what surrounds them.
var microsoft = vocabulary{
	dialect: Microsoft,
	scopes: []string{
		"agent_framework", "Microsoft.Agents.AI", "Experimental.Microsoft", "Microsoft.Extensions.AI",
		"Microsoft.SemanticKernel", "semantic_kernel", "autogen-core", "autogen",
	},
	names: []nameRow{
		{exact: "orchestrate_tools", kind: Agent, rank: rankName},
		{exact: "workflow.run", kind: Agent, rank: rankName, need: Microsoft},
		{prefix: "workflow.run ", kind: Agent, rank: rankName, need: Microsoft},
		{prefix: "executor.process ", kind: Container, rank: rankName},
		{prefix: "edge_group.process ", kind: Container, rank: rankName},
		{exact: "message.send", kind: Ignored, rank: rankName, need: Microsoft},
		{prefix: "chat.completions ", kind: Model, rank: rankName, need: OTel},
		{prefix: "autogen send ", kind: Ignored, rank: rankPseudo},
		{prefix: "autogen process ", kind: Ignored, rank: rankPseudo},
		{prefix: "autogen publish ", kind: Ignored, rank: rankPseudo},
		{prefix: "autogen create ", kind: Ignored, rank: rankPseudo},
	},
}
