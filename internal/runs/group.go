// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// group is one open run, or a part of one: the facts that wait for the span
// whose id it has. Its entries are kept in order of time.
type group struct {
	id      pcommon.SpanID
	entries []entry

	models, tools, delegations int
	outputCalls                int    // Tool calls that model output asks for.
	usage                      bool   // A model span below reports usage, nested runs included.
	showed                     bool   // Messages or finish reasons were seen.
	conversation               uint64 // 0: none.
	late                       bool   // Part of it had closed before.
	top                        bool   // It closes, and nothing is above it.
	deeds                      deeds  // What the run did, once it is summed up.
	nested                     Nested
	hand                       int32 // The container that last joined it in the batch of handEpoch.
	handEpoch                  uint32
	bytes                      int // Of the entries.

	countedOpen, countedBytes int // What the trace's totals have of this group.

	judged
}

// judged is how far an open run has been judged.
type judged struct {
	guard     *guard.Guard
	profile   uint8 // Of the guard.
	lastStart int   // The entry with which the last judged step begins.
	stale     bool  // An earlier step has changed: judge afresh.
	unsorted  bool
	dirty     bool
	credit    int // Entries that may be judged again, see judge.go.
	said      []said
}

// groupSize is what a group takes without its entries and guard, in bytes.
const groupSize = 320

func newGroup(id pcommon.SpanID) *group { return &group{id: id, bytes: groupSize, hand: -1} }

func (g *group) size() int {
	size := g.bytes
	if g.guard != nil {
		size += g.guard.Size()
	}
	return size
}

// sortWindow is how far from the end an entry may belong and still be put in
// its place at once. Parallel calls end in any order, but close together.
const sortWindow = 32

// add puts an entry where it belongs in time and returns its position's owner.
func (g *group) add(e entry) {
	g.count(&e, 1)
	g.bytes += e.size()
	g.credit = min(g.credit+creditPerEntry, maxCredit)
	g.dirty = true
	i := len(g.entries)
	for i > 0 && len(g.entries)-i < sortWindow && compareEntries(&e, &g.entries[i-1]) < 0 {
		i--
	}
	if i > 0 && compareEntries(&e, &g.entries[i-1]) < 0 {
		i = len(g.entries)
		g.unsorted, g.stale = true, true
	}
	if e.kind == toolEntry && g.tools == 1 && g.outputCalls > 0 {
		g.stale = true // Until now the calls came from the models' output.
	}
	if i < g.lastStart || (i == g.lastStart && i < len(g.entries)) {
		g.stale = true
	}
	g.entries = slices.Insert(g.entries, i, e)
}

func (g *group) count(e *entry, by int) {
	switch e.kind {
	case modelEntry:
		g.models += by
		g.outputCalls += by * len(e.model.calls)
		g.showed = g.showed || e.model.finish != "" || e.model.text.Print != 0 || len(e.model.calls) > 0
	case toolEntry:
		g.tools += by
	case delegationEntry:
		g.delegations += by
	}
	g.usage = g.usage || e.usage().Known != 0
}

// take removes the entries that pick chooses and returns them.
func (g *group) take(pick func(*entry) bool) []entry {
	var taken []entry
	g.entries = slices.DeleteFunc(g.entries, func(e entry) bool {
		if !pick(&e) {
			return false
		}
		g.count(&e, -1)
		g.bytes -= e.size()
		taken = append(taken, e)
		return true
	})
	if taken != nil {
		g.stale, g.dirty = true, true
	}
	return taken
}

// merge moves the smaller group's entries into the larger one and returns that.
func merge(a, b *group) *group {
	if len(a.entries) < len(b.entries) {
		a, b = b, a
	}
	for i := range b.entries {
		a.add(b.entries[i])
	}
	a.usage = a.usage || b.usage
	a.showed = a.showed || b.showed
	a.conversation = cmp.Or(a.conversation, b.conversation)
	a.late = a.late || b.late
	a.nested = a.nested.worse(b.nested)
	if b.handEpoch > a.handEpoch {
		a.hand, a.handEpoch = b.hand, b.handEpoch
	}
	for _, s := range b.said {
		a.say(s.key, s.code)
	}
	return a
}

// said is a finding that has been said while the run was open.
type said struct {
	key  uint64
	code string
}

func (g *group) say(key uint64, code string) {
	if !g.hasSaid(key) {
		g.said = append(g.said, said{key, code})
	}
}

func (g *group) hasSaid(key uint64) bool {
	return slices.ContainsFunc(g.said, func(s said) bool { return s.key == key })
}

// find returns the entry of a span, looking at the newest ones only.
func (g *group) find(id pcommon.SpanID) *entry {
	const newest = 256
	for i := len(g.entries) - 1; i >= max(0, len(g.entries)-newest); i-- {
		if g.entries[i].id == id {
			return &g.entries[i]
		}
	}
	return nil
}

// wraps reports whether the only content is one nested run.
func (g *group) wraps() bool { return len(g.entries) == 1 && g.delegations == 1 }

// ownContent reports whether there is more than nested runs.
func (g *group) ownContent() bool { return g.models+g.tools > 0 }

// isRun reports whether a group that no agent span closes counts as a run.
// Model spans alone are none (batch classifiers must not be judged), nor is a
// single call without anything around it (an MCP server's view, or an emitter
// that sends each span as a trace).
func (g *group) isRun() bool {
	if g.models == 0 {
		return g.tools > 1
	}
	return g.tools+g.outputCalls+g.delegations > 0 || g.conversation != 0
}
