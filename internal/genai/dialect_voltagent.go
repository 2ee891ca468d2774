// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// voltAgent is VoltAgent. One model span stands for all steps and carries the
// last step's answer and usage; the agent's total is the one to read.
var voltAgent = vocabulary{
	dialect: VoltAgent,
	scopes:  []string{"@voltagent"},
	fields: []fieldRow{
		{fieldConversation, 81, "voltagent.conversation_id"},
		{fieldEvidence, 0, "voltagent.operation_id"},
		{fieldFinish, 45, "ai.response.finish_reason"},
	},
	kinds: []kindRow{
		{"span.type", "llm", Model, rankNative, flagNoUsage | flagLoop},
	},
	presence: []presenceRow{
		// Every span below an agent inherits its entity.type; the state is the
		// agent's own.
		{fields: []field{fieldRunMark}, kind: Agent, rank: rankNative, flags: flagLoop, need: VoltAgent},
		{fields: []field{fieldToolName}, kind: Tool, rank: rankPresence, flags: flagLoop, need: VoltAgent},
	},
	names: []nameRow{
		{exact: "llm:generateText", kind: Model, rank: rankTransport, flags: flagNoUsage | flagLoop},
		{exact: "llm:streamText", kind: Model, rank: rankTransport, flags: flagNoUsage | flagLoop},
		{exact: "llm:generateObject", kind: Model, rank: rankTransport, flags: flagNoUsage | flagLoop},
		{exact: "llm:streamObject", kind: Model, rank: rankTransport, flags: flagNoUsage | flagLoop},
	},
}
