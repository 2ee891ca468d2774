// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// strands is AWS Strands, Python and TypeScript. It speaks the conventions but
// keeps arguments, results and finish reasons in span events, and its cycles
// have names and no operation.
var strands = vocabulary{
	dialect: Strands,
	scopes:  []string{"strands-agents", "strands.telemetry", "strands"},
	fields: []fieldRow{
		{fieldEvidence, 0, "agent_loop.cycle_id"},
		{fieldEvidence, 0, "event_loop.cycle_id"},
	},
	names: []nameRow{
		{exact: "execute_event_loop_cycle", kind: Container, rank: rankName},
		{exact: "execute_agent_loop_cycle", kind: Container, rank: rankName},
		{prefix: "Cycle ", kind: Container, rank: rankName, need: Strands},
		{exact: "invoke_swarm", kind: Agent, rank: rankName, need: Strands},
		{exact: "invoke_graph", kind: Agent, rank: rankName, need: Strands},
		{prefix: "invoke_swarm ", kind: Agent, rank: rankName},
		{prefix: "invoke_graph ", kind: Agent, rank: rankName},
		{prefix: "node ", kind: Container, rank: rankName, need: Strands},
	},
}
