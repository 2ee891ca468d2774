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
		// On an agent's span and on all below it.
		{"entity.type", "agent", None, 0, flagLoop},
		{"span.type", "llm", Model, rankNative, flagNoUsage},
	},
	presence: []presenceRow{
		// Every span below an agent inherits its entity.type; the state is the
		// agent's own.
		{fields: []field{fieldRunMark}, kind: Agent, rank: rankNative, need: VoltAgent},
	},
	names: []nameRow{
		{exact: "llm:generateText", kind: Model, rank: rankTransport, flags: flagNoUsage},
		{exact: "llm:streamText", kind: Model, rank: rankTransport, flags: flagNoUsage},
		{exact: "llm:generateObject", kind: Model, rank: rankTransport, flags: flagNoUsage},
		{exact: "llm:streamObject", kind: Model, rank: rankTransport, flags: flagNoUsage},
	},
}
