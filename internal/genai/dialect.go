// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// Dialect is the emitter family whose vocabulary a span speaks.
type Dialect uint8

// The dialects, in the order of their tables.
const (
	Unspecified Dialect = iota
	OTel
	MCP
	AISDK
	Strands
	OpenInference
	Traceloop
	LangSmith
	Langfuse
	MLflow
	Pydantic
	ADK
	Microsoft
	SpringAI
	LangChain4j
	Genkit
	Mastra
	Haystack
	CrewAI
	LlamaIndex
	VoltAgent
	ClaudeCode
	GeminiCLI
	Codex
	Copilot
	Goose
	OpenCode
	LiteLLM
	Dify
	N8N
	AnyAgent
	OpenLIT
	Koog
	User
	dialectCount
)

var dialectNames = [dialectCount]string{
	"unspecified", "otel", "mcp", "ai_sdk", "strands", "openinference", "traceloop", "langsmith",
	"langfuse", "mlflow", "pydantic_ai", "adk", "microsoft", "spring_ai", "langchain4j", "genkit",
	"mastra", "haystack", "crewai", "llamaindex", "voltagent", "claude_code", "gemini_cli", "codex",
	"copilot", "goose", "opencode", "litellm", "dify", "n8n", "any_agent", "openlit", "koog", "user",
}

// String returns the dialect's name as it appears in metrics.
func (d Dialect) String() string {
	if d >= dialectCount {
		return dialectNames[Unspecified]
	}
	return dialectNames[d]
}
