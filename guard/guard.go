// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"slices"
	"time"
	"unsafe"
)

// Guard judges one run, step by step. It holds digests and totals, and the
// steps themselves only as its history. It is not safe for concurrent use.
type Guard struct {
	rules   *rules
	started time.Time
	now     state
	// before is now as it was ahead of the last step, for Amend.
	before   state
	counts   table[int]
	outcomes table[int]
	streams  table[stream]
	sweeps   table[reads]
	seen     table[sighting]
	errors   table[errorRun]
	cycles   cycles
	relay    relays
	// tools knows tools, and sets of tools, by mark: the first of the run, and
	// those in episodes; others those of late.
	tools    map[mark]toolInfo
	others   table[toolInfo]
	episodes episodes
	ended    bool
	history  []Step
	// shadows judge the run without one veto each.
	shadows []shadow
	current
}

// current is what the detectors see of the step at hand.
type current struct {
	index  int
	step   StepDigest
	ending ending
	// shown is the step with its content, if it came so.
	shown   *Step
	calls   []call
	round   []call
	beats   []beat
	volleys []volley
	// by is the detector that looks, hits what has been reported.
	by   *active
	hits []hit
	// crossing indexes the call that the verdict is about.
	crossing int
}

// state is what the guard knows of the steps so far, but for tables and rings.
type state struct {
	Steps  int
	Calls  int
	Errors int
	// Turn is the step of the last boundary, Live the number of beats since.
	Turn       int
	Live       int
	Totals     totals
	Ending     ending
	Repeats    repeats
	Cycle      oscillating
	Telling    telling
	Stall      stall
	Pace       pace
	Changes    changes
	Recurrence recurrence
	Failures   failures
	Wait       wait
}

// New checks the options and starts a guard for one run. The error names each
// invalid option, its value and what is allowed.
func New(o Options) (*Guard, error) {
	r, err := compile(o)
	if err != nil {
		return nil, err
	}
	return start(r), nil
}

func start(r *rules) *Guard {
	g := &Guard{rules: r, shadows: r.newShadows()}
	g.cycles.ring.limit = r.Oscillation.MaxPeriod
	g.streams.limit, g.sweeps.limit = streamsKept, sweepsKept
	g.counts.limit, g.outcomes.limit = tableLimit, tableLimit
	g.seen.limit, g.errors.limit, g.others.limit = sightings, errorTools, namesKept
	if !r.retrospective {
		g.started = r.Now()
	}
	return g
}

// Fresh is a guard for another run with the same options; it shares all that
// does not change, so it costs little.
func (g *Guard) Fresh() *Guard { return start(g.rules) }

// Reset forgets the run and keeps the options.
func (g *Guard) Reset() { *g = *start(g.rules) }

// Check records a step and judges it. It never fails on odd data; a panic in a
// custom detector reaches the caller.
func (g *Guard) Check(s Step) Verdict {
	if !g.rules.NoHistory {
		s.Calls = slices.Clone(s.Calls)
		g.history = append(g.history, s)
	}
	g.begin()
	g.shown = &s
	d := g.rules.digester.step(s, g.rules.keys)
	g.follow(d, (*Guard).CheckDigest)
	v := g.judge(d)
	g.preview(&v, s)
	return v
}

// CheckDigest is Check for a step that is digested already. Custom detectors do
// not run, and neither evidence nor history has the content. For Retrospective
// the verdict has no words, nor warnings: Findings has both.
func (g *Guard) CheckDigest(s StepDigest) Verdict {
	g.begin()
	g.follow(s, (*Guard).CheckDigest)
	return g.judge(s)
}

// Amend replaces the last step, which has grown, and judges it again: the guard
// is then as if the step had been so from the start. Without a step it is
// CheckDigest. The history keeps what it has.
func (g *Guard) Amend(s StepDigest) Verdict {
	g.now = g.before
	g.counts.rewind()
	g.outcomes.rewind()
	g.streams.rewind()
	g.sweeps.rewind()
	g.seen.rewind()
	g.errors.rewind()
	g.others.rewind()
	g.cycles.rewind()
	g.relay.rewind()
	g.episodes.rewind()
	g.shown = nil
	g.follow(s, (*Guard).Amend)
	return g.judge(s)
}

// End says that the run is over: the last finish reason counts, and loops that
// are still open have ended the run. Further steps take that back.
func (g *Guard) End() {
	g.ended = true
	for _, sh := range g.shadows {
		sh.guard.End()
	}
}

// History is a copy of the steps so far; nil with NoHistory.
func (g *Guard) History() []Step { return slices.Clone(g.history) }

