// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package tag writes verdicts on spans. It is the only writer of spans, and it
// never changes anything on them that is not ours.
package tag

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

// Options says what to write.
type Options struct {
	// FaultsOnly leaves healthy runs untouched.
	FaultsOnly bool
	// Events adds a span event for each finding.
	Events bool
	// Preview returns the start of the arguments and the result of a call, to
	// go into its event; nil leaves them out.
	Preview func(pcommon.InstrumentationScope, ptrace.Span) (args, result string)
}

// Writer writes marks on spans. It is safe for concurrent use.
type Writer struct{ options Options }

// New returns a Writer.
func New(o Options) *Writer { return &Writer{options: o} }

// Write says on the span what its mark holds. Whatever the span carried in our
// namespace is replaced, so that writing twice is writing once.
func (w *Writer) Write(scope pcommon.InstrumentationScope, span ptrace.Span, m *runs.Mark) {
	erase(span)
	if w.options.FaultsOnly && healthy(m) {
		return
	}
	attrs := span.Attributes()
	attrs.EnsureCapacity(attrs.Len() + room(m))
	if m.Run != nil {
		putRun(attrs, m.Run)
	}
	if m.Container != nil {
		putVerdict(attrs, m.Container)
	}
	putNested(attrs, &m.Nested)
	putCrossings(attrs, m.Crossings)
	if m.Call != nil {
		attrs.PutStr(RunID, m.Call.Run)
		attrs.PutInt(CallRepeat, m.Call.Repeat)
	}
	if w.options.Events {
		w.addEvents(scope, span, m.Crossings)
	}
}

func putNested(attrs pcommon.Map, n *runs.Nested) {
	if n.Severity != runs.None {
		attrs.PutStr(NestedVerdict, n.Severity.String())
		attrs.PutStr(NestedRunID, n.Run.String())
	}
}

// Attributes is what the span of a run says of it, for reports that have no
// span.
func Attributes(run *runs.Run) pcommon.Map {
	attrs := pcommon.NewMap()
	putRun(attrs, run)
	putNested(attrs, &run.Nested)
	return attrs
}

// healthy reports whether nothing on the span speaks of a fault.
func healthy(m *runs.Mark) bool {
	return (m.Run == nil || m.Run.Severity <= runs.OK) && m.Container == nil &&
		m.Nested.Severity <= runs.OK && len(m.Crossings) == 0 && m.Call == nil
}

// room is how many attributes a mark may need.
func room(m *runs.Mark) int {
	const healthyRun, faultyRun, other = 8, 20, 6
	switch {
	case m.Run == nil:
		return other
	case m.Run.Severity <= runs.OK:
		return healthyRun
	default:
		return faultyRun
	}
}

// erase removes what an earlier judgement, here or in another collector, left.
func erase(span ptrace.Span) {
	span.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool {
		return strings.HasPrefix(key, Namespace)
	})
	span.Events().RemoveIf(func(e ptrace.SpanEvent) bool {
		if e.Name() != EvaluationEvent {
			return false
		}
		name, ok := e.Attributes().Get(EvaluationName)
		return ok && strings.HasPrefix(name.Str(), Namespace)
	})
}
