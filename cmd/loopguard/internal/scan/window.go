// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"container/heap"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A file holds its spans in any order: as they were exported, parents first, or
// trace by trace. The window puts them together again. It holds the spans of
// each trace until the file has moved on by so much event time that no more of
// them are to be expected, and then lets go of them at once, so that the tracker
// sees children and parents together. Time is when spans ended: at that moment
// the processor would have seen them.
type window struct {
	length   int64 // Nanoseconds.
	idle     int64 // Nanoseconds: a trace that is silent for so long was closed.
	maxBytes int64
	release  func(*segment) error

	traces map[pcommon.TraceID][]*segment
	queue  queue
	bytes  int64
	newest int64 // The latest end of a span so far.
	forced int64 // Up to here spans were let go of because of maxBytes.

	outside int64 // Spans that came too late.
}

// segment is a stretch of a trace without a silence as long as idle.
type segment struct {
	trace       pcommon.TraceID
	first, last int64 // The ends of the earliest and of the latest span.
	spans       []held
	bytes       int64
	place       int // In the queue.
}

// held is one span with what it belongs to.
type held struct {
	resource    pcommon.Resource
	scope       pcommon.InstrumentationScope
	resourceURL string
	scopeURL    string
	span        ptrace.Span
}

// visit hands the segment's spans to the judge.
func (s *segment) visit(each func(pcommon.Resource, pcommon.InstrumentationScope, ptrace.Span)) {
	for i := range s.spans {
		h := &s.spans[i]
		each(h.resource, h.scope, h.span)
	}
}

func newWindow(length, idle, maxBytes int64, release func(*segment) error) *window {
	return &window{
		length: length, idle: idle, maxBytes: maxBytes, release: release,
		traces: make(map[pcommon.TraceID][]*segment),
	}
}

// add takes in a span that takes so many bytes. Nothing is let go of before
// advance, so that what was read together stays together.
func (w *window) add(h held, bytes int64) {
	at := w.timeOf(h.span)
	if at < w.newest-w.length || at <= w.forced {
		w.outside++
	}
	w.newest = max(w.newest, at)
	s := w.segmentAt(h.span.TraceID(), at)
	s.first, s.last = min(s.first, at), max(s.last, at)
	s.spans = append(s.spans, h)
	s.bytes += bytes
	w.bytes += bytes
	heap.Fix(&w.queue, s.place)
}

// timeOf is when a span was over; one without any time counts as just now.
func (w *window) timeOf(s ptrace.Span) int64 {
	switch end, start := int64(s.EndTimestamp()), int64(s.StartTimestamp()); {
	case end > 0:
		return end
	case start > 0:
		return start
	default:
		return w.newest
	}
}

// segmentAt returns the segment to which a moment of a trace belongs. A span
// between two segments joins them.
func (w *window) segmentAt(trace pcommon.TraceID, at int64) *segment {
	var found *segment
	all := w.traces[trace]
	for i := 0; i < len(all); i++ {
		s := all[i]
		if at <= s.first-w.idle || at >= s.last+w.idle {
			continue
		}
		if found == nil {
			found = s
			continue
		}
		found.join(s)
		heap.Remove(&w.queue, s.place)
		all = slices.Delete(all, i, i+1)
		i--
	}
	if found == nil {
		found = &segment{trace: trace, first: at, last: at}
		all = append(all, found)
		heap.Push(&w.queue, found)
	}
	w.traces[trace] = all
	return found
}

func (s *segment) join(other *segment) {
	s.first, s.last = min(s.first, other.first), max(s.last, other.last)
	s.spans = append(s.spans, other.spans...)
	s.bytes += other.bytes
}

// advance lets go of what is older than the window, and of the oldest as long
// as there is too much.
func (w *window) advance() error {
	for len(w.queue) > 0 {
		s := w.queue[0]
		if due := s.last < w.newest-w.length; !due && w.bytes <= w.maxBytes {
			return nil
		} else if !due {
			w.forced = max(w.forced, s.last)
		}
		if err := w.pop(); err != nil {
			return err
		}
	}
	return nil
}

// drain lets go of everything.
func (w *window) drain() error {
	for len(w.queue) > 0 {
		if err := w.pop(); err != nil {
			return err
		}
	}
	return nil
}

func (w *window) pop() error {
	s := heap.Pop(&w.queue).(*segment)
	w.bytes -= s.bytes
	rest := slices.DeleteFunc(w.traces[s.trace], func(o *segment) bool { return o == s })
	if len(rest) == 0 {
		delete(w.traces, s.trace)
	} else {
		w.traces[s.trace] = rest
	}
	return w.release(s)
}

// queue orders segments by their last moment.
type queue []*segment

var _ heap.Interface = (*queue)(nil)

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].last < q[j].last }

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

func (q *queue) Push(x any) {
	s := x.(*segment)
	s.place = len(*q)
	*q = append(*q, s)
}

func (q *queue) Pop() any {
	old := *q
	s := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return s
}