func (g *Guard) begin() {
	g.before = g.now
	g.counts.begin()
	g.outcomes.begin()
	g.streams.begin()
	g.sweeps.begin()
	g.seen.begin()
	g.errors.begin()
	g.others.begin()
	g.cycles.begin()
	g.relay.begin()
	g.episodes.begin()
	g.shown = nil
}

// judge takes a step in and asks every detector about it.
func (g *Guard) judge(s StepDigest) Verdict {
	defer g.release() // even if a custom detector panics
	g.take(s)
	for i := range g.rules.active {
		g.by = &g.rules.active[i]
		g.by.look(g)
	}
	return g.verdict()
}

// take makes the step current and adds up what it brings.
func (g *Guard) take(s StepDigest) {
	g.ended = false
	s.Finish = g.rules.finish(s.Finish)
	g.index, g.step, g.ending = g.now.Steps, s, endingOf(&s)
	g.now.Steps++
	g.now.Totals.spend(&s)
	g.now.Pace.add(&s)
	if s.Boundary {
		g.now.Turn = g.index
		g.endTurn()
	}
	g.calls = g.calls[:0]
	for i := range s.Calls[:min(len(s.Calls), callsKept)] {
		g.calls = append(g.calls, g.call(&s.Calls[i], i))
	}
	if g.rules.retrospective && slices.ContainsFunc(g.calls, func(c call) bool { return !c.ignored }) {
		g.now.Pace.round(int64(g.rules.Waiting.MinGap))
	}
	g.beats = g.beatsOf(g.beats[:0], false)
	if g.rules.retrospective && len(g.beats) > 0 {
		g.now.Pace.Bare = g.beats[0].Bare
		g.see()
	}
}

// release ends the step and lets go of what an unusually large one has needed.
func (g *Guard) release() {
	g.now.Ending = g.ending
	clear(g.hits)
	g.shown, g.step, g.hits = nil, StepDigest{}, g.hits[:0]
	if cap(g.calls) > usualCalls {
		g.calls, g.round, g.beats, g.volleys, g.hits = nil, nil, nil, nil, nil
	}
}

// verdict sums up the hits of the step. They stand in order of priority.
func (g *Guard) verdict() Verdict {
	var v Verdict
	brief := g.rules.retrospective && g.shown == nil
	for i := range g.hits {
		h := &g.hits[i]
		switch {
		case h.severity == Warn && brief:
		case h.severity == Warn:
			v.Warnings = append(v.Warnings, h.warning(g))
		case !v.Stop:
			v.Stop, v.Reason, v.Code = true, h.by.reason, h.code
			g.crossing = h.call
			g.recordFirst(h)
			if !brief {
				f := g.worded(h)
				v.Detail, v.Evidence = f.Detail, f.Evidence
			}
		}
	}
	return v
}

// worded is the finding of a hit with its words.
func (g *Guard) worded(h *hit) Finding {
	e := g.newEpisode(h)
	g.spell(&e.Finding, h.by.words, &e.Facts)
	return e.Finding
}

// recordFirst keeps the first stop of the zero Options, which know no episodes.
func (g *Guard) recordFirst(h *hit) {
	if !g.rules.retrospective && len(g.episodes.list) == 0 {
		g.open(h)
	}
}

// Size estimates the bytes of state that the guard holds, without its history.
func (g *Guard) Size() int {
	size := int(unsafe.Sizeof(*g))
	size += g.counts.size() + g.outcomes.size() + g.seen.size() + g.errors.size()
	size += g.streams.size() + g.sweeps.size()
	size += (len(g.tools)+len(g.others.young)+len(g.others.old))*nameBytes + g.others.size()
	size += len(g.tools) * (entryBytes + int(unsafe.Sizeof(toolInfo{})))
	size += (cap(g.cycles.ring.beats) + cap(g.cycles.ring.lost) + cap(g.beats)) * int(unsafe.Sizeof(beat{}))
	size += (cap(g.cycles.lags) + cap(g.cycles.before)) * int(unsafe.Sizeof(lag{}))
	size += (cap(g.calls)+cap(g.round))*int(unsafe.Sizeof(call{})) + cap(g.volleys)*int(unsafe.Sizeof(volley{}))
	size += cap(g.hits) * int(unsafe.Sizeof(hit{}))
	size += cap(g.episodes.list) * int(unsafe.Sizeof(episode{}))
	size += cap(g.episodes.changed) * int(unsafe.Sizeof(changedEpisode{}))
	for i := range g.episodes.list {
		size += g.episodes.list[i].extent()
	}
	for _, sh := range g.shadows {
		size += sh.guard.Size()
	}
	return size
}
