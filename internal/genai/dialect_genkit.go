// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// genkit is Firebase Genkit. Each tool round nests in the one before; usage and
// finish reason are inside the model's output.
var genkit = vocabulary{
	dialect: Genkit,
	scopes:  []string{"genkit-tracer"},
	fields: []fieldRow{
		{fieldEntityName, 10, "genkit:name"},
		{fieldInput, 80, "genkit:input"},
		{fieldOutput, 80, "genkit:output"},
		{fieldEvidence, 0, "genkit:path"},
	},
	kinds: []kindRow{
		{"genkit:metadata:subtype", "tool", Tool, rankNative, flagEntity},
		{"genkit:metadata:subtype", "tool.v2", Tool, rankNative, flagEntity},
		{"genkit:metadata:subtype", "model", Model, rankNative, flagEntity},
		{"genkit:metadata:subtype", "embedder", Embedding, rankNative, flagEntity},
		{"genkit:metadata:subtype", "*", Container, rankContainer, 0},
		{"genkit:type", "*", Container, rankWeak, 0},
	},
	failures: []failureRow{{key: "genkit:state", text: "error"}},
}
