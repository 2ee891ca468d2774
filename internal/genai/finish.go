// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// The normalised finish reasons. Any other word stays what it is.
const (
	FinishStop          = guard.FinishStop
	FinishLength        = guard.FinishLength
	FinishToolCalls     = guard.FinishToolCalls
	FinishContentFilter = guard.FinishContentFilter
	FinishError         = guard.FinishError
)

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

// rawFinish returns the finish reason of a provider's response as it came:
// instrumentations that flatten the messages leave it there. OpenAI's chat
// responses have it in their first choice, its Responses only if cut off.
func (x *reading) rawFinish(response string) string {
	if len(response) > x.opts.AttributeBytes || jsonscan.Kind(response) != '{' {
		return ""
	}
	if reason := jsonscan.Get(jsonscan.Get(response, "incomplete_details"), "reason"); reason != "" {
		return finishText(reason, 0)
	}
	choices := jsonscan.Elements(jsonscan.Get(response, "choices"))
	if !choices.Next() {
		return ""
	}
	return finishText(jsonscan.Get(choices.Value(), "finish_reason"), 0)
}

// normalizeFinish maps one word.
func normalizeFinish(word string) string {
	word = strings.TrimSpace(word)
	if len(word) > maxFinish || masked(word) || word == "null" || word == "None" {
		return ""
	}
	return nameOf(guard.NormalFinish(word))
}
