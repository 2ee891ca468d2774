// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// settle decides what a new span does to the group that waits for it, all
// spans below it having settled. It returns the item of the new span above
// that waited for this one, -1 if there is none.
func (v *visit) settle(i int32) int32 {
	it := &v.items[i]
	waits := v.newAbove(i)
	if waits == i {
		waits = -1
	}
	at := v.spans.above(it.Parent)
	if at.up == it.ID {
		at = place{} // Its own ancestor: a cycle, or a span that is its own parent.
	}
	if it.Fact != nil {
		v.counts.span(it.Fact)
	}
	g := v.detach(it.ID)
	switch kindOf(it) {
	case genai.Agent:
		v.settleAgent(it, g, at)
	case genai.Tool:
		v.settleTool(it, g, at)
	case genai.Model, genai.Embedding:
		v.settleModel(it, g, at)
	case genai.Container:
		v.settleContainer(it, g, at)
	default:
		v.lead(it, g, at)
	}
	return waits
}

// lead makes the span lead on to what is above it, and its group with it. With
// nothing above, the span closes the group.
func (v *visit) lead(it *Item, g *group, at place) {
	if !at.ok {
		v.closeTop(it, g)
		v.spans.end(it.ID)
		return
	}
	v.pass(it.ID, at, false)
	v.raise(g, at)
}

// pass makes a span lead on, and a verdict that waits for it wait for the span
// above.
func (v *visit) pass(id pcommon.SpanID, at place, tool bool) {
	v.spans.pass(id, at, tool)
	if k := v.kept[id]; k != nil {
		delete(v.kept, id)
		v.keep(at.up, k)
	}
}

// raise merges a group into the one of the span above.
func (v *visit) raise(g *group, at place) {
	if g == nil {
		return
	}
	if up := v.detach(at.up); up != nil {
		if !at.via.IsEmpty() {
			absorbLateViews(up, g, at.via)
		}
		g = merge(up, g)
	} else {
		g.late = g.late || v.closed(at.up)
	}
	g.id = at.up
	v.attach(g)
}

// closed reports whether the run of this span has been closed already.
func (v *visit) closed(id pcommon.SpanID) bool {
	return v.spans[id].state == final || v.kept[id] != nil
}

// absorbLateViews merges views of a call that come after the span of the call
// itself: the servers' spans are exported by another process.
func absorbLateViews(up, g *group, tool pcommon.SpanID) {
	outer := up.find(tool)
	if outer == nil {
		return
	}
	for _, view := range g.take(func(e *entry) bool { return e.kind == toolEntry && sameCall(outer, e) }) {
		outer.absorb(&view)
		up.stale, up.dirty = true, true
	}
}

// above returns the group of the span above, a new one if there is none.
func (v *visit) above(at place) *group {
	if g := v.groups[at.up]; g != nil {
		return g
	}
	g := newGroup(at.up)
	g.late = v.closed(at.up)
	return g
}

// enter adds an entry to the group of the span above and returns that group.
func (v *visit) enter(e entry, at place) *group {
	g := v.above(at)
	if e.kind != delegationEntry {
		v.countLate(at)
	}
	g.add(e)
	v.attach(g)
	return g
}

// countLate counts a span whose run has closed without it.
func (v *visit) countLate(at place) {
	if v.closed(at.up) {
		v.counts.LateSpans++
	}
}

// settleContainer says on a container what its group shows so far: it is the
// run's span as far as anyone can know.
func (v *visit) settleContainer(it *Item, g *group, at place) {
	if g != nil && !g.usage && it.Fact.Usage.Known != 0 {
		v.addTotal(it, g)
	}
	if g == nil || !at.ok {
		v.lead(it, g, at)
		return
	}
	v.judgeLive(g)
	if verdict := g.verdict(); verdict.Severity > OK && !g.dirty {
		v.mark(it).Container = &verdict
	}
	g.hand, g.handEpoch = it.index, v.epoch
	v.lead(it, g, at)
}

// settleModel adds a model response. Spans of the same response lie within each
// other: the framework's around the provider SDK's.
func (v *visit) settleModel(it *Item, g *group, at place) {
	kind := modelEntry
	if it.Fact.Kind == genai.Embedding || it.Fact.Side {
		kind = usageEntry
	}
	e := v.newEntry(kind, it)
	if kind == modelEntry {
		v.showsCalls = v.showsCalls || len(it.Fact.Calls) > 0
		v.judgeHistory(it)
	}
	counted := mergeViews(&e, g)
	if !at.ok {
		g = v.own(it, g)
		v.respond(it, g, e, counted)
		v.closeTop(it, g)
		v.spans.end(it.ID)
		return
	}
	v.raise(g, at)
	up := v.above(at)
	v.countLate(at)
	v.respond(it, up, e, counted)
	v.attach(up)
	v.pass(it.ID, at, false)
}

