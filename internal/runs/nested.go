// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"math/bits"
	"slices"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// below is what an entry knows of the nested run that it stands for. An agent
// that is given its own task again shows only on the way down, and spans come
// from the bottom up: so each run hands on the longest way down from it.
type below struct {
	did  uint64  // What was done there, runs further down included; 0: not known.
	path []level // From the innermost run up to the nested run itself.
}

// level is one run on a way down.
type level struct {
	run   guard.NestedRun
	id    pcommon.SpanID
	end   int64
	item  int32
	epoch uint32 // Of the batch that item belongs to.
}

// maxPath bounds a way down; what is further in is forgotten.
const maxPath = 64

// belowOf is what the span of a run that has closed hands on.
func (v *visit) belowOf(it *Item, g *group) below {
	l := level{
		run: guard.NestedRun{Agent: intern(it.Fact.Name), Task: it.Fact.Args.Normal},
		id:  it.ID, end: it.End, item: it.index, epoch: v.epoch,
	}
	if g == nil {
		return below{path: []level{l}}
	}
	path := g.longest()
	if len(path) == maxPath {
		path = slices.Delete(path, 0, 1)
	}
	l.run.Did = g.deeds.own()
	return below{g.deeds.all(), append(path, l)}
}

func (g *group) longest() (path []level) {
	for i := range g.entries {
		if p := g.entries[i].below.path; len(p) > len(path) {
			path = p
		}
	}
	return path
}

// wrap takes over what is below a nested run that a call encloses; the call
// says what it was asked for.
func (e *entry) wrap(inner *entry) {
	if len(inner.below.path) <= len(e.below.path) {
		return
	}
	e.below = inner.below
	if own := &e.below.path[len(e.below.path)-1].run; own.Task == 0 {
		own.Task = e.args.Normal
	}
}

// nested is the way down from the nested run inwards.
func (b *below) nested() []guard.NestedRun {
	if len(b.path) < 2 {
		return nil
	}
	list := make([]guard.NestedRun, 0, len(b.path))
	for i := len(b.path) - 1; i >= 0; i-- {
		list = append(list, b.path[i].run)
	}
	return list
}

// deep reports whether an agent may have met itself on the way down.
func (g *group) deep() bool { return len(g.longest()) > 1 }

// at is where a finding crossed: at an entry, or at a run below it.
func (g *group) at(i, depth int) level {
	e := &g.entries[i]
	if n := len(e.below.path); depth > 0 && depth < n {
		return e.below.path[n-1-depth]
	}
	return level{id: e.id, end: e.end}
}

// circles reports whether a group without content of its own has agents that
// hand a task round. Such a group is a run: there is no other to say it of.
// closing is the span that closes it.
func (v *visit) circles(g *group, closing *Item) bool {
	if g.delegations == 0 || g.delegations < 3 && !g.deep() {
		return false
	}
	g.top = true
	g.stale, g.dirty = true, true
	v.judge(g, closing)
	return slices.ContainsFunc(g.guard.Findings(), func(f guard.Finding) bool {
		return f.Reason == guard.ReasonDelegation
	})
}

// wrapperName is the agent's name if the span of a run without content of its
// own has one.
func wrapperName(it *Item) string {
	if kindOf(it) == genai.Agent {
		return it.Fact.Name
	}
	return ""
}

// deeds identify what a run did: its calls with their outcomes, and what it
// said in the end. What is said beside a call announces it and does nothing.
type deeds struct {
	mine, others     uint64
	unclear, unknown bool // Something of mine, of the others', is not known.
}

func (d *deeds) step(s *guard.StepDigest) {
	for i := range s.Calls {
		d.call(&s.Calls[i])
	}
	switch {
	case len(s.Calls) > 0 || s.Text.Blank:
	case s.Text.Print == 0:
		d.unclear = true
	default:
		d.mine = mix(d.mine, s.Text.Print)
	}
}

func (d *deeds) call(c *guard.CallDigest) {
	if c.Delegation {
		d.unknown = d.unknown || c.Did == 0
		d.others = mix(d.others, c.Did)
		return
	}
	// Of a hand-off, what it returns means nothing.
	d.unclear = d.unclear || !c.Args.Known() || !c.Outcome.Known() && !c.Handoff
	d.mine = mix(mix(d.mine, xxh3.HashString(c.Tool)), c.Args.Normal)
	if !c.Handoff {
		d.mine = mix(d.mine, c.Outcome.Normal)
	}
}

// own leaves the nested runs out; 0 is not known.
func (d *deeds) own() uint64 {
	if d.unclear {
		return 0
	}
	return d.mine | 1
}

func (d *deeds) all() uint64 {
	if d.unclear || d.unknown {
		return 0
	}
	return mix(d.mine, d.others) | 1
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xbf58476d1ce4e5b9)
	return hi ^ lo
}
