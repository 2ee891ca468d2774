// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package judge is the way of a span: read, grouped, judged, tagged. The
// processor and the scanner of stored traces go the same way, with another
// clock and another sink.
package judge

import (
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/internal/genai"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
	"github.com/agentloopguard/loopguardprocessor/internal/tag"
)

// Settings configures a Judge.
type Settings struct {
	Reader genai.Options
	Runs   runs.Settings
	// Tag says what to write on spans; nil leaves them untouched.
	Tag *tag.Options
	// Previews has the start of arguments and results written, too.
	Previews bool
}

// Judge judges batches of spans. It is safe for concurrent use.
type Judge struct {
	*runs.Tracker

	reader *genai.Reader
	writer *tag.Writer // nil: spans are left untouched.
}

// New returns a Judge. Its error names the option that is wrong.
func New(s Settings) (*Judge, error) {
	reader, err := genai.NewReader(s.Reader)
	if err != nil {
		return nil, fmt.Errorf("create reader: %w", err)
	}
	tracker, err := runs.New(s.Runs)
	if err != nil {
		return nil, fmt.Errorf("create tracker: %w", err)
	}
	j := &Judge{Tracker: tracker, reader: reader}
	if s.Tag != nil {
		o := *s.Tag
		if s.Previews {
			o.Preview = reader.Preview
		}
		j.writer = tag.New(o)
	}
	return j, nil
}

// Mutates reports whether spans are written on.
func (j *Judge) Mutates() bool { return j.writer != nil }

// Judge takes in a batch at a time and writes the verdicts on its spans.
func (j *Judge) Judge(now time.Time, td ptrace.Traces) {
	batch := j.Batch()
	defer j.Release(batch)
	ours := false
	eachSpan(td, func(res pcommon.Resource, scope pcommon.InstrumentationScope, span ptrace.Span) {
		is := j.reader.Read(res, scope, span, batch.Scratch())
		ours = ours || is
		batch.Add(item(span), is)
	})
	if !ours && j.Idle() {
		return
	}
	j.Observe(now, batch)
	if j.writer != nil {
		j.write(td, batch)
	}
}

func item(span ptrace.Span) runs.Item {
	return runs.Item{
		Trace: span.TraceID(), ID: span.SpanID(), Parent: span.ParentSpanID(),
		Start: int64(span.StartTimestamp()), End: int64(span.EndTimestamp()),
	}
}

func (j *Judge) write(td ptrace.Traces, batch *runs.Batch) {
	i := 0
	eachSpan(td, func(_ pcommon.Resource, scope pcommon.InstrumentationScope, span ptrace.Span) {
		if m := batch.Items[i].Mark; m != nil {
			j.writer.Write(scope, span, m)
		}
		i++
	})
}

// eachSpan visits the spans of a batch in their order.
func eachSpan(td ptrace.Traces, visit func(pcommon.Resource, pcommon.InstrumentationScope, ptrace.Span)) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				visit(rs.Resource(), ss.Scope(), span)
			}
		}
	}
}
