// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// langSmith is the LangSmith SDK's OpenTelemetry exporter. A tool's name is its
// span's name; inputs and outputs are prompt and completion on every span.
var langSmith = vocabulary{
	dialect: LangSmith,
	scopes:  []string{"langsmith"},
	fields: []fieldRow{
		{fieldEvidence, 0, "langsmith.trace.name"},
		{fieldConversation, 50, "langsmith.metadata.thread_id"},
		{fieldConversation, 51, "langsmith.metadata.session_id"},
		{fieldConversation, 52, "langsmith.metadata.conversation_id"},
		{fieldUsageJSON, 30, "langsmith.usage_metadata"},
	},
	kinds: []kindRow{
		{"langsmith.span.kind", "tool", Tool, rankNative, flagSpanName},
		{"langsmith.span.kind", "llm", Model, rankNative, 0},
		{"langsmith.span.kind", "agent", Agent, rankNative, flagSpanName},
		{"langsmith.span.kind", "chain", Container, rankContainer, 0},
		{"langsmith.span.kind", "embedding", Embedding, rankNative, 0},
		{"langsmith.span.kind", "*", Container, rankContainer, 0},
	},
}
