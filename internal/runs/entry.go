// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"cmp"
	"slices"
	"unique"
	"unsafe"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

type entryKind uint8

const (
	// modelEntry opens a step, unless it failed.
	modelEntry entryKind = iota
	// usageEntry only adds to the totals: embeddings, side requests, and what
	// a container reports for model calls that nobody shows.
	usageEntry
	toolEntry
	// delegationEntry is a nested run that no tool span wraps.
	delegationEntry
)

// entry is what an open run remembers of one span: fingerprints and numbers.
type entry struct {
	id         pcommon.SpanID
	start, end int64 // Unix nanoseconds.
	kind       entryKind
	failed     bool
	transport  bool
	handoff    bool
	guessed    bool // The name is not the emitter's own.
	unled      bool // A call whose request has no span of its own.
	profile    uint8
	item       int32
	epoch      uint32 // Of the batch that item belongs to.
	name       string
	callID     uint64
	args       guard.Fingerprint
	outcome    guard.Outcome
	model      *modelPart // nil for tools and delegations.
	below      below      // Of the nested run that the entry stands for.
}

// modelPart is the part of an entry that only model spans have.
type modelPart struct {
	usage      genai.Usage
	finish     string
	text       guard.TextDigest
	echo       uint64 // Print of what the input has the model say last.
	responseID uint64
	calls      []genai.Call
	results    []genai.Result
	userTurn   bool
}

// What one entry takes, in bytes, with the room that growing slices leave.
// Names are interned and cost nothing here.
const (
	entrySize  = int(unsafe.Sizeof(entry{})) * 5 / 4
	modelSize  = int(unsafe.Sizeof(modelPart{}))
	callSize   = int(unsafe.Sizeof(genai.Call{}))
	resultSize = int(unsafe.Sizeof(genai.Result{}))
	levelSize  = int(unsafe.Sizeof(level{}))
)

func (e *entry) size() int {
	size := entrySize + levelSize*len(e.below.path)
	if e.model == nil {
		return size
	}
	return size + modelSize + callSize*len(e.model.calls) + resultSize*len(e.model.results)
}

// opens reports whether the entry begins a new step. A request that failed
// without output is a transport failure or a retry, not a decision.
func (e *entry) opens() bool { return e.kind == modelEntry && !e.failed }

func (e *entry) usage() genai.Usage {
	if e.model == nil {
		return genai.Usage{}
	}
	return e.model.usage
}

func compareEntries(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), slices.Compare(a.id[:], b.id[:]))
}

// newEntry copies a fact: nothing of the batch is kept.
func newEntry(kind entryKind, it *Item) entry {
	f := it.Fact
	e := entry{
		id: it.ID, start: it.Start, end: it.End, kind: kind,
		failed: f.Failed, transport: f.Transport, handoff: f.Handoff, guessed: !f.NameKnown, profile: it.Profile,
		name: intern(f.Name), callID: f.CallID, args: f.Args, outcome: f.Outcome,
	}
	e.unled = f.Loop && (kind == toolEntry || kind == delegationEntry)
	if f.Loop && kind == modelEntry {
		e.start = e.end // What it shows is the last response.
	}
	if kind == modelEntry || kind == usageEntry {
		e.model = &modelPart{
			usage: f.Usage, finish: intern(f.Finish), text: f.Text, echo: f.Echo, responseID: f.ResponseID,
			calls: internCalls(f.Calls), results: slices.Clone(f.Results), userTurn: f.UserTurn,
		}
	}
	return e
}

func internCalls(calls []genai.Call) []genai.Call {
	calls = slices.Clone(calls)
	for i := range calls {
		calls[i].Name = intern(calls[i].Name)
	}
	return calls
}

// intern keeps one copy of each name in the process: tools are few, spans many.
func intern(s string) string {
	if s == "" {
		return ""
	}
	return unique.Make(s).Value()
}

// sameCall reports whether the inner tool span describes the same call as the
// outer one that encloses it: a protocol's view of it, or the same name or id.
func sameCall(outer, inner *entry) bool {
	return inner.transport || inner.guessed || inner.name == outer.name ||
		(inner.callID != 0 && inner.callID == outer.callID)
}

// absorb fills what is unknown of a call from another view of it.
func (e *entry) absorb(view *entry) {
	if !e.args.Known() {
		e.args = view.args
	}
	if !e.outcome.Known() && (view.outcome.Known() || view.outcome.Failed) {
		e.outcome = view.outcome
	}
	e.failed = e.failed || view.failed
	e.handoff = e.handoff || view.handoff
	if e.callID == 0 {
		e.callID = view.callID
	}
	if e.guessed && !view.guessed {
		e.name, e.guessed = view.name, false
	}
}

// absorbModel fills what is unknown of a model response from another view.
func (e *entry) absorbModel(view *entry) {
	m, v := e.model, view.model
	if m.usage.Known == 0 {
		m.usage = v.usage
	}
	m.finish = cmp.Or(m.finish, v.finish)
	m.responseID = cmp.Or(m.responseID, v.responseID)
	m.echo = cmp.Or(m.echo, v.echo)
	if m.text.Print == 0 {
		m.text = v.text
	}
	if len(m.calls) == 0 {
		m.calls = v.calls
	}
	if len(m.results) == 0 {
		m.results = v.results
	}
	m.userTurn = m.userTurn || v.userTurn
	e.failed = e.failed && view.failed
	e.start, e.end = min(e.start, view.start), max(e.end, view.end)
}
