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
	v.spans.pass(it.ID, at, false)
	v.raise(g, at)
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

// enter adds an entry to the group of the span above and returns that group.
func (v *visit) enter(e entry, at place) *group {
	late := v.closed(at.up)
	if late && e.kind != delegationEntry {
		v.counts.LateSpans++
	}
	g := v.groups[at.up]
	if g == nil {
		g = newGroup(at.up)
		g.late = late
	}
	g.add(e)
	v.attach(g)
	return g
}

// settleContainer says on a container what its group shows so far: it is the
// run's span as far as anyone can know.
func (v *visit) settleContainer(it *Item, g *group, at place) {
	if g != nil && !g.usage && it.Fact.Usage.Known != 0 {
		g.add(v.newEntry(usageEntry, it))
	}
	if g == nil || !at.ok {
		v.lead(it, g, at)
		return
	}
	v.judgeLive(g)
	if verdict := g.verdict(); verdict.Severity > OK {
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
	if g != nil {
		mergeViews(&e, g)
	}
	if e.model.usage == it.Fact.Usage {
		v.counts.tokens(it.Fact.Usage) // Else the span within has been counted.
	}
	if !at.ok {
		v.closeTop(it, v.join(it, g, e))
		v.spans.end(it.ID)
		return
	}
	v.raise(g, at)
	up := v.enter(e, at)
	up.conversation = cmp.Or(up.conversation, it.Fact.Conversation)
	v.spans.pass(it.ID, at, false)
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
	if g == nil {
		g = newGroup(it.ID)
	}
	g.conversation = cmp.Or(g.conversation, it.Fact.Conversation)
	g.add(e)
	return g
}

// mergeViews makes one record of a model span and the model spans within it:
// of two views the one with usage counts, else the inner; a span around
// several responses is a sum and counts only if none of them shows its usage.
func mergeViews(outer *entry, g *group) {
	inner := g.take(func(e *entry) bool { return e.kind == modelEntry })
	if len(inner) == 0 {
		return
	}
	for i := range inner {
		if inner[i].usage().Known != 0 {
			outer.model.usage = genai.Usage{}
		}
	}
	view := inner[0]
	view.item, view.epoch, view.id = outer.item, outer.epoch, outer.id
	if len(inner) == 1 {
		view.absorbModel(outer)
	} else if outer.model.usage.Known != 0 {
		view.model.usage = outer.model.usage
	}
	for _, e := range inner[1:] {
		g.add(e)
	}
	*outer = view
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
	nested := Nested{}
	if run {
		nested = v.nestedOf(it, g)
		v.spans.end(it.ID)
	} else {
		v.spans.pass(it.ID, at, true)
		v.raise(g, at)
	}
	if v.lateView(&call, at) {
		return
	}
	up := v.enter(call, at)
	up.nested = up.nested.worse(nested)
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

// settleAgent closes the agent's run and hands it up as a delegation.
func (v *visit) settleAgent(it *Item, g *group, at place) {
	switch {
	case v.kept[it.ID] != nil:
		v.settleKept(it, g)
	case g == nil && !speaks(it.Fact):
		v.lead(it, nil, at) // Runnables like to call themselves agent.
		return
	case g != nil && g.wraps():
		v.markNested(it, g)
		v.lead(it, g, at)
		return
	default:
		g = v.withOwn(it, g)
		g.top = !at.ok
		v.closeRun(it, g, it.Fact.Name)
	}
	v.spans.end(it.ID)
	if at.ok {
		v.delegate(it, g, at)
	}
}

// settleKept writes a verdict that was made before the span came. What has come
// since is a run of its own, without a span.
func (v *visit) settleKept(it *Item, g *group) {
	k := v.kept[it.ID]
	delete(v.kept, it.ID)
	if k.run != nil && !k.used {
		k.used = true
		run := *k.run
		run.Span, run.Agent = it.ID, cut(it.Fact.Name, maxAgentName)
		v.mark(it).Run = &run
	}
	if g == nil {
		return
	}
	g.late = true
	if g.isRun() {
		v.shard.sink.Run(v.finish(g, BySpan, it))
		return
	}
	v.discard(g)
}

// speaks reports whether an agent span without anything below it shows that an
// agent ran elsewhere.
func speaks(f *genai.Fact) bool {
	return f.Usage.Known != 0 || f.Finish != "" || f.HasMessages || f.Failed
}

// withOwn adds what the agent span itself reports where nothing below it does:
// a remote agent is a run of one step.
func (v *visit) withOwn(it *Item, g *group) *group {
	if g == nil {
		e := v.newEntry(modelEntry, it)
		e.failed = false
		g = v.join(it, nil, e)
		g.showed = true
	} else if !g.usage && it.Fact.Usage.Known != 0 {
		g.add(v.newEntry(usageEntry, it))
	}
	return g
}

// delegate hands a nested run up to the run above.
func (v *visit) delegate(it *Item, g *group, at place) {
	e := v.newEntry(delegationEntry, it)
	e.below = v.belowOf(it, g)
	up := v.enter(e, at)
	up.nested = up.nested.worse(v.nestedOf(it, g))
	up.usage = up.usage || it.Fact.Usage.Known != 0 || (g != nil && g.usage)
}

// nestedOf is what the run above says of this one: its own verdict, or a worse
// one further down.
func (v *visit) nestedOf(it *Item, g *group) Nested {
	var n Nested
	if it.Mark != nil && it.Mark.Run != nil {
		n = Nested{Severity: it.Mark.Run.Severity, Run: it.ID, start: it.Start}
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
