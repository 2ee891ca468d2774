// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// n8n is n8n: workflow and node spans. Nodes repeat in loops by design.
var n8n = vocabulary{
	dialect: N8N,
	scopes:  []string{"n8n"},
	fields: []fieldRow{
		{fieldEvidence, 0, "n8n.workflow.id"},
		{fieldEvidence, 0, "n8n.node.type"},
		{fieldEvidence, 0, "n8n.node.name"},
		{fieldAgentName, 85, "n8n.workflow.name"},
	},
	names: []nameRow{
		{exact: "workflow.execute", kind: Agent, rank: rankName, need: N8N},
		{exact: "node.execute", kind: Container, rank: rankName, need: N8N},
	},
}
