// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"
)

// previewBytes bounds what a verdict quotes of the caller's own step.
const previewBytes = 160

// preview adds to a verdict what only the step itself can tell. Findings never
// have it, and neither has a verdict on a digest.
func (g *Guard) preview(v *Verdict, s Step) {
	switch {
	case v.Reason == ReasonFinish && !g.rules.retrospective:
		v.quote("finish_reason", clip(s.FinishReason))
	case v.Reason == ReasonNoProgress:
		v.quote("text_preview", textPreview(s.Text))
	case v.Reason == ReasonRepeated && g.crossing >= 0 && g.crossing < len(s.Calls):
		c := s.Calls[g.crossing]
		args := argsPreview(c.Args)
		v.quote("args_preview", args)
		v.Detail += fmt.Sprintf(" Call: %s(%s).", c.Name, args)
	}
}

func (v *Verdict) quote(key, value string) {
	v.Evidence = maps.Clone(v.Evidence)
	v.Evidence[key] = value
}

func argsPreview(args any) string {
	switch args.(type) {
	case nil:
		return ""
	case unknown:
		return "unknown"
	default:
		var f previewSink
		w := walker{sink: &f, enough: func() bool { return len(f.form) > previewBytes }}
		w.root(args)
		return clip(string(f.form))
	}
}

// previewSink writes no more of a text than a preview shows.
type previewSink struct{ formSink }

func (f *previewSink) text(s string) {
	f.formSink.text(s[:min(len(s), previewBytes+utf8.UTFMax)])
}

func textPreview(text string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(text) {
		if b.Len() > previewBytes {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.ToLower(word))
	}
	return clip(b.String())
}

// clip shortens a text at a character's border.
func clip(s string) string {
	if len(s) <= previewBytes {
		return s
	}
	end := previewBytes
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
