// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package tag

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

// maxEvidence bounds a string in the evidence, in characters; tool names above
// all.
const maxEvidence = 64

// maxPreview bounds a preview of arguments or a result, in bytes.
const maxPreview = 256

// putCrossings names the severest finding of the span, for sampling policies
// and monitors that look at attributes only.
func putCrossings(attrs pcommon.Map, crossings []runs.Crossing) {
	if len(crossings) == 0 {
		return
	}
	worst := &crossings[0]
	for i := range crossings {
		if crossings[i].Severity > worst.Severity {
			worst = &crossings[i]
		}
	}
	attrs.PutStr(FindingCode, worst.Code)
	attrs.PutStr(FindingSeverity, worst.Severity.String())
	if worst.Grade != "" {
		attrs.PutStr(FindingGrade, string(worst.Grade))
	}
}

// addEvents says each finding in an event at the end of its crossing.
func (w *Writer) addEvents(scope pcommon.InstrumentationScope, span ptrace.Span, crossings []runs.Crossing) {
	for i := range crossings {
		c := &crossings[i]
		e := span.Events().AppendEmpty()
		e.SetName(EvaluationEvent)
		e.SetTimestamp(span.EndTimestamp())
		if c.At != 0 {
			e.SetTimestamp(c.At)
		}
		attrs := e.Attributes()
		attrs.PutStr(EvaluationName, Namespace+strings.ToLower(c.Code))
		attrs.PutStr(EvaluationLabel, c.Severity.String())
		attrs.PutStr(EvaluationExplanation, c.Detail)
		attrs.PutStr(Code, c.Code)
		attrs.PutStr(Reason, string(c.Reason))
		if c.Grade != "" {
			attrs.PutStr(Grade, string(c.Grade))
		}
		attrs.PutStr(RunID, c.Run)
		putEvidence(attrs, c.Evidence)
		w.putPreviews(attrs, scope, span)
	}
}

// putEvidence writes every number as a double and everything else as a string,
// so that a backend sees one type a key.
func putEvidence(attrs pcommon.Map, evidence guard.Evidence) {
	for _, key := range slices.Sorted(maps.Keys(evidence)) {
		v := evidence[key]
		if isPreview(key) {
			continue
		}
		if n, ok := number(v); ok {
			attrs.PutDouble(EvidencePrefix+key, n)
			continue
		}
		attrs.PutStr(EvidencePrefix+key, cut(text(v), maxEvidence))
	}
}

// isPreview reports whether an evidence field holds content of the user's.
func isPreview(key string) bool { return strings.HasSuffix(key, "_preview") }

func number(v any) (float64, bool) {
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return float64(r.Int()), true
	case r.CanUint():
		return float64(r.Uint()), true
	case r.CanFloat():
		return r.Float(), true
	default:
		return 0, false
	}
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, ",")
	case []int:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ","), "[]")
	default:
		return fmt.Sprint(v)
	}
}

func (w *Writer) putPreviews(attrs pcommon.Map, scope pcommon.InstrumentationScope, span ptrace.Span) {
	if w.options.Preview == nil {
		return
	}
	args, result := w.options.Preview(scope, span)
	putPreview(attrs, "args_preview", args)
	putPreview(attrs, "result_preview", result)
}

func putPreview(attrs pcommon.Map, key, text string) {
	if text != "" {
		attrs.PutStr(EvidencePrefix+key, cutBytes(text, maxPreview))
	}
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// cutBytes shortens a text to at most n bytes without splitting a character.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
