// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"slices"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// closeRun judges a run whose span has come and marks that span.
func (v *visit) closeRun(it *Item, g *group, agent string) {
	run := v.finish(g, BySpan, it)
	run.Span, run.Agent = it.ID, cut(agent, maxAgentName)
	if d := it.End - it.Start; d > 0 {
		run.Start, run.DurationNS = it.Start, d
	}
	m := v.mark(it)
	m.Run, m.Nested = run, g.nested
	v.markBytes += findingSize * len(run.Findings)
	v.shard.sink.Run(run)
}

// finish makes the authoritative judgement on a run: over all steps, in order.
// What it finds beyond what was said while the run was open is said on the
// run's own span, if that is in hand; what it does not confirm is retracted.
func (v *visit) finish(g *group, by ClosedBy, it *Item) *Run {
	if g.top && g.deep() {
		g.stale, g.dirty = true, true
	}
	v.judge(g, it)
	g.guard.End()
	v.announce(g, it)
	v.settleFindings(g)
	run := v.sumUp(g)
	run.Trace, run.ClosedBy, run.Partial, run.Nested = v.id, by, g.late, g.nested
	v.markLoops(g)
	run.NearMisses = g.guard.WhyNot()
	v.release(g)
	return run
}

// settleFindings counts findings that no span could carry, and those that
// were said but have not held.
func (v *visit) settleFindings(g *group) {
	final := g.guard.Findings()
	for i := range final {
		if f := &final[i]; !g.hasSaid(f.Key) {
			v.shard.sink.Finding(v.id, pcommon.SpanID{}, f)
		}
	}
	v.retract(g, final)
}

// retract counts what was said while the run was open and is not final.
func (v *visit) retract(g *group, final []guard.Finding) {
	for key, code := range g.said {
		if !slices.ContainsFunc(final, func(f guard.Finding) bool { return f.Key == key }) {
			v.shard.sink.Retracted(code)
		}
	}
}

// discard drops a group that is no run.
func (v *visit) discard(g *group) {
	v.retract(g, nil)
	v.release(g)
}

// sumUp adds up a run after the guard has been told that it is over.
func (v *visit) sumUp(g *group) *Run {
	run := &Run{Verdict: g.verdict(), Findings: slices.Clone(g.guard.Findings())}
	w := newWaste(run.Findings)
	s := &v.shard.stepper
	args, results := true, true
	g.deeds = deeds{}
	for g.steps(s, 0, 0); s.scan(); run.Steps++ {
		g.deeds.step(&s.step)
		calls, failed := run.addCalls(s.step.Calls, &args, &results)
		w.step(int(run.Steps), s, calls)
		run.ToolCalls += calls
		run.ToolErrors += failed
	}
	run.addUsage(g)
	run.Coverage = g.coverage(run.ToolCalls, args, results)
	run.Waste = w.sum()
	if n := len(g.entries); n > 0 {
		run.Start = g.entries[0].start
		run.DurationNS = max(0, lastEnd(g.entries)-run.Start)
	}
	return run
}

// addCalls counts the calls of a step by what they show and returns how many
// they are and how many of them failed. Delegations are no tool calls.
func (r *Run) addCalls(calls []guard.CallDigest, args, results *bool) (n, failed int64) {
	for _, c := range calls {
		if c.Delegation {
			continue
		}
		n++
		if c.Outcome.Failed {
			failed++
		}
		shown := c.Outcome.Known() || c.Outcome.Failed
		*args = *args && c.Args.Known()
		*results = *results && shown
		r.Calls[coverageOf(c.Args.Known(), shown)]++
	}
	return n, failed
}

// addUsage sums up what the run's own model spans report. What is not
// reported is absent, not 0.
func (r *Run) addUsage(g *group) {
	for i := range g.entries {
		u := g.entries[i].usage()
		r.InputTokens += u.Input
		r.OutputTokens += u.Output
		r.Cost += u.Cost
		r.HasTokens = r.HasTokens || u.Known&(genai.KnownInput|genai.KnownOutput) != 0
		r.HasCost = r.HasCost || u.Has(genai.KnownCost)
	}
}

func (g *group) coverage(calls int64, args, results bool) Coverage {
	switch {
	case calls > 0:
		return coverageOf(args, results)
	case g.showed:
		return CoverageFull
	default:
		return CoverageNone
	}
}

func lastEnd(entries []entry) int64 {
	end := entries[0].end
	for i := range entries {
		end = max(end, entries[i].end)
	}
	return end
}

// maxAgentName bounds loop_guard.run.agent, in characters.
const maxAgentName = 128

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	if !utf8.ValidString(s) {
		return string([]rune(s))
	}
	return s
}
