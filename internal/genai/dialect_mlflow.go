// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// mlflow is MLflow Tracing; it writes strings as JSON strings, marks included.
var mlflow = vocabulary{
	dialect: MLflow,
	scopes:  []string{"mlflow"},
	fields: []fieldRow{
		{fieldInput, 50, "mlflow.spanInputs"},
		{fieldOutput, 50, "mlflow.spanOutputs"},
		{fieldModel, 78, "mlflow.llm.model"},
		{fieldUsageJSON, 20, "mlflow.chat.tokenUsage"},
		{fieldCostJSON, 20, "mlflow.llm.cost"},
		{fieldCost, 75, "mlflow.llm.cost.total_cost"},
		{fieldConversation, 90, "mlflow.trace.session"},
		{fieldEvidence, 0, "mlflow.traceRequestId"},
	},
	kinds: []kindRow{
		{"mlflow.spanType", "TOOL", Tool, rankNative, flagSpanName},
		{"mlflow.spanType", "LLM", Model, rankNative, 0},
		{"mlflow.spanType", "CHAT_MODEL", Model, rankNative, 0},
		{"mlflow.spanType", "AGENT", Agent, rankNative, flagSpanName},
		{"mlflow.spanType", "EMBEDDING", Embedding, rankNative, 0},
		{"mlflow.spanType", "*", Container, rankContainer, 0},
	},
}
