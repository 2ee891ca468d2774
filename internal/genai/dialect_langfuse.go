// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// langfuse is the Langfuse SDK. Its wrappers often stand on top of another
// dialect's spans; spans and events say little and yield to other marks.
var langfuse = vocabulary{
	dialect: Langfuse,
	scopes:  []string{"langfuse-sdk", "langfuse"},
	fields: []fieldRow{
		{fieldInput, 40, "langfuse.observation.input"},
		{fieldOutput, 40, "langfuse.observation.output"},
		{fieldModel, 75, "langfuse.observation.model.name"},
		{fieldUsageJSON, 10, "langfuse.observation.usage_details"},
		{fieldCostJSON, 10, "langfuse.observation.cost_details"},
		{fieldErrorText, 30, "langfuse.observation.status_message"},
		{fieldConversation, 30, "langfuse.session.id"},
		{fieldAgentName, 70, "langfuse.trace.name"},
	},
	kinds: []kindRow{
		{"langfuse.observation.type", "tool", Tool, rankNative, flagSpanName},
		{"langfuse.observation.type", "generation", Model, rankNative, 0},
		{"langfuse.observation.type", "agent", Agent, rankNative, 0},
		{"langfuse.observation.type", "embedding", Embedding, rankNative, 0},
		{"langfuse.observation.type", "chain", Container, rankContainer, 0},
		{"langfuse.observation.type", "event", Ignored, rankWeak, 0},
		{"langfuse.observation.type", "*", Container, rankWeak, 0},
	},
	failures: []failureRow{{key: "langfuse.observation.level", text: "ERROR"}},
}
