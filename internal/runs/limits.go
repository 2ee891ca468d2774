// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Limits bounds the state of a Tracker.
type Limits struct {
	// OpenRuns bounds the open runs of all traces together.
	OpenRuns int64
	// Bytes bounds the state of all traces together, by its own account.
	Bytes int64
	// StepsPerRun bounds the steps of one run.
	StepsPerRun int
}

// entriesPerStep is how many entries a run may have for each of its allowed
// steps: a limit on steps alone would let one step grow without end.
const entriesPerStep = 16

// largestShare is the part of the state that one trace may take: one that has
// no end must not push out all others.
const largestShare = 4

// keepFactor says how many idle timeouts the verdict on a run that closed for
// being idle is kept for its span: a tool may well run for an hour.
const keepFactor = 12

// Expire closes the traces that have been idle for too long.
func (t *Tracker) Expire(now time.Time) {
	counts := Counts{}
	for i := range t.shards {
		t.expireShard(&t.shards[i], now, &counts)
	}
	t.settings.Sink.Count(&counts)
}

func (t *Tracker) expireShard(s *shard, now time.Time, counts *Counts) {
	s.Lock()
	defer s.Unlock()
	idle := now.Add(-t.settings.IdleTimeout)
	for tr := s.active.before(idle); tr != nil; tr = s.active.before(idle) {
		t.closeTrace(s, tr, ByIdle, counts)
	}
	for tr := s.closed.before(idle); tr != nil; tr = s.closed.before(idle) {
		t.forget(s, tr)
	}
	idle = now.Add(-keepFactor * t.settings.IdleTimeout)
	for tr := s.keeping.before(idle); tr != nil; tr = s.keeping.before(idle) {
		t.forget(s, tr)
	}
}

// Shutdown closes all that is open. Calling it again does nothing.
func (t *Tracker) Shutdown() {
	t.shut.Store(true)
	counts := Counts{}
	for i := range t.shards {
		t.shutShard(&t.shards[i], &counts)
	}
	t.settings.Sink.Count(&counts)
}

func (t *Tracker) shutShard(s *shard, counts *Counts) {
	s.Lock()
	defer s.Unlock()
	for _, tr := range s.traces {
		if tr.open > 0 {
			t.closeTrace(s, tr, ByShutdown, counts)
		}
		t.forget(s, tr)
	}
}

// enforce makes room until the state is within its limits: closed traces go
// first, then the one that has been quiet for longest.
func (t *Tracker) enforce(counts *Counts) {
	for t.bytes.Load() > t.settings.Limits.Bytes && (t.evictClosed() || t.evictActive(counts)) {
	}
	for t.open.Load() > t.settings.Limits.OpenRuns && t.evictActive(counts) {
	}
}

func (t *Tracker) evictClosed() bool {
	for _, of := range []func(*shard) *traceList{
		func(s *shard) *traceList { return &s.closed },
		func(s *shard) *traceList { return &s.keeping },
	} {
		if s := t.withOldest(of); s != nil {
			s.Lock()
			defer s.Unlock()
			if tr := of(s).front(); tr != nil {
				t.forget(s, tr)
			}
			return true
		}
	}
	return false
}

func (t *Tracker) evictActive(counts *Counts) bool {
	of := func(s *shard) *traceList { return &s.active }
	s := t.withOldest(of)
	if s == nil {
		return false
	}
	s.Lock()
	defer s.Unlock()
	if tr := s.active.front(); tr != nil {
		t.closeTrace(s, tr, ByLimit, counts)
	}
	return true
}

// withOldest returns the shard whose list begins with the oldest trace.
func (t *Tracker) withOldest(of func(*shard) *traceList) *shard {
	var oldest *shard
	least := int64(math.MaxInt64)
	for i := range t.shards {
		if at := of(&t.shards[i]).oldest.Load(); at != 0 && at < least {
			oldest, least = &t.shards[i], at
		}
	}
	return oldest
}

// closeTrace judges what is open in a trace as one run: the span that would
// have told its runs apart never came. The verdict is kept for that span.
func (t *Tracker) closeTrace(s *shard, tr *trace, by ClosedBy, counts *Counts) {
	s.epoch++ // No span is in hand.
	v := visit{trace: tr, shard: s, epoch: s.epoch, counts: counts}
	var all *group
	var ids []pcommon.SpanID
	for id := range tr.groups {
		if !id.IsEmpty() {
			ids = append(ids, id) // A conversation waits for no span.
		}
		if g := v.detach(id); all == nil {
			all = g
		} else {
			all = merge(all, g)
		}
	}
	if all != nil {
		v.closeOpen(all, by, ids...)
	}
	s.letGo()
	t.account(tr)
	s.relist(tr)
}

// forgetLinks drops what a closed trace knows of its spans; the verdicts that
// wait for theirs are kept.
func (t *Tracker) forgetLinks(s *shard, tr *trace) {
	tr.spans, tr.marks, tr.told, tr.markBytes = make(forest), nil, nil, 0
	t.account(tr)
	s.relist(tr)
}

// closeOpen closes a group without its span. The spans that its parts waited
// for share the verdict: the first that comes gets it.
func (v *visit) closeOpen(g *group, by ClosedBy, waiting ...pcommon.SpanID) {
	g.top = true
	if !g.isRun() && !v.circles(g, nil) {
		v.discard(g)
		return
	}
	if by == ByLimit {
		v.counts.EvictedRuns++
	}
	k := &kept{run: v.finish(g, by, nil)}
	v.shard.sink.Run(k.run)
	v.markBytes += findingSize * len(k.run.Findings)
	for _, id := range waiting {
		v.keep(id, k)
	}
}

// keep has a verdict wait for a span; of two the worse one counts.
func (v *visit) keep(id pcommon.SpanID, k *kept) {
	if old := v.kept[id]; old != nil && old.run.Severity >= k.run.Severity {
		return
	}
	if v.kept == nil {
		v.kept = make(map[pcommon.SpanID]*kept)
	}
	v.kept[id] = k
}

// closeFull closes the touched runs that have reached their limit of steps.
func (v *visit) closeFull(steps int) {
	for _, g := range v.shard.touched {
		full := g.models > steps || len(g.entries)/entriesPerStep >= steps
		if full && v.groups[g.id] == g {
			v.closeOpen(v.detach(g.id), ByLimit, g.id)
		}
	}
}

// forget drops a trace and all that is known of it.
func (t *Tracker) forget(s *shard, tr *trace) {
	tr.unlist()
	delete(s.traces, tr.id)
	t.open.Add(-int64(tr.open))
	t.bytes.Add(-int64(tr.size))
}
