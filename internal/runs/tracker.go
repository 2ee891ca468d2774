// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// Sink hears what the tracker finds out. Its methods are called with a lock
// held: they must be quick and must not call the tracker.
type Sink interface {
	// Run is called once for each run, when it closes.
	Run(*Run)
	// Finding is called once for each finding, with the span that carries it;
	// an empty id says that no span could.
	Finding(pcommon.TraceID, pcommon.SpanID, *guard.Finding)
	// Retracted is called for a finding that the judgement at the end of the
	// run has withdrawn.
	Retracted(code string)
	// Count is called once a batch, with the lock released.
	Count(*Counts)
}

// Settings configures a Tracker. All fields but MarkCalls are required.
type Settings struct {
	// Guard configures the guard of each run. It must be valid.
	Guard guard.Options
	// Profiles are further ones, by Item.Profile from 1.
	Profiles []guard.Options
	// IdleTimeout closes a trace that has had no new span for so long.
	IdleTimeout time.Duration
	Limits      Limits
	Sink        Sink
	// MarkCalls has the calls of a loop marked as well. That is of use only to
	// those who have whole runs in hand: earlier spans have passed otherwise.
	MarkCalls bool
}

// Tracker groups the facts of many traces into runs. It is safe for
// concurrent use.
type Tracker struct {
	settings Settings
	shards   [shardCount]shard
	open     atomic.Int64 // Runs.
	bytes    atomic.Int64
	shut     atomic.Bool
	batches  sync.Pool
}

// shardCount is enough that the cores of one machine seldom wait for each other.
const shardCount = 16

// shard holds the traces of one slice of the trace ids.
type shard struct {
	sync.Mutex
	traces map[pcommon.TraceID]*trace
	// A trace is on one of these: it has open runs, or none, or none and a
	// verdict that waits for its span.
	active, closed, keeping traceList
	epoch                   uint32

	sink   Sink
	calls  bool        // Settings.MarkCalls
	guards []guardPool // By profile.
	// What a visit needs and the next one can use again.
	stepper stepper
	ready   []int32
	touched []*group
}

// New returns a tracker. Its error is about the guard's options.
func New(s Settings) (*Tracker, error) {
	patterns := make([]*guard.Guard, 1+len(s.Profiles))
	for i, o := range append([]guard.Options{s.Guard}, s.Profiles...) {
		g, err := guard.New(o)
		if err != nil {
			return nil, fmt.Errorf("guard options of profile %d: %w", i, err)
		}
		patterns[i] = g
	}
	t := &Tracker{settings: s}
	t.batches.New = func() any { return new(Batch) }
	for i := range t.shards {
		t.shards[i].init(&s, patterns)
	}
	return t, nil
}

func (s *shard) init(set *Settings, patterns []*guard.Guard) {
	s.traces = make(map[pcommon.TraceID]*trace)
	for _, l := range []*traceList{&s.active, &s.closed, &s.keeping} {
		l.Init()
	}
	s.sink, s.calls = set.Sink, set.MarkCalls
	for _, p := range patterns {
		s.guards = append(s.guards, guardPool{pattern: p})
	}
}

// Batch returns an empty batch. Give it back with Release.
func (t *Tracker) Batch() *Batch { return t.batches.Get().(*Batch) }

// Release takes a batch back; its marks must not be used any more.
func (t *Tracker) Release(b *Batch) {
	b.Reset()
	t.batches.Put(b)
}

func (t *Tracker) shardOf(id pcommon.TraceID) *shard {
	return &t.shards[xxh3.Hash(id[:])%shardCount]
}

// Observe takes in a batch and sets the marks of its items. Spans of ours
// start the tracking of their trace; of the traces that are tracked all spans
// count, for they link others.
func (t *Tracker) Observe(now time.Time, b *Batch) {
	if t.shut.Load() {
		return // Nobody would count what begins now.
	}
	t.split(b)
	counts := Counts{}
	for _, c := range b.chains {
		t.observe(now, b, c, &counts)
	}
	t.converse(now, b, &counts)
	t.enforce(&counts)
	t.settings.Sink.Count(&counts)
}

