// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// metadataConversation are the members of a metadata JSON that name the
// conversation (LangGraph's thread).
var metadataConversation = []string{"thread_id", "session_id", "conversation_id"}

// conversation finds the conversation's id: on the span, in its metadata, else
// on the resource (Gemini CLI).
func (x *reading) conversation(res pcommon.Resource) uint64 {
	if id := hashID(x.text(fieldConversation)); id != 0 {
		return id
	}
	if meta := x.text(fieldMetadata); meta != "" && len(meta) <= x.opts.AttributeBytes {
		for _, key := range metadataConversation {
			if id := hashID(jsonscan.Unquote(jsonscan.Get(meta, key))); id != 0 {
				return id
			}
		}
	}
	for _, key := range [...]string{"gen_ai.conversation.id", "session.id"} {
		if v, ok := res.Attributes().Get(key); ok {
			if id := hashID(textOf(v)); id != 0 {
				return id
			}
		}
	}
	return 0
}
