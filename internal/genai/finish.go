// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"
	"unicode"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// The normalised finish reasons. Any other word stays what it is.
const (
	FinishStop          = "stop"
	FinishLength        = "length"
	FinishToolCalls     = "tool-calls"
	FinishContentFilter = "content-filter"
	FinishError         = "error"
)

// finishWords maps spellings, lower case and hyphenated, to the normalised
// ones: OpenAI, Anthropic, Gemini, Bedrock, Cohere, Mistral, AI SDK and the
// enums of the conventions.
var finishWords = map[string]string{
	"stop": FinishStop, "end-turn": FinishStop, "stop-sequence": FinishStop, "completed": FinishStop, "complete": FinishStop,
	"finish": FinishStop, "finished": FinishStop, "eos": FinishStop, "eos-token": FinishStop, "end": FinishStop,
	"length": FinishLength, "max-tokens": FinishLength, "max-output-tokens": FinishLength, "model-length": FinishLength,
	"incomplete": FinishLength, "model-context-window-exceeded": FinishLength, "max-token": FinishLength,
	"tool-calls": FinishToolCalls, "tool-call": FinishToolCalls, "tool-use": FinishToolCalls, "function-call": FinishToolCalls, "function-calls": FinishToolCalls,
	"content-filter": FinishContentFilter, "content-filtered": FinishContentFilter, "safety": FinishContentFilter, "recitation": FinishContentFilter,
	"refusal": FinishContentFilter, "prohibited-content": FinishContentFilter, "guardrail-intervened": FinishContentFilter,
	"blocklist": FinishContentFilter, "spii": FinishContentFilter, "image-safety": FinishContentFilter,
	"error": FinishError, "failed": FinishError, "cancelled": FinishError, "malformed-function-call": FinishError,
}

// The bounds of a finish reason, in bytes, of the text that may hold several,
// and of the arrays in arrays there. What is longer or deeper is none.
const (
	maxFinish      = 64
	maxFinishText  = 4096
	maxFinishDepth = 2
)

// finishOf returns the normalised finish reason of an attribute: an array, a
// JSON array in a string, a comma-separated or a plain string. Of several
// choices the first that says something counts.
func finishOf(v pcommon.Value) string {
	if v.Type() != pcommon.ValueTypeSlice {
		return finishText(textOf(v), maxFinishDepth)
	}
	for _, e := range v.Slice().All() {
		if f := finishText(textOf(e), maxFinishDepth-1); f != "" {
			return f
		}
	}
	return ""
}

// finishText returns the finish reason of a text with at most depth levels of
// arrays.
func finishText(text string, depth int) string {
	if len(text) > maxFinishText {
		return ""
	}
	switch jsonscan.Kind(text) {
	case '[':
		if depth == 0 {
			return ""
		}
		for c := jsonscan.Elements(text); c.Next(); {
			if f := finishText(c.Value(), depth-1); f != "" {
				return f
			}
		}
		return ""
	case '"':
		text = jsonscan.Unquote(text)
	}
	word, _, _ := strings.Cut(text, ",")
	return normalizeFinish(word)
}

// normalizeFinish maps one word.
func normalizeFinish(word string) string {
	if known, ok := finishWords[word]; ok {
		return known
	}
	word = strings.TrimSpace(word)
	if len(word) > maxFinish || masked(word) || word == "null" || word == "None" {
		return ""
	}
	word = word[strings.LastIndexByte(word, '.')+1:]
	word = strings.TrimPrefix(kebab(word), "finish-reason-")
	if known, ok := finishWords[word]; ok {
		return known
	}
	return nameOf(word)
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