// split sorts the items by trace, leaving out spans of traces not tracked.
func (t *Tracker) split(b *Batch) {
	for i := range b.Items {
		if b.Items[i].Fact != nil {
			b.chainOf(b.Items[i].Trace, true)
		}
	}
	var last pcommon.TraceID
	c := -1
	for i := range b.Items {
		it := &b.Items[i]
		if i == 0 || it.Trace != last {
			last = it.Trace
			if c = b.chainOf(last, false); c < 0 {
				c = b.chainOf(last, t.tracks(last))
			}
		}
		if c >= 0 {
			b.link(c, int32(i))
		}
	}
}

// tracks reports whether spans of ours have come in this trace.
func (t *Tracker) tracks(id pcommon.TraceID) bool {
	s := t.shardOf(id)
	s.Lock()
	defer s.Unlock()
	return s.traces[id] != nil
}

func (t *Tracker) observe(now time.Time, b *Batch, c chain, counts *Counts) {
	t.visit(now, b, c.trace, counts, func(v *visit) { v.observe(c.first) })
}

// visit updates a trace, a new one if it is not tracked yet.
func (t *Tracker) visit(now time.Time, b *Batch, id pcommon.TraceID, counts *Counts, update func(*visit)) {
	s := t.shardOf(id)
	s.Lock()
	defer s.Unlock()
	tr := s.traces[id]
	if tr == nil {
		tr = newTrace(id)
		s.traces[id] = tr
	}
	s.epoch++
	s.touched = s.touched[:0]
	v := visit{trace: tr, shard: s, items: b.Items, epoch: s.epoch, counts: counts, talks: &b.talks}
	update(&v)
	v.closeFull(t.settings.Limits.StepsPerRun)
	s.letGo()
	tr.last = now
	t.account(tr)
	s.relist(tr)
	if int64(tr.size) > t.settings.Limits.Bytes/largestShare {
		t.closeTrace(s, tr, ByLimit, counts)
		t.forgetLinks(s, tr)
	}
}

// letGo drops what the visit has looked at, so that it can be freed.
func (s *shard) letGo() {
	clear(s.touched)
	s.touched = s.touched[:0]
	s.stepper.entries = nil
}

// account brings the totals up to date with what the trace now takes.
func (t *Tracker) account(tr *trace) {
	size := tr.bytes()
	t.open.Add(int64(tr.openGroups - tr.open))
	t.bytes.Add(int64(size - tr.size))
	tr.open, tr.size = tr.openGroups, size
}

// relist puts a trace at the young end of the list where it belongs.
func (s *shard) relist(tr *trace) {
	tr.unlist()
	switch {
	case tr.open > 0:
		s.active.push(tr)
	case len(tr.kept) > 0:
		s.keeping.push(tr)
	default:
		s.closed.push(tr)
	}
}

// Idle reports whether no trace is tracked.
func (t *Tracker) Idle() bool { return t.bytes.Load() == 0 }

// Open is the number of open runs.
func (t *Tracker) Open() int64 { return t.open.Load() }

// Size is what the state takes, in bytes, by its own account.
func (t *Tracker) Size() int64 { return t.bytes.Load() }

// Counts is what one batch adds to the counters.
type Counts struct {
	// Spans counts recognised spans by dialect and kind.
	Spans          map[SpanKind]int64
	InputTokens    int64
	OutputTokens   int64
	LateSpans      int64
	DuplicateSpans int64
	EvictedRuns    int64
}

// SpanKind is a key of Counts.Spans.
type SpanKind struct {
	Dialect genai.Dialect
	Kind    genai.Kind
}

func (c *Counts) span(f *genai.Fact) {
	if c.Spans == nil {
		c.Spans = make(map[SpanKind]int64)
	}
	c.Spans[SpanKind{f.Dialect, f.Kind}]++
}

func (c *Counts) tokens(u genai.Usage) {
	c.InputTokens += u.Input
	c.OutputTokens += u.Output
}