// own returns the group below a span that has nothing above it.
func (v *visit) own(it *Item, g *group) *group {
	if g == nil {
		return newGroup(it.ID)
	}
	return g
}

// respond adds a model response to its run, and counts its tokens unless
// another view of the response has been counted. Views that lie side by side
// have one response id and overlap in time; without that, the response came
// from a cache and is a step that costs nothing.
func (v *visit) respond(it *Item, g *group, e entry, counted bool) {
	twin := g.twin(&e)
	known := twin != nil && twin.usage().Known != 0
	switch {
	case twin == nil || e.kind != modelEntry:
		g.add(e)
	case overlap(twin, &e):
		g.absorbTwin(twin, &e)
	default:
		if known {
			e.model.usage = genai.Usage{}
		}
		g.add(e)
	}
	if !counted && !known {
		v.counts.tokens(it.Fact.Usage)
	}
	g.conversation = cmp.Or(g.conversation, it.Fact.Conversation)
	g.content = g.content || it.Fact.HasMessages
}

// newEntry makes an entry that knows its span in the batch.
func (v *visit) newEntry(kind entryKind, it *Item) entry {
	e := newEntry(kind, it)
	e.item, e.epoch = it.index, v.epoch
	return e
}

// join adds an entry to the group below its own span, for spans with nothing
// above them.
func (v *visit) join(it *Item, g *group, e entry) *group {
	g = v.own(it, g)
	g.conversation = cmp.Or(g.conversation, it.Fact.Conversation)
	g.content = g.content || it.Fact.HasMessages
	g.add(e)
	return g
}

// mergeViews makes one record of a model span and the model span within it: of
// two views the one with usage counts, else the inner. A span around several
// responses is a sum: it is no response, and counts only if none of them shows
// its usage. It reports whether what is within has been counted.
func mergeViews(outer *entry, g *group) (counted bool) {
	if g == nil || g.models == 0 || outer.kind != modelEntry {
		return false
	}
	if g.models > 1 {
		outer.kind, outer.model.calls, outer.model.results = usageEntry, nil, nil
		if g.usage {
			outer.model.usage = genai.Usage{}
		}
		return g.usage
	}
	inner := g.take(func(e *entry) bool { return e.kind == modelEntry })
	if len(inner) == 0 {
		return false
	}
	view := inner[0]
	counted = view.usage().Known != 0
	view.item, view.epoch, view.id = outer.item, outer.epoch, outer.id
	view.absorbModel(outer)
	*outer = view
	return counted
}

// settleTool adds a tool call. Tool spans within it are views of the same call;
// model spans within it make it a nested run named after the tool.
func (v *visit) settleTool(it *Item, g *group, at place) {
	v.showsCalls = true
	call := v.newEntry(toolEntry, it)
	run := g != nil && g.models > 0
	if run {
		g.top = !at.ok
		v.closeRun(it, g, cmp.Or(call.name, "tool"))
		call.below = v.belowOf(it, g)
	} else if g != nil {
		for _, view := range g.take(func(e *entry) bool {
			return e.kind == delegationEntry || (e.kind == toolEntry && sameCall(&call, e))
		}) {
			if view.kind == toolEntry {
				call.absorb(&view)
			}
			call.wrap(&view)
		}
	}
	if !at.ok {
		v.settleTopTool(it, g, call, run)
		return
	}
	if run {
		v.spans.end(it.ID)
	} else {
		v.pass(it.ID, at, true)
		v.raise(g, at)
	}
	if v.lateView(&call, at) {
		return
	}
	up := v.enter(call, at)
	up.content = up.content || it.Fact.HasContent
	if run {
		v.nest(it, g, up)
	}
}

// lateView merges a call into the open call that encloses it, or drops a
// protocol's view of one whose run has closed. It reports whether it did.
func (v *visit) lateView(call *entry, at place) bool {
	if at.via.IsEmpty() {
		return false
	}
	up := v.groups[at.up]
	if up == nil || up.find(at.via) == nil {
		return call.transport && v.closed(at.up)
	}
	outer := up.find(at.via)
	if !sameCall(outer, call) {
		return false
	}
	outer.absorb(call)
	up.stale, up.dirty = true, true
	return true
}

// settleTopTool closes the run of a tool span that has nothing above it.
func (v *visit) settleTopTool(it *Item, g *group, call entry, run bool) {
	v.spans.end(it.ID)
	if run {
		return
	}
	v.closeTop(it, v.join(it, g, call))
}

