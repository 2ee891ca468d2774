// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"container/list"
	"sync/atomic"
	"time"
)

// traceList lists traces by the time of their last new span, oldest first. The
// shard's lock guards it, except for oldest.
type traceList struct {
	list.List
	oldest atomic.Int64 // Unix nanoseconds of its first trace, 0 if it is empty.
}

// push appends a trace that has just had a new span.
func (l *traceList) push(tr *trace) {
	tr.list = l
	tr.elem = l.PushBack(tr)
	l.publish()
}

func (l *traceList) publish() {
	at := int64(0)
	if tr := l.front(); tr != nil {
		at = max(1, tr.last.UnixNano())
	}
	l.oldest.Store(at)
}

func (l *traceList) front() *trace {
	if e := l.Front(); e != nil {
		return e.Value.(*trace)
	}
	return nil
}

// before returns the oldest trace if it had no new span after t.
func (l *traceList) before(t time.Time) *trace {
	if tr := l.front(); tr != nil && !tr.last.After(t) {
		return tr
	}
	return nil
}

// unlist takes the trace off the list that it is on.
func (t *trace) unlist() {
	if t.elem == nil {
		return
	}
	t.list.Remove(t.elem)
	t.elem = nil
	t.list.publish()
}
