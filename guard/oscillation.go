// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"strings"
)

// maxPeriod is the longest cycle that can be asked for.
const maxPeriod = 32

// lag counts in a row the beats that equal the one some way back.
type lag struct {
	// Run counts equal calls whose outcomes do not differ, Full those of
	// which all outcomes are known, Results those with unknown arguments.
	Run, Full, Results int
	// Alike counts those that are equal but for identifiers.
	Alike int
	// Gaps are the idle times from lap to lap.
	Gaps waits
}

func (l *lag) add(r relation, a, b *beat) {
	if r > differs {
		l.Gaps.add(a.Tempo, b.Tempo)
	}
	switch r {
	case same:
		l.Run++
		l.Full++
	case sameCalls:
		l.Run++
		l.Full = 0
	case alike:
		l.Run++
		l.Full = 0
		l.Alike++
	case sameResults:
		l.Run++
		l.Full = 0
		l.Results++
	case differs:
		if l.Run > 0 {
			*l = lag{}
		}
	}
}

// cycles is the state of the oscillation detector. The counter of lag p finds a
// cycle of period p at the earliest beat and without looking back: p*(laps-1)
// beats in a row equal the p-th before them.
type cycles struct {
	ring ring
	// lags starts with lag 1; before is its state ahead of this step.
	lags, before []lag
}

func (c *cycles) begin() {
	c.ring.begin()
	c.before = append(c.before[:0], c.lags...)
}

func (c *cycles) rewind() {
	c.ring.rewind()
	c.lags = append(c.lags[:0], c.before...)
}

// add takes a beat; live is how many earlier beats it may be compared with.
func (c *cycles) add(b beat, live int, outcomes bool) {
	live = min(live, c.ring.limit)
	for p := 1; p <= live; p++ {
		if p > len(c.lags) {
			c.lags = append(c.lags, lag{})
		}
		a := c.ring.back(p)
		if rel := b.to(a, outcomes); rel != unsure {
			c.lags[p-1].add(rel, a, &b)
		}
	}
	if outcomes && !b.Full {
		c.carry(&b, live)
	}
	c.ring.put(b)
}

// carry hands the outcomes one lap earlier on to a beat that has none, so that
// a later lap with other outcomes is still seen to differ.
func (c *cycles) carry(b *beat, live int) {
	for p := 2; p <= live; p++ {
		if c.lags[p-1].Run >= p && b.Known == 0 {
			b.Known, b.Outs = c.ring.back(p).Known, c.ring.back(p).Outs
			return
		}
	}
	if live > 0 && c.lags[0].Run > 0 && b.Known == 0 {
		b.Known, b.Outs = c.ring.back(1).Known, c.ring.back(1).Outs
	}
}

// cycle is a cycle that has reached a threshold.
type cycle struct {
	period, laps, threshold int
	grade                   Grade
	// alike says that laps differ in identifiers.
	alike bool
}

// find is the smallest period with enough laps of at least two distinct beats;
// a period of 0 is none.
func (c *cycles) find(o *Oscillation) cycle {
	for p := 1; p <= len(c.lags); p++ {
		l := &c.lags[p-1]
		if l.Run < p {
			continue // not even two laps
		}
		full, some := 1+l.Full/p, 1+l.Run/p
		switch {
		case full >= o.Repeats && c.mixed(p):
			return cycle{p, full, o.Repeats, Confirmed, false}
		case passed(some, o.ArgsOnlyRepeats) && c.mixed(p):
			return cycle{p, some, o.ArgsOnlyRepeats, l.grade(), l.Alike > 0}
		}
	}
	return cycle{}
}

func (l lag) grade() Grade {
	if l.Results > 0 || l.Alike > 0 {
		return ResultsOnly
	}
	return ArgsOnly
}

// mixed reports whether two of the last p beats differ, or the calls of one.
func (c *cycles) mixed(p int) bool {
	if p == 1 {
		return c.ring.back(1).Several
	}
	if c.lags[0].Run >= p-1 {
		return false
	}
	last := c.ring.back(1)
	for i := 2; i <= p; i++ {
		if c.ring.back(i).to(last, true) == differs {
			return true
		}
	}
	return false
}