// settleAgent closes the agent's run and hands it up as a delegation. Whatever
// it is, an agent span ends the ways up: what comes below it later is a run of
// its own and never mixed into the one above.
func (v *visit) settleAgent(it *Item, g *group, at place) {
	v.spans.end(it.ID)
	switch {
	case v.kept[it.ID] != nil:
		v.settleKept(it, g)
	case g != nil && g.wraps():
		v.markNested(it, g)
		v.handUp(it, g, at)
		return
	case !speaks(it.Fact) && (g == nil || !g.ownContent() && g.delegations == 0):
		v.handUp(it, g, at) // Runnables like to call themselves agent.
		return
	default:
		g = v.withOwn(it, g)
		g.top = !at.ok
		v.closeRun(it, g, it.Fact.Name)
	}
	if at.ok {
		v.delegate(it, g, at)
	}
}

// handUp passes on what hangs below an agent span that is no run.
func (v *visit) handUp(it *Item, g *group, at place) {
	if at.ok {
		v.raise(g, at)
		return
	}
	v.closeTop(it, g)
}

// settleKept writes a verdict that was made before the span came, on the first
// span that comes for it; the spans further out tell of that one. What has come
// since is a run of its own, without a span.
func (v *visit) settleKept(it *Item, g *group) {
	k := v.kept[it.ID]
	delete(v.kept, it.ID)
	if k.by.Run.IsEmpty() {
		k.by = Nested{Severity: k.run.Severity, Run: it.ID, start: it.Start}
		run := *k.run
		run.Span = it.ID
		if it.Fact != nil && it.Fact.Name != "" {
			run.Agent = cut(it.Fact.Name, maxAgentName)
		}
		v.mark(it).Run = &run
	} else {
		v.mark(it).Nested = k.by
	}
	switch {
	case g == nil:
	case g.isRun():
		g.late = true
		v.shard.sink.Run(v.finish(g, BySpan, it))
	default:
		v.discard(g)
	}
}

// speaks reports whether an agent span without anything below it shows that an
// agent ran elsewhere.
func speaks(f *genai.Fact) bool {
	return f.Usage.Known != 0 || f.Finish != "" || f.HasMessages || f.Failed
}

// withOwn adds what the agent span itself reports where nothing below it does:
// a remote agent is a run of one step.
func (v *visit) withOwn(it *Item, g *group) *group {
	if g != nil && (g.ownContent() || g.delegations > 0) {
		if !g.usage && it.Fact.Usage.Known != 0 {
			v.addTotal(it, g)
		}
		return g
	}
	e := v.newEntry(modelEntry, it)
	e.failed = false
	if g != nil && g.usage {
		e.model.usage = genai.Usage{}
	}
	v.counts.tokens(e.model.usage)
	g = v.join(it, g, e)
	g.showed = true
	return g
}

// addTotal adds what a span around model calls reports for them: no span below
// it does, so nothing has been counted.
func (v *visit) addTotal(it *Item, g *group) {
	g.add(v.newEntry(usageEntry, it))
	v.counts.tokens(it.Fact.Usage)
}

// delegate hands a nested run up to the run above.
func (v *visit) delegate(it *Item, g *group, at place) {
	e := v.newEntry(delegationEntry, it)
	e.below = v.belowOf(it, g)
	v.nest(it, g, v.enter(e, at))
}

// nest tells the run above of a nested one: its verdict, and that its usage is
// not to be counted once more, unless the total above leaves it out.
func (v *visit) nest(it *Item, g, up *group) {
	up.nested = up.nested.worse(v.nestedOf(it, g))
	if !it.Fact.Loop {
		up.usage = up.usage || it.Fact.Usage.Known != 0 || (g != nil && g.usage)
	}
}

// nestedOf is what the run above says of this one: its own verdict, or a worse
// one further down.
func (v *visit) nestedOf(it *Item, g *group) Nested {
	var n Nested
	if it.Mark != nil && it.Mark.Run != nil {
		n = Nested{Severity: it.Mark.Run.Severity, Run: it.ID, start: it.Start}
	}
	if it.Mark != nil {
		n = n.worse(it.Mark.Nested)
	}
	if g != nil {
		n = n.worse(g.nested)
	}
	return n
}

func (v *visit) markNested(it *Item, g *group) {
	if g.nested.Severity != None {
		v.mark(it).Nested = g.nested
	}
}

// closeTop closes the group of a span with nothing above it that is no agent.
func (v *visit) closeTop(it *Item, g *group) {
	switch {
	case v.kept[it.ID] != nil:
		v.settleKept(it, g)
	case g == nil:
	case g.lone():
		v.toConversation(it, g)
	case g.isRun(), v.circles(g, it):
		g.top = true
		v.closeRun(it, g, wrapperName(it))
	case kindOf(it) == genai.Container:
		v.markNested(it, g)
		fallthrough
	default:
		v.discard(g)
	}
}
