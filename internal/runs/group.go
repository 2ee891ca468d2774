// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/internal/genai"

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
	content                    bool   // Messages were seen.
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
	lastEnd   int64 // When the steps before that ended.
	stale     bool  // An earlier step has changed: judge afresh.
	unsorted  bool
	dirty     bool
	credit    int               // Entries that may be judged again, see judge.go.
	said      map[uint64]string // The codes of findings said, by their keys.
}

// groupSize is what a group takes without its entries and guard, in bytes.
const groupSize = 320

func newGroup(id pcommon.SpanID) *group { return &group{id: id, bytes: groupSize, hand: -1} }

func (g *group) size() int {
	size := g.bytes + saidSize*len(g.said)
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
	if e.kind == modelEntry && g.answersEarlier(i, e.model.results) {
		g.stale = true
	}
	if i < g.lastStart || (i == g.lastStart && i < len(g.entries)) {
		g.stale = true
	}
	g.entries = slices.Insert(g.entries, i, e)
}

// answersEarlier reports whether results, told to a response at position i,
// complete a step that is not the one before it.
func (g *group) answersEarlier(i int, results []genai.Result) bool {
	if len(results) == 0 || g.outputCalls == 0 || g.tools > 0 {
		return false
	}
	asked := func(c genai.Call) bool { return c.ID != 0 && c.ID == results[0].ID }
	seen := 0
	for i--; i >= 0 && seen < answerWindow; i-- {
		e := &g.entries[i]
		if !e.opens() {
			continue
		}
		if slices.ContainsFunc(e.model.calls, asked) {
			return seen > 0
		}
		seen++
	}
	return false
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

// takeWindow is how many entries at either end of a group are looked at when a
// span takes over what describes the same as itself. What lies within a span
// starts next to it or has come just before it; a limit keeps the cost of a
// span independent of how much hangs below it.
const takeWindow = 256

// take removes the entries that pick chooses and returns them.
func (g *group) take(pick func(*entry) bool) []entry {
	var taken []entry
	for i := len(g.entries) - 1; i >= 0; i-- {
		if i >= takeWindow && i < len(g.entries)-takeWindow {
			i = takeWindow - 1
		}
		if !pick(&g.entries[i]) {
			continue
		}
		e := g.entries[i]
		g.count(&e, -1)
		g.bytes -= e.size()
		taken = append(taken, e)
		g.entries = slices.Delete(g.entries, i, i+1)
	}
	if taken != nil {
		slices.Reverse(taken)
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
	a.content = a.content || b.content
	a.conversation = cmp.Or(a.conversation, b.conversation)
	a.late = a.late || b.late
	a.nested = a.nested.worse(b.nested)
	if b.handEpoch > a.handEpoch {
		a.hand, a.handEpoch = b.hand, b.handEpoch
	}
	for key, code := range b.said {
		a.say(key, code)
	}
	return a
}

// saidSize is what remembering a finding takes, in bytes.
const saidSize = 64

// say remembers that a finding has been said.
func (g *group) say(key uint64, code string) {
	if g.said == nil {
		g.said = make(map[uint64]string)
	}
	g.said[key] = code
}

func (g *group) hasSaid(key uint64) bool {
	_, ok := g.said[key]
	return ok
}

// find returns the entry of a span, looking at the newest ones only.
func (g *group) find(id pcommon.SpanID) *entry {
	return g.findNewest(func(e *entry) bool { return e.id == id })
}

func (g *group) findNewest(match func(*entry) bool) *entry {
	for i := len(g.entries) - 1; i >= max(0, len(g.entries)-takeWindow); i-- {
		if match(&g.entries[i]) {
			return &g.entries[i]
		}
	}
	return nil
}

// twin returns the entry of the same model response, by the response's id. A
// response that was answered from a cache has the id of the one before it.
func (g *group) twin(e *entry) *entry {
	if e.model == nil || e.model.responseID == 0 {
		return nil
	}
	return g.findNewest(func(o *entry) bool {
		return o.kind == modelEntry && o.model.responseID == e.model.responseID
	})
}

// absorbTwin merges another view of a response that the group has.
func (g *group) absorbTwin(twin, e *entry) {
	g.count(twin, -1)
	g.bytes -= twin.size()
	if compareEntries(e, twin) < 0 {
		twin.id = e.id
	}
	twin.absorbModel(e)
	twin.item, twin.epoch = e.item, e.epoch
	g.count(twin, 1)
	g.bytes += twin.size()
	g.unsorted, g.stale, g.dirty = true, true, true
}

func overlap(a, b *entry) bool { return a.start < b.end && b.start < a.end }

// wraps reports whether the only content is one nested run.
func (g *group) wraps() bool { return g.delegations == 1 && !g.ownContent() }

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
