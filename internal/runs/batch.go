// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// Item is one span of a batch as the tracker sees it.
type Item struct {
	Trace  pcommon.TraceID
	ID     pcommon.SpanID
	Parent pcommon.SpanID
	Start  int64 // Unix nanoseconds.
	End    int64 // Unix nanoseconds.
	// Fact is nil for a span that is not ours: it only links others.
	Fact *genai.Fact
	// Profile is the guard's profile for runs of the span's resource.
	Profile uint8
	// History returns the steps that a model span's own input tells of since
	// the last user message. It is nil where there are none, and called only
	// where no other span shows the calls.
	History func() []guard.StepDigest
	// Mark is what Observe wants written on the span; nil: nothing.
	Mark *Mark

	index     int32 // Its place in the batch.
	next      int32 // The trace's next item in the batch, -1 at the end.
	waiting   int32 // Spans of this batch that must settle first.
	duplicate bool
}

// Batch holds the spans of one ConsumeTraces call. It is reused: Reset it
// before and after.
type Batch struct {
	Items []Item

	facts  []*genai.Fact
	used   int
	traces map[pcommon.TraceID]int // Index in chains.
	chains []chain
	talks  []talk
}

// chain lists the items of one trace within a batch, in order of arrival.
type chain struct {
	trace       pcommon.TraceID
	first, last int32
}

// Reset forgets all items and keeps the memory.
func (b *Batch) Reset() {
	clear(b.Items)
	b.Items = b.Items[:0]
	b.used = 0
	clear(b.traces)
	b.chains = b.chains[:0]
	clear(b.talks)
	b.talks = b.talks[:0]
}

// Scratch returns a fact to read the next span into. The same one is handed
// out until Add takes it.
func (b *Batch) Scratch() *genai.Fact {
	if b.used == len(b.facts) {
		b.facts = append(b.facts, new(genai.Fact))
	}
	return b.facts[b.used]
}

// Add appends a span. With ours, the span's fact is what Scratch last returned.
func (b *Batch) Add(it Item, ours bool) {
	if ours {
		it.Fact = b.facts[b.used]
		b.used++
	}
	it.index, it.next = int32(len(b.Items)), -1
	b.Items = append(b.Items, it)
}

// chainOf returns the index of the trace's chain, a new one if create is set,
// else -1.
func (b *Batch) chainOf(id pcommon.TraceID, create bool) int {
	if c, ok := b.traces[id]; ok {
		return c
	}
	if !create {
		return -1
	}
	if b.traces == nil {
		b.traces = make(map[pcommon.TraceID]int)
	}
	b.traces[id] = len(b.chains)
	b.chains = append(b.chains, chain{trace: id, first: -1, last: -1})
	return len(b.chains) - 1
}

// link appends an item to a chain.
func (b *Batch) link(c int, i int32) {
	chain := &b.chains[c]
	if chain.first < 0 {
		chain.first = i
	} else {
		b.Items[chain.last].next = i
	}
	chain.last = i
}
