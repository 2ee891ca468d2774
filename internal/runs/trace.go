// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"container/list"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// trace is what we know of one trace: its links, its open runs, and what the
// closed ones were judged to be.
type trace struct {
	id     pcommon.TraceID
	spans  forest
	groups map[pcommon.SpanID]*group // Open runs by the span they wait for.
	kept   map[pcommon.SpanID]*kept  // Verdicts of runs that closed before their span came.
	marks  map[pcommon.SpanID]*Mark  // What marked spans carry, for when they come again.

	told       map[uint64]struct{} // Episodes that model spans' own histories told of.
	showsCalls bool                // Tool spans, or calls in model output, have been seen.

	last time.Time // When its last new span came.
	list *traceList
	elem *list.Element

	markBytes  int // Of what marks hold beyond their fixed size.
	openGroups int // Groups with content of their own.
	groupBytes int
	open, size int // What of that the tracker's totals have.
}

// kept is the verdict on a run that closed before its span came. The groups
// that were judged together share one; the first span that comes gets it.
type kept struct {
	run *Run
	by  Nested // Whose span it was written on.
}

func newTrace(id pcommon.TraceID) *trace {
	return &trace{
		id:     id,
		spans:  make(forest),
		groups: make(map[pcommon.SpanID]*group),
	}
}

// The parts of a trace's size, in bytes: map entries with their overhead.
const (
	traceSize = 512
	spanSize  = 64
	markSize  = 256
	// findingSize is that of a finding with its evidence.
	findingSize = 1536
)

// bytes is what the trace takes, by our own account.
func (t *trace) bytes() int {
	return traceSize + spanSize*len(t.spans) + markSize*(len(t.marks)+len(t.kept)) + saidSize*len(t.told) +
		t.markBytes + t.groupBytes
}

// count brings the trace's totals up to date with a group that it holds.
func (t *trace) count(g *group) {
	open := 0
	if g.ownContent() {
		open = 1
	}
	size := g.size()
	t.openGroups += open - g.countedOpen
	t.groupBytes += size - g.countedBytes
	g.countedOpen, g.countedBytes = open, size
}

// attach has the trace hold a group under its id.
func (v *visit) attach(g *group) {
	v.groups[g.id] = g
	v.shard.touched = append(v.shard.touched, g)
}

// detach returns the group that waits for a span and holds it no longer, nil
// if there is none.
func (v *visit) detach(id pcommon.SpanID) *group {
	g := v.groups[id]
	if g == nil {
		return nil
	}
	delete(v.groups, id)
	v.openGroups -= g.countedOpen
	v.groupBytes -= g.countedBytes
	g.countedOpen, g.countedBytes = 0, 0
	return g
}

// visit is one trace's share of a batch, while the trace is being updated.
type visit struct {
	*trace
	shard  *shard
	items  []Item
	epoch  uint32
	counts *Counts
	talks  *[]talk // Responses for their conversations.
}

// observe takes in the trace's items of one batch: first all links, then each
// span in turn once everything below it has settled.
func (v *visit) observe(first int32) {
	ready := v.arrive(first)
	for q := 0; q < len(ready); q++ {
		if up := v.settle(ready[q]); up >= 0 {
			if v.items[up].waiting--; v.items[up].waiting == 0 {
				ready = append(ready, up)
			}
		}
	}
	v.shard.ready = ready
	v.breakCycles(first)
	v.judgeTouched()
	v.repeatMarks(first)
}

// arrive enters the new spans and returns those with nothing new below them.
func (v *visit) arrive(first int32) []int32 {
	for i := first; i >= 0; i = v.items[i].next {
		it := &v.items[i]
		if v.spans.seen(it.ID) {
			it.duplicate = true
			v.counts.DuplicateSpans++
			continue
		}
		v.spans[it.ID] = node{state: arrived, item: i}
	}
	for i := first; i >= 0; i = v.items[i].next {
		if up := v.newAbove(i); up >= 0 {
			v.items[up].waiting++
		}
	}
	ready := v.shard.ready[:0]
	for i := first; i >= 0; i = v.items[i].next {
		if it := &v.items[i]; !it.duplicate && it.waiting == 0 {
			ready = append(ready, i)
		}
	}
	return ready
}

// newAbove returns the item of the span above that has arrived in this batch
// and not settled yet, -1 if there is none.
func (v *visit) newAbove(i int32) int32 {
	it := &v.items[i]
	if it.duplicate {
		return -1
	}
	at := v.spans.above(it.Parent)
	if n := v.spans[at.up]; at.ok && n.state == arrived {
		return n.item
	}
	return -1
}

// breakCycles settles what waits for itself: parent links of hostile input.
func (v *visit) breakCycles(first int32) {
	for i := first; i >= 0; i = v.items[i].next {
		if it := &v.items[i]; !it.duplicate && v.spans[it.ID].state == arrived {
			v.settle(i)
		}
	}
}

// repeatMarks gives spans that came again what they were given before.
func (v *visit) repeatMarks(first int32) {
	for i := first; i >= 0; i = v.items[i].next {
		it := &v.items[i]
		if it.duplicate {
			it.Mark = v.marks[it.ID]
		}
	}
}

// mark returns the item's mark, creating and remembering it.
func (v *visit) mark(it *Item) *Mark {
	if it.Mark == nil {
		it.Mark = new(Mark)
		if v.marks == nil {
			v.marks = make(map[pcommon.SpanID]*Mark)
		}
		v.marks[it.ID] = it.Mark
	}
	return it.Mark
}

func kindOf(it *Item) genai.Kind {
	if it.Fact == nil {
		return genai.None
	}
	return it.Fact.Kind
}
