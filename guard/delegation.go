// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"
)

// relayPeriod is the longest circle of agents looked for.
const relayPeriod = 16

// pass is one time that the task went on to another agent.
type pass struct {
	// To is the agent, or the hand-off with its arguments.
	To mark
	// Tool is the name behind To.
	Tool mark
	// Task is what the agent was asked for, Did what it did, with what has
	// been done since the pass before; 0 is not known.
	Task, Did mark
}

// relay is the state of the delegation loop detector.
type relay struct {
	// Live passes have been seen since the boundary, or since two of them went
	// on at a time; the last are in Last.
	Live int
	Last [relayPeriod]pass
	// Runs counts, by period less 1, passes in a row that do not differ from
	// the one a period before, Full those of which that is known.
	Runs, Full [relayPeriod]int
	// End is when the last nested run ended.
	End int64
	// Work is what has been done since the last pass, unless it is Unclear.
	Work    mark
	Unclear bool
	// Cycle is the circle that the run is in.
	Cycle oscillating
}

// relays can take back what the last step did.
type relays struct {
	now, before relay
	dirty       bool
}

func (r *relays) begin() { r.dirty = false }

func (r *relays) rewind() {
	if r.dirty {
		r.now, r.dirty = r.before, false
	}
}

// last is the state before this step.
func (r *relays) last() relay {
	if r.dirty {
		return r.before
	}
	return r.now
}

// edit is the state, to be changed.
func (r *relays) edit() *relay {
	if !r.dirty {
		r.before, r.dirty = r.now, true
	}
	return &r.now
}

// delegationLoop finds agents that hand a task round in a circle (conductor#442,
// Strands' swarm) and agents that are given the same task again below
// themselves (deepeval's ancestry rule, IAL-Scan). What an agent does decides:
// one that gets on does something else each time, as writer and reviewer do.
func delegationLoop(g *Guard) {
	if g.step.Boundary && g.relay.now.Live > 0 {
		*g.relay.edit() = relay{}
	}
	for i := range g.calls {
		c := &g.calls[i]
		d := &g.step.Calls[c.index]
		switch {
		case c.ignored:
		case d.Delegation || d.Handoff:
			g.pass(c, d)
		case g.relay.now.Live > 0:
			g.relay.edit().work(c.args.with(c.out))
		}
		if len(d.Nested) >= g.rules.DelegationLoop.Repeats {
			g.descend(c, d.Nested)
		}
	}
	if len(g.calls) == 0 && g.relay.now.Live > 0 && !g.step.Text.Blank {
		g.relay.edit().work(mark(g.step.Text.Print))
	}
}

// work notes what is done between two passes.
func (r *relay) work(m mark) {
	r.Unclear = r.Unclear || m == 0
	r.Work = mark(nonZero(join(uint64(r.Work), uint64(m))))
}

// passOf makes a pass of a delegation or a hand-off.
func (r *relay) passOf(c *call, d *CallDigest) pass {
	p := pass{To: c.tool, Tool: c.tool, Task: c.args}
	did := cmp.Or(mark(d.Did), c.out)
	if d.Handoff {
		did = c.args
		if c.args != 0 {
			p.To = c.args
		}
	}
	if did != 0 && !r.Unclear {
		p.Did = mark(nonZero(join(uint64(r.Work), uint64(did))))
	}
	return p
}

// pass takes a pass and looks for a circle that it closes.
func (g *Guard) pass(c *call, d *CallDigest) {
	r := g.relay.edit()
	p := r.passOf(c, d)
	if d.Delegation && d.Start > 0 && d.Start < r.End {
		*r = relay{Cycle: r.Cycle} // At a time: nobody waits for the other.
	}
	if d.Delegation {
		r.End = max(r.End, d.End)
	}
	r.Work, r.Unclear = 0, false
	r.add(p)
	if at := r.Cycle.Period; at > 0 && r.Runs[at-1] == 0 {
		g.resumed(r.Cycle.ID)
		r.Cycle = oscillating{}
	}
	if h, ok := r.circle(&g.rules.DelegationLoop); ok {
		h.call = c.index
		g.enterCircle(r, h)
	}
}

func (r *relay) back(p int) *pass { return &r.Last[(r.Live-p+relayPeriod)%relayPeriod] }

func (r *relay) add(p pass) {
	for n := 1; n <= min(r.Live, relayPeriod); n++ {
		switch same, known := p.like(r.back(n)); {
		case !same:
			r.Runs[n-1], r.Full[n-1] = 0, 0
		case !known:
			r.Runs[n-1], r.Full[n-1] = r.Runs[n-1]+1, 0
		default:
			r.Runs[n-1]++
			r.Full[n-1]++
		}
	}
	r.Last[r.Live%relayPeriod] = p
	r.Live++
}

