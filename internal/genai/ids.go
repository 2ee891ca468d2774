// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// metadataConversation are the members of a metadata JSON that name the
// conversation (LangGraph's thread).
var metadataConversation = []string{"thread_id", "session_id", "conversation_id"}

// conversation identifies the conversation: its id on the span, in the span's
// metadata, else on the resource (Gemini CLI), together with who holds it. Ids
// are counted per service in the wild: 1 of one is not 1 of another.
func (x *reading) conversation(res pcommon.Resource) uint64 {
	id := x.spanConversation()
	if id == 0 && res.Attributes().Len() == 0 {
		return 0
	}
	var by holder
	by.read(res.Attributes())
	if id == 0 {
		id = firstID(by.conversation, by.session)
	}
	return by.own(id)
}

// spanConversation returns the hash of the id that the span states; 0 is none.
func (x *reading) spanConversation() uint64 {
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
	return 0
}

func firstID(ids ...string) uint64 {
	for _, id := range ids {
		if h := hashID(id); h != 0 {
			return h
		}
	}
	return 0
}

// holder is what a resource says about who holds conversations.
type holder struct {
	namespace, service, environment string
	conversation, session           string
}

// The bounds of what is looked at of a resource, in attributes and in bytes of
// one: it is done for every span.
const (
	maxResource = 256
	maxLabel    = 1024
)

func (h *holder) read(attrs pcommon.Map) {
	oldEnvironment, n := "", 0
	for key, v := range attrs.All() {
		switch key {
		case "service.namespace":
			h.namespace = label(v)
		case "service.name":
			h.service = label(v)
		case "deployment.environment.name":
			h.environment = label(v)
		case "deployment.environment": // until semantic conventions 1.27
			oldEnvironment = label(v)
		case "gen_ai.conversation.id":
			h.conversation = label(v)
		case "session.id":
			h.session = label(v)
		}
		if n++; n == maxResource {
			break
		}
	}
	h.environment = firstText(h.environment, oldEnvironment)
}

// label returns the beginning of a scalar's text.
func label(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		return ""
	}
	text := textOf(v)
	return text[:min(len(text), maxLabel)]
}

// own mixes the holder into the hash of an id; 0 stays 0.
func (h *holder) own(id uint64) uint64 {
	if id == 0 {
		return 0
	}
	for _, part := range [...]string{h.namespace, h.service, h.environment} {
		id = xxh3.HashStringSeed(part, id)
	}
	return max(id, 1)
}
