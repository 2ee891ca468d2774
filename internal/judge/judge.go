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

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
	"github.com/agentloopguard/loopguardprocessor/internal/tag"
)

// Settings configures a Judge.
type Settings struct {
	Reader genai.Options
	// Sameness is what the reader's digester goes by.
	Sameness guard.Sameness
	Runs     runs.Settings
	// Tag says what to write on spans; nil leaves them untouched.
	Tag *tag.Options
	// Profile returns the guard's profile for a resource's runs; nil is 0.
	Profile func(pcommon.Resource) uint8
	// Previews has the start of arguments and results written, too.
	Previews bool
	// Marked, if any, hears of every span that there is something to say on,
	// written or not.
	Marked func(ptrace.Span, *runs.Mark)
}

// Spans visits the spans of a batch in their order, each with its resource and
// scope.
type Spans func(visit func(pcommon.Resource, pcommon.InstrumentationScope, ptrace.Span))

// Judge judges batches of spans. It is safe for concurrent use.
type Judge struct {
	*runs.Tracker

	reader  *genai.Reader
	writer  *tag.Writer // nil: spans are left untouched.
	marked  func(ptrace.Span, *runs.Mark)
	profile func(pcommon.Resource) uint8
}

// New returns a Judge. Its error names the option that is wrong.
func New(s Settings) (*Judge, error) {
	digester, err := guard.NewDigester(s.Sameness)
	if err != nil {
		return nil, fmt.Errorf("create digester: %w", err)
	}
	s.Reader.Digester = digester
	reader, err := genai.NewReader(s.Reader)
	if err != nil {
		return nil, fmt.Errorf("create reader: %w", err)
	}
	tracker, err := runs.New(s.Runs)
	if err != nil {
		return nil, fmt.Errorf("create tracker: %w", err)
	}
	j := &Judge{Tracker: tracker, reader: reader, marked: s.Marked, profile: s.Profile}
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
func (j *Judge) Judge(now time.Time, td ptrace.Traces) { j.JudgeSpans(now, spansOf(td)) }

// JudgeSpans is Judge for spans that lie scattered.
func (j *Judge) JudgeSpans(now time.Time, spans Spans) {
	batch := j.Batch()
	defer j.Release(batch)
	ours := false
	profiles := j.profiles()
	spans(func(res pcommon.Resource, scope pcommon.InstrumentationScope, span ptrace.Span) {
		is := j.reader.Read(res, scope, span, batch.Scratch())
		ours = ours || is
		it := item(span)
		if is && hasHistory(batch.Scratch()) {
			it.History = func() []guard.StepDigest { return j.reader.History(scope, span) }
		}
		it.Profile = profiles(res)
		batch.Add(it, is)
	})
	if !ours && j.Idle() {
		return
	}
	j.Observe(now, batch)
	if j.writer != nil || j.marked != nil {
		j.write(spans, batch)
	}
}

// profiles asks for the profile of a resource once, not for each of its spans.
func (j *Judge) profiles() func(pcommon.Resource) uint8 {
	var last pcommon.Resource
	var profile uint8
	return func(res pcommon.Resource) uint8 {
		if j.profile != nil && res != last {
			last, profile = res, j.profile(res)
		}
		return profile
	}
}

// hasHistory reports whether a model span may tell of calls that no other span
// shows: it carries its input, and its output asks for none.
func hasHistory(f *genai.Fact) bool {
	return f.Kind == genai.Model && f.HasMessages && len(f.Calls) == 0
}

// item takes a span without a start, or that ends before it, for a moment.
func item(span ptrace.Span) runs.Item {
	start, end := int64(span.StartTimestamp()), int64(span.EndTimestamp())
	if start <= 0 {
		start = end
	}
	return runs.Item{
		Trace: span.TraceID(), ID: span.SpanID(), Parent: span.ParentSpanID(), Start: start, End: max(start, end),
	}
}

func (j *Judge) write(spans Spans, batch *runs.Batch) {
	i := 0
	spans(func(_ pcommon.Resource, scope pcommon.InstrumentationScope, span ptrace.Span) {
		m := batch.Items[i].Mark
		i++
		if m == nil {
			return
		}
		if j.writer != nil {
			j.writer.Write(scope, span, m)
		}
		if j.marked != nil {
			j.marked(span, m)
		}
	})
}

func spansOf(td ptrace.Traces) Spans {
	return func(visit func(pcommon.Resource, pcommon.InstrumentationScope, ptrace.Span)) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					visit(rs.Resource(), ss.Scope(), span)
				}
			}
		}
	}
}
