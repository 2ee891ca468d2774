// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"
	"unicode/utf8"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// wholeMasks stand for hidden content when they are all of a value, or all of
// a string inside it. A run of asterisks counts too (redaction processor).
var wholeMasks = map[string]bool{
	"N/A": true, "n/a": true, "<not specified>": true, // ADK
	"<hidden>": true, "<masked>": true, "<omitted>": true, "[hidden]": true, "[masked]": true, "[omitted]": true,
	"[content omitted]": true, "<not captured>": true,
}

// masks stand for hidden content wherever they occur: no tool writes them.
var masks = []string{
	"__REDACTED__",                                                  // OpenInference, OPENINFERENCE_HIDE_INPUTS and _OUTPUTS
	"<elided>",                                                      // ADK
	"[REDACTED", "<REDACTED", "[Redacted", "<redacted", "[redacted", // SDK scrubbers, DLP
	"[Filtered]",       // Sentry
	"[Scrubbed due to", // Logfire
}

// hidden begins what Koog writes for content that it does not show, as in
// HIDDEN:non-empty.
const hidden = "HIDDEN:"

// cutMarks end a text that an emitter cut.
var cutMarks = []string{"[truncated]", "(truncated)", "<truncated>", "...truncated", "…truncated", "[truncated", "…", "[cut]"}

// attributeLimits are the lengths, in characters, at which SDKs and emitters
// are usually told to cut attributes. A plain text of exactly that length is
// taken as cut; JSON shows a cut by itself.
var attributeLimits = map[int]bool{
	64: true, 128: true, 255: true, 256: true, 512: true, 1000: true, 1024: true, 2000: true, 2048: true, 4000: true, 4095: true, 4096: true,
	8000: true, 8191: true, 8192: true, 10000: true, 12000: true, 12288: true, 16000: true, 16384: true, 20000: true, 32000: true, 32767: true, 32768: true,
	50000: true, 65535: true, 65536: true, 100000: true, 131072: true, 262144: true,
}

// known returns content ready for a fingerprint (JSON, or plain text) and
// reports whether it shows what it stands for: not empty, masked, cut or
// longer than limit bytes.
func known(text string, limit int) (content string, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > limit || masked(text) {
		return "", false
	}
	switch jsonscan.Check(text) {
	case jsonscan.Whole:
		return text, true
	case jsonscan.Cut:
		// A word like "true" or "12" cut short is as likely a word.
		if !isBracket(text[0]) {
			return plain(text)
		}
		return "", false
	}
	if json, st := pythonToJSON(text); st != jsonscan.Not {
		return json, st == jsonscan.Whole
	}
	return plain(text)
}

func isBracket(b byte) bool { return b == '{' || b == '[' || b == '"' }

// plain is known for text that is no JSON.
func plain(text string) (string, bool) {
	tail := strings.ToLower(text[max(0, len(text)-16):])
	for _, m := range cutMarks {
		if strings.HasSuffix(tail, m) {
			return "", false
		}
	}
	return text, !attributeLimits[utf8.RuneCountInString(text)]
}

// masked reports whether text is a mask or holds one.
func masked(text string) bool {
	if wholeMasks[text] || asterisks(text) || strings.HasPrefix(strings.Trim(text, `"`), hidden) {
		return true
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '_', '[', '<':
			for _, m := range masks {
				if strings.HasPrefix(text[i:], m) {
					return true
				}
			}
		case '"':
			if maskedString(text[i+1:]) {
				return true
			}
		}
	}
	return false
}

// maskedString reports whether the string that begins after a quote is all
// mask.
func maskedString(s string) bool {
	if s == "" || s[0] != '*' && s[0] != '<' && s[0] != '[' {
		return false
	}
	end := strings.IndexByte(s[:min(len(s), 64)], '"')
	return end > 0 && (asterisks(s[:end]) || wholeMasks[s[:end]])
}

// asterisks reports whether s is three or more asterisks and nothing else.
func asterisks(s string) bool {
	return len(s) >= 3 && strings.Trim(s, "*") == ""
}

// emptyObject reports whether s is {}.
func emptyObject(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) >= 2 && s[0] == '{' && strings.TrimSpace(s[1:]) == "}"
}
