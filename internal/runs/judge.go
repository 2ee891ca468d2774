// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// An open run is judged after each batch that adds to it. As a rule only its
// last step has grown or new ones have begun, and the guard goes on from there.
// If an earlier step has changed, all of it is judged afresh; each new entry
// pays for so many entries judged again, which bounds the work per span
// however hostile the order is. What cannot be paid for waits: the judgement
// at the end is made in full.
const (
	creditPerEntry = 8
	maxCredit      = 1 << 16
)

// judgeTouched judges the open runs that the batch has added to.
func (v *visit) judgeTouched() {
	for _, g := range v.shard.touched {
		if v.groups[g.id] != g {
			continue
		}
		if g.dirty {
			v.judgeLive(g)
			v.announce(g, nil)
			v.markLoops(g)
		}
		v.count(g)
	}
}

// judgeLive brings the guard of an open run up to date, if that is affordable.
func (v *visit) judgeLive(g *group) {
	cost := len(g.entries)
	if !g.stale && g.guard != nil {
		cost -= g.lastStart
	}
	if !g.dirty || cost > g.credit {
		return
	}
	g.credit -= cost
	v.judge(g, nil)
}

// judge brings the guard up to date, whatever it takes. closing is the run's
// own span.
func (v *visit) judge(g *group, closing *Item) {
	g.sort()
	v.useProfile(g, g.profileOf(closing))
	if !g.dirty && !g.stale {
		return
	}
	from, amend := g.lastStart, true
	if g.stale {
		g.guard.Reset()
		from, amend = 0, false
		g.stale, g.lastStart, g.lastEnd = false, 0, 0
	}
	s := &v.shard.stepper
	g.steps(s, from, g.lastEnd)
	for before := s.lastEnd; s.scan(); before = s.lastEnd {
		g.lastEnd = before
		if amend {
			g.guard.Amend(s.step)
		} else {
			g.guard.CheckDigest(s.step)
		}
		amend = false
		g.lastStart = s.first
	}
	g.dirty = false
}

// sort puts entries in order that came too far out of it.
func (g *group) sort() {
	if g.unsorted {
		slices.SortFunc(g.entries, func(a, b entry) int { return compareEntries(&a, &b) })
		g.unsorted = false
	}
}

// verdict is the judgement so far.
func (g *group) verdict() Verdict {
	v := Verdict{Severity: OK}
	if g.guard == nil {
		return v
	}
	f := g.guard.Verdict()
	if f.Severity == guard.OK {
		return v
	}
	v.Severity = severityOf(f.Severity)
	v.Fault = f
	v.OnsetStep = f.Step
	if at := g.crossing(f); at >= 0 {
		v.OnsetSpan = g.at(at, f.Depth).id
	}
	return v
}

func severityOf(s guard.Severity) Severity {
	switch s {
	case guard.Stop:
		return Stop
	case guard.Warn:
		return Warn
	default:
		return OK
	}
}

// crossing returns the entry at which a finding's threshold was reached, -1 if
// the run has no such step.
func (g *group) crossing(f guard.Finding) int {
	var s stepper
	g.steps(&s, 0, 0)
	for i := 0; s.scan(); i++ {
		if i < f.Step {
			continue
		}
		if f.Call >= 0 && f.Call < len(s.callsAt) {
			return int(s.callsAt[f.Call])
		}
		return s.opener
	}
	return -1
}

// announce says each finding once: on the crossing span if that is in hand,
// else on the next span of the run that is. closing is the run's own span.
func (v *visit) announce(g *group, closing *Item) {
	if g.guard == nil {
		return
	}
	for _, f := range g.guard.Unsaid(g.hasSaid) {
		at := g.crossing(f)
		it := v.inHand(g, at, f.Depth, closing)
		if it == nil {
			continue
		}
		g.say(f.Key, f.Code)
		c := Crossing{Finding: f, Run: g.runID(it)}
		if at >= 0 {
			c.At = pcommon.Timestamp(g.at(at, f.Depth).end)
		}
		v.cross(it, c)
	}
}

// cross marks a span with a finding and counts it.
func (v *visit) cross(it *Item, c Crossing) {
	m := v.mark(it)
	m.Crossings = append(m.Crossings, c)
	v.markBytes += findingSize
	v.shard.sink.Finding(v.id, it.ID, &c.Finding)
}

// runID names the run that a finding is about: by its span, or by the open
// span that it waits for; a conversation has neither.
func (g *group) runID(it *Item) string {
	if g.id.IsEmpty() {
		return it.Trace.String()
	}
	return g.id.String()
}

// inHand returns the span of the current batch that carries a finding.
func (v *visit) inHand(g *group, at, depth int, closing *Item) *Item {
	if at >= 0 && depth > 0 {
		if l := g.at(at, depth); l.epoch == v.epoch {
			return &v.items[l.item]
		}
	}
	for i := max(at, 0); i < len(g.entries); i++ {
		if e := &g.entries[i]; e.epoch == v.epoch {
			return &v.items[e.item]
		}
	}
	if g.handEpoch == v.epoch {
		return &v.items[g.hand]
	}
	return closing
}
