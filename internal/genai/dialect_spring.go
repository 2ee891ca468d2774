// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// springAI is Spring AI; every value is a string.
var springAI = vocabulary{
	dialect: SpringAI,
	scopes:  []string{"org.springframework.ai"},
	fields: []fieldRow{
		{fieldToolName, 40, "spring.ai.tool.definition.name"},
		{fieldCallID, 70, "spring.ai.tool.call.id"},
		{fieldToolArgs, 60, "spring.ai.tool.call.arguments"},
		{fieldToolResult, 60, "spring.ai.tool.call.result"},
		{fieldConversation, 70, "spring.ai.chat.client.conversation.id"},
	},
	kinds: []kindRow{
		{"spring.ai.tool.definition.name", "*", Tool, rankNative, 0},
		{"spring.ai.kind", "tool_call", Tool, rankNative, 0},
		{"spring.ai.kind", "chat_client", Container, rankContainer, 0},
		{"spring.ai.kind", "*", Container, rankContainer, 0},
		{"gen_ai.operation.name", "framework", Container, rankWeak, 0},
	},
}