// like compares a pass with an earlier one: by what came of it if that is
// known, else by what was asked for.
func (p *pass) like(q *pass) (same, known bool) {
	switch {
	case p.To != q.To:
		return false, true
	case p.Did != 0 && q.Did != 0:
		return p.Did == q.Did, true
	default:
		return p.Task == 0 || q.Task == 0 || p.Task == q.Task, false
	}
}

// circle is the smallest circle of two and more agents with enough laps.
func (r *relay) circle(o *DelegationLoop) (h hit, ok bool) {
	for p := 2; p <= min(r.Live-1, relayPeriod); p++ {
		full, some := 1+r.Full[p-1]/p, 1+r.Runs[p-1]/p
		switch {
		case r.Runs[p-1] < p || !r.mixed(p):
		case full >= o.Repeats:
			return r.hit(p, full, Confirmed, o.Repeats), true
		case some >= o.NamesOnlyRepeats:
			return r.hit(p, some, ArgsOnly, o.NamesOnlyRepeats), true
		}
	}
	return hit{}, false
}

func (r *relay) mixed(p int) bool {
	for i := 2; i <= p; i++ {
		if r.back(i).To != r.back(1).To {
			return true
		}
	}
	return false
}

func (r *relay) hit(p, laps int, grade Grade, threshold int) hit {
	at := func(i int) mark { return r.back(p - i%p).To }
	start := leastRotation(p, at)
	id := at(start)
	for i := 1; i < p; i++ {
		id = id.with(at(start + i))
	}
	return hit{
		id: id, code: CodeDelegationLoop, grade: grade, count: laps,
		facts: facts{Threshold: threshold, Measures: [2]int{p}},
	}
}

func (g *Guard) enterCircle(r *relay, h hit) {
	p := h.facts.Measures[0]
	if r.Cycle.Period > 0 && r.Cycle.ID != h.id {
		g.resumed(r.Cycle.ID)
	}
	r.Cycle = oscillating{ID: h.id, Period: p}
	if g.episodes.open(g.by.rank, h.id) < 0 {
		for i := p; i > 0; i-- {
			h.facts.Cycle = append(h.facts.Cycle, r.back(i).Tool)
		}
	}
	g.report(h)
}

// descend looks for an agent that meets itself again on the way down. It is
// asked once a run, when all that is below has come.
func (g *Guard) descend(c *call, path []NestedRun) {
	o := &g.rules.DelegationLoop
	for depth := range path {
		sure, some, did := 0, 0, 0
		for i := range path[:depth+1] {
			switch same, known := path[depth].like(&path[i]); {
			case same && known:
				sure++
				some++
				if path[i].Did != 0 && path[i].Did == path[depth].Did {
					did++
				}
			case same:
				some++
			}
		}
		if sure < o.Repeats && some < o.NamesOnlyRepeats {
			continue
		}
		h := hit{
			id: mark(nonZero(xxh3.HashString(path[depth].Agent))), code: CodeDelegationLoop, grade: ArgsOnly,
			call: c.index, depth: depth, count: some, facts: facts{Threshold: o.NamesOnlyRepeats},
		}
		if sure >= o.Repeats {
			h.count, h.facts.Threshold = sure, o.Repeats
		}
		if did >= 2 {
			h.grade = Confirmed
		}
		h.facts.Form = 1
		h.facts.Tools = g.agentMark(path[depth].Agent)
		g.report(h)
		return
	}
}

// agentMark remembers the name of an agent further down.
func (g *Guard) agentMark(name string) mark {
	m := mark(nonZero(xxh3.HashString(name))).with(delegated)
	g.learn(m, name)
	return m
}

// like compares a run with another on the same path: by its task if that is
// known, else by what it did.
func (n *NestedRun) like(o *NestedRun) (same, known bool) {
	switch {
	case n.Agent != o.Agent:
		return false, true
	case n.Task != 0 && o.Task != 0:
		return n.Task == o.Task, true
	case n.Did != 0 && o.Did != 0:
		return n.Did == o.Did, true
	default:
		return true, n == o
	}
}

func delegationWords(g *Guard, f *Finding, x *facts) (string, Evidence) {
	e := Evidence{"repeats": f.Count, "threshold": x.Threshold}
	if x.Form == 1 {
		agent := g.label(x.Tools)
		e["agent"], e["depth"] = agent, f.Depth+1
		return fmt.Sprintf("Agent %q was given the same task again %d times, each within the last.", agent, f.Count), e
	}
	var names []string
	for _, m := range x.Cycle {
		names = append(names, g.label(m))
	}
	e["period"], e["cycle"] = x.Measures[0], names
	return fmt.Sprintf("A task went round %d times between %s.", f.Count, strings.Join(names, ", ")), e
}
