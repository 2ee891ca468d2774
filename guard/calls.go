// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// toolsKept bounds the names that a guard remembers, nameBytes each of them for
// Retrospective. Of the tools of a run these are the first; namesKept bounds a
// generation of the others.
const (
	toolsKept = 1024
	namesKept = 64
	nameBytes = 64
)

// callsKept bounds the calls of a step that are judged. For more than usualCalls
// no room is kept.
const (
	callsKept  = 4096
	usualCalls = 256
)

// delegated keeps the names of agents and of tools apart.
const delegated mark = 0x64656c6567617465

// call makes a digest what the detectors see, and counts it.
func (g *Guard) call(d *CallDigest, index int) call {
	tool := mark(nonZero(xxh3.HashString(d.Tool)))
	if d.Delegation {
		tool = tool.with(delegated)
	}
	info := g.learn(tool, d.Tool)
	c := call{
		tool: tool, index: index, delegation: d.Delegation,
		exact: tool.with(mark(d.Args.Exact)), varied: d.Args.Varied,
		failed: d.Outcome.Failed, informative: d.Outcome.Informative, bare: d.Outcome.Bare,
		progress: d.Outcome.InProgress, noTool: d.Outcome.NoSuchTool,
		ignored: info.ignored, acts: info.acts,
	}
	args, out := g.marks(d)
	c.args, c.out = tool.with(args), out
	c.strict, c.print = c.args, c.out
	if g.rules.retrospective {
		c.strict, c.print = d.strict(tool), outcomeMark(d.Outcome.Exact, d.Outcome.Failed)
		c.loose = c.strict != c.args
		c.hollow = c.out != 0 && d.Outcome.Hollow
	}
	if !d.Delegation {
		c.nth, _ = g.counts.get(tool)
		c.nth++
		g.counts.set(tool, c.nth)
		g.now.Calls++
		if d.Outcome.Failed {
			g.now.Errors++
		}
	}
	return c
}

// strict covers the tool and the arguments with their identifiers.
func (d *CallDigest) strict(tool mark) mark {
	if d.Args.Varied&VariedIdentifiers == 0 {
		return tool.with(mark(d.Args.Normal))
	}
	return tool.with(mark(cmp.Or(d.Args.Strict, d.Args.Exact)))
}

// marks are those of the arguments and the outcome: exact ones, and without
// their volatile parts for Retrospective, to which nothing given is unknown.
func (g *Guard) marks(d *CallDigest) (args, out mark) {
	switch {
	case !g.rules.retrospective:
		return mark(d.Args.Exact), outcomeMark(d.Outcome.Exact, d.Outcome.Failed)
	case d.Outcome.Exact == nothingGiven.Exact:
		return mark(d.Args.Normal), 0
	default:
		return mark(d.Args.Normal), outcomeMark(d.Outcome.Normal, d.Outcome.Failed)
	}
}

// outcomeMark keeps an error apart from a result that reads the same.
func outcomeMark(print uint64, failed bool) mark {
	if failed {
		return mark(print).with(1)
	}
	return mark(print)
}

// beatsOf makes the beats of the current calls: each call one, or all of them
// one for Retrospective.
func (g *Guard) beatsOf(beats []beat, soundOnly bool) []beat {
	g.round = g.round[:0]
	for i := range g.calls {
		c := &g.calls[i]
		if c.ignored || soundOnly && c.failed {
			continue
		}
		if g.rules.retrospective {
			g.round = append(g.round, *c)
			continue
		}
		beats = append(beats, beatOf(g.calls[i:i+1]))
	}
	if len(g.round) > 0 {
		b := beatOf(g.round)
		b.Tempo = g.now.Pace.Tempo
		if len(g.round) > 1 {
			g.nameSet(b.Tools, g.round)
		}
		beats = append(beats, b)
	}
	return beats
}

// learn looks a tool up and remembers it.
func (g *Guard) learn(tool mark, name string) toolInfo {
	if info, ok := g.known(tool); ok {
		return info
	}
	info := g.rules.tool(name)
	info.name = strings.Clone(name)
	if g.rules.retrospective {
		info.name, info.cut = strings.Clone(cut(name)), len(name) > nameBytes
	}
	g.remember(tool, info)
	return info
}

func (g *Guard) known(tool mark) (toolInfo, bool) {
	if info, ok := g.tools[tool]; ok {
		return info, true
	}
	return g.others.get(tool)
}

func (g *Guard) remember(tool mark, info toolInfo) {
	if len(g.tools) >= toolsKept {
		g.others.set(tool, info)
		return
	}
	g.keep(tool, info)
}

func (g *Guard) keep(tool mark, info toolInfo) {
	if g.tools == nil {
		g.tools = make(map[mark]toolInfo)
	}
	g.tools[tool] = info
}

// retain keeps the names that an episode needs for as long as the run lasts.
func (g *Guard) retain(x *facts) {
	for _, tool := range append(slices.Clip(x.Cycle), x.Tools) {
		if info, ok := g.others.get(tool); ok {
			g.keep(tool, info)
		}
	}
}

// nameSet remembers the name of a round of several tools: theirs, joined.
func (g *Guard) nameSet(set mark, round []call) {
	if _, ok := g.known(set); ok {
		return
	}
	var names []string
	for i := range round {
		names = append(names, cut(g.step.Calls[round[i].index].Tool))
	}
	slices.Sort(names)
	g.remember(set, toolInfo{set: true, name: cut(strings.Join(slices.Compact(names), "+"))})
}

// label is the name of a tool or of a set of tools.
func (g *Guard) label(set mark) string {
	if info, ok := g.known(set); ok {
		return info.name
	}
	return "?"
}

// cut bounds a name.
func cut(name string) string {
	if len(name) <= nameBytes {
		return name
	}
	return strings.ToValidUTF8(name[:nameBytes], "")
}
