// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"
	"unicode"
)

// The finish reasons that NormalFinish makes of what providers write.
const (
	FinishStop          = "stop"
	FinishLength        = "length"
	FinishToolCalls     = "tool-calls"
	FinishContentFilter = "content-filter"
	FinishError         = "error"
)

// providerWords maps the providers' spellings, in lower case and without what
// divides their parts, to the normalised ones: OpenAI, Anthropic, Gemini,
// Bedrock, Cohere, Mistral, AI SDK and the enums of the conventions.
var providerWords = map[string]string{
	"stop": FinishStop, "endturn": FinishStop, "stopsequence": FinishStop, "completed": FinishStop, "complete": FinishStop,
	"finish": FinishStop, "finished": FinishStop, "eos": FinishStop, "eostoken": FinishStop, "end": FinishStop,
	"length": FinishLength, "maxtokens": FinishLength, "maxoutputtokens": FinishLength, "modellength": FinishLength,
	"incomplete": FinishLength, "modelcontextwindowexceeded": FinishLength, "maxtoken": FinishLength,
	"toolcalls": FinishToolCalls, "toolcall": FinishToolCalls, "tooluse": FinishToolCalls,
	"functioncall": FinishToolCalls, "functioncalls": FinishToolCalls,
	"contentfilter": FinishContentFilter, "contentfiltered": FinishContentFilter, "safety": FinishContentFilter,
	"recitation": FinishContentFilter, "refusal": FinishContentFilter, "prohibitedcontent": FinishContentFilter,
	"guardrailintervened": FinishContentFilter, "blocklist": FinishContentFilter, "spii": FinishContentFilter,
	"imagesafety": FinishContentFilter,
	"error":       FinishError, "failed": FinishError, "cancelled": FinishError, "malformedfunctioncall": FinishError,
}

// finishPrefix is what the enums of protocol buffers write before a reason.
const finishPrefix = "finish-reason-"

// NormalFinish maps a provider's finish reason to stop, length, tool-calls,
// content-filter or error, however it is spelled: end_turn, MAX_TOKENS, toolUse,
// FinishReason.STOP. Any other word comes back in lower case and with hyphens
// between its parts. Retrospective reads finish reasons so; the zero Options
// know only their own words.
func NormalFinish(reason string) string {
	switch reason {
	case "", FinishStop, FinishLength, FinishToolCalls, FinishContentFilter, FinishError:
		return reason
	}
	reason = strings.TrimSpace(reason)
	word := strings.TrimPrefix(kebab(reason[strings.LastIndexByte(reason, '.')+1:]), finishPrefix)
	if known, ok := providerWords[strings.ReplaceAll(word, "-", "")]; ok {
		return known
	}
	return word
}

// kebab lower-cases a word and puts hyphens between its parts, whether it was
// written in snake case, camel case or capitals.
func kebab(word string) string {
	var b strings.Builder
	lower := false
	for _, r := range word {
		switch {
		case r == '_' || r == '-' || unicode.IsSpace(r):
			b.WriteByte('-')
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			b.WriteByte('-')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// normalFinish is how agent-loopguard 0.1.0 spells a reason.
func normalFinish(reason string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(reason)), "_", "-")
}

// finish is the reason as the profile spells it.
func (r *rules) finish(reason string) string {
	if r.retrospective {
		return NormalFinish(reason)
	}
	return normalFinish(reason)
}
