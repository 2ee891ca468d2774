// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// aiSDK is the Vercel AI SDK: ai.* in versions 4 to 6 and in 7's legacy
// exporter, gen_ai.* with steps in @ai-sdk/otel.
var aiSDK = vocabulary{
	dialect: AISDK,
	scopes:  []string{"ai", "gen_ai", "@ai-sdk/otel"},
	fields: []fieldRow{
		{fieldToolName, 30, "ai.toolCall.name"},
		{fieldCallID, 20, "ai.toolCall.id"},
		{fieldToolArgs, 20, "ai.toolCall.args"},
		{fieldToolResult, 20, "ai.toolCall.result"},
		{fieldInputMessages, 20, "ai.prompt.messages"},
		{fieldInput, 10, "ai.prompt"},
		{fieldOutputText, 10, "ai.response.text"},
		{fieldToolCalls, 10, "ai.response.toolCalls"},
		{fieldFinish, 40, "ai.response.finishReason"},
		{fieldModel, 60, "ai.response.model"},
		{fieldModel, 70, "ai.model.id"},
		{fieldResponseID, 20, "ai.response.id"},
		{fieldAgentName, 50, "ai.telemetry.functionId"},
		{fieldConversation, 85, "ai.telemetry.metadata.sessionId"},
		{fieldConversation, 86, "ai.telemetry.metadata.threadId"},
		{fieldConversation, 87, "ai.telemetry.metadata.conversationId"},
		{fieldConversation, 88, "ai.telemetry.metadata.chatId"},
		{fieldInputTokens, 40, "ai.usage.inputTokens"},
		{fieldInputTokens, 50, "ai.usage.promptTokens"},
		{fieldOutputTokens, 40, "ai.usage.outputTokens"},
		{fieldOutputTokens, 50, "ai.usage.completionTokens"},
		{fieldInputTokens, 55, "ai.usage.tokens"},
		{fieldTotalTokens, 40, "ai.usage.totalTokens"},
		{fieldCacheRead, 60, "ai.usage.cachedInputTokens"},
		{fieldCacheRead, 61, "ai.usage.inputTokenDetails.cacheReadTokens"},
		{fieldCacheWrite, 60, "ai.usage.inputTokenDetails.cacheWriteTokens"},
		{fieldReasoning, 50, "ai.usage.reasoningTokens"},
		{fieldReasoning, 51, "ai.usage.outputTokenDetails.reasoningTokens"},
	},
	kinds: []kindRow{
		{"ai.operationId", "ai.generateText", Agent, rankNative, 0},
		{"ai.operationId", "ai.streamText", Agent, rankNative, 0},
		{"ai.operationId", "ai.generateObject", Agent, rankNative, 0},
		{"ai.operationId", "ai.streamObject", Agent, rankNative, 0},
		{"ai.operationId", "ai.generateText.doGenerate", Model, rankNative, 0},
		{"ai.operationId", "ai.streamText.doStream", Model, rankNative, 0},
		{"ai.operationId", "ai.generateObject.doGenerate", Model, rankNative, 0},
		{"ai.operationId", "ai.streamObject.doStream", Model, rankNative, 0},
		{"ai.operationId", "ai.toolCall", Tool, rankNative, 0},
		{"ai.operationId", "ai.embed.doEmbed", Embedding, rankNative, 0},
		{"ai.operationId", "ai.embedMany.doEmbed", Embedding, rankNative, 0},
		{"ai.operationId", "*", Container, rankWeak, 0},
	},
	names: []nameRow{
		{exact: "ai.toolCall", kind: Tool, rank: rankName},
		{prefix: "step ", kind: Container, rank: rankName, need: AISDK},
	},
}
