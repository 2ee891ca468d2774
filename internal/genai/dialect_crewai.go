// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// crewAI is CrewAI's own product telemetry, which leaked into applications'
// traces before 1.15: zero-length spans in traces of their own. Its real spans
// come from other dialects.
var crewAI = vocabulary{
	dialect: CrewAI,
	scopes:  []string{"crewai.telemetry"},
	names: []nameRow{
		{exact: "Crew Created", kind: Ignored, rank: rankPseudo, need: CrewAI},
		{exact: "Task Created", kind: Ignored, rank: rankPseudo, need: CrewAI},
		{exact: "Task Execution", kind: Ignored, rank: rankPseudo, need: CrewAI},
		{exact: "Tool Usage", kind: Ignored, rank: rankPseudo, need: CrewAI},
		{exact: "Tool Repeated Usage", kind: Ignored, rank: rankPseudo, need: CrewAI},
		{exact: "Tool Usage Error", kind: Ignored, rank: rankPseudo, need: CrewAI},
		{exact: "Flow Creation", kind: Ignored, rank: rankPseudo, need: CrewAI},
		{exact: "Flow Execution", kind: Ignored, rank: rankPseudo, need: CrewAI},
	},
}