// identity is the same for a cycle whatever beat it is entered at: it starts
// from the least rotation.
func (c *cycles) identity(p int) mark {
	at := func(i int) mark { return c.ring.back(p - i%p).identity() }
	start := leastRotation(p, at)
	id := at(start)
	for i := 1; i < p; i++ {
		id = mark(nonZero(join(uint64(id), uint64(at(start+i)))))
	}
	return id
}

// leastRotation is where the least rotation of at(0) … at(n-1) starts, by two
// candidates that skip what they have compared: O(n).
func leastRotation(n int, at func(int) mark) int {
	i, j, k := 0, 1, 0
	for i < n && j < n && k < n {
		a, b := at(i+k), at(j+k)
		switch {
		case a == b:
			k++
			continue
		case a > b:
			i += k + 1
		default:
			j += k + 1
		}
		if i == j {
			j++
		}
		k = 0
	}
	return min(i, j)
}

// oscillating is the cycle that the detector is in.
type oscillating struct {
	ID     mark
	Period int
}

// oscillation finds cycles of calls (detection.md 1 and 2; agent-loopguard has
// the rule for short ones). It looks at the sequence's end once a step.
func oscillation(g *Guard) {
	o, c := &g.rules.Oscillation, &g.cycles
	if g.step.Boundary {
		c.lags, g.now.Live = c.lags[:0], 0
	}
	for _, b := range g.beats {
		c.add(b, g.now.Live, g.rules.retrospective)
		g.now.Live++
	}
	if len(g.beats) == 0 || c.ring.back(1).Delegated {
		return
	}
	g.leaveCycle()
	found := c.find(o)
	switch last := c.ring.back(1); {
	case found.period == 0:
	case c.polls(found.period, g.rules):
		g.waited(c.identity(found.period), last.Tools, last.Call)
	default:
		g.enterCycle(found)
	}
}

// polls reports whether the cycle of period p looks for a change: a call says
// that work goes on and the others merely pass the time, or the laps are slow.
func (c *cycles) polls(p int, r *rules) bool {
	progress, bare, failed := false, true, false
	for i := 1; i <= p; i++ {
		b := c.ring.back(i)
		progress = progress || b.Progress
		failed = failed || b.Failed
		bare = bare && (b.Bare || b.Progress)
	}
	return r.polls(progress && bare, failed, c.lags[p-1].Gaps)
}

// leaveCycle closes the episode of a cycle that the last beats have broken.
func (g *Guard) leaveCycle() {
	at := &g.now.Cycle
	if p := at.Period; p > 0 && (p > len(g.cycles.lags) || g.cycles.lags[p-1].Run == 0) {
		g.resumed(at.ID)
		*at = oscillating{}
	}
}

func (g *Guard) enterCycle(found cycle) {
	at := oscillating{ID: g.cycles.identity(found.period), Period: found.period}
	if g.now.Cycle.Period > 0 && g.now.Cycle.ID != at.ID {
		g.resumed(g.now.Cycle.ID)
	}
	g.now.Cycle = at
	h := hit{
		id: at.ID, code: CodeOscillation, grade: found.grade,
		call: g.cycles.ring.back(1).Call, count: found.laps,
		facts: facts{Threshold: found.threshold, Period: found.period},
	}
	if found.alike {
		h.severity = g.by.warning()
	}
	g.report(h)
}

// tools are those of the last p beats, oldest first.
func (c *cycles) tools(p int) []mark {
	list := make([]mark, p)
	for i := range list {
		list[i] = c.ring.back(p - i).Tools
	}
	return list
}

func oscillationWords(g *Guard, f *Finding, x *facts) (string, Evidence) {
	var names []string
	for _, m := range x.Cycle {
		names = append(names, g.label(m))
	}
	detail := fmt.Sprintf("A cycle of %d calls (%s) went round %d times.", x.Period, strings.Join(names, ", "), f.Count)
	if x.Period == 1 {
		detail = fmt.Sprintf("A round of calls (%s) came %d times.", strings.Join(names, ", "), f.Count)
	}
	return detail, Evidence{"period": x.Period, "repeats": f.Count, "threshold": x.Threshold, "cycle": names}
}
