// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// copilot is GitHub Copilot, the editor's chat and the CLI.
var copilot = vocabulary{
	dialect: Copilot,
	scopes:  []string{"copilot-chat", "github.copilot", "copilot"},
	fields: []fieldRow{
		{fieldConversation, 75, "copilot_chat.chat_session_id"},
		{fieldConversation, 76, "copilot_chat.session_id"},
		{fieldEvidence, 0, "github.copilot.turn_id"},
	},
	indexed: []indexedRow{
		{prefix: "github.copilot.tool.parameters.", side: sideParameter},
	},
}
