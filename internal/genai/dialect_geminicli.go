// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// geminiCLI is the Gemini CLI: operations of its own, and the tool's request
// object as input messages.
var geminiCLI = vocabulary{
	dialect: GeminiCLI,
	scopes:  []string{"gemini-cli", "gemini_cli"},
	fields: []fieldRow{
		{fieldCallID, 90, "gen_ai.tool.call_id"},
	},
}
