// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import "github.com/agentloopguard/loopguardprocessor/guard"

// judgeHistory judges a model span by the steps that its own input tells of.
// It needs no state and so works however a run is scattered over traces and
// collectors; it is for emitters that show the calls nowhere else. A finding
// is said once, by the span whose history ends with its crossing.
func (v *visit) judgeHistory(it *Item) {
	if it.History == nil || v.showsCalls || it.Fact.Failed {
		return
	}
	steps := it.History()
	if len(steps) == 0 {
		return
	}
	guards := &v.shard.guards[it.Profile]
	g := guards.get()
	defer guards.put(g)
	for _, s := range steps {
		g.CheckDigest(s)
	}
	v.sayHistory(it, g, len(steps)-1)
}

// sayHistory marks the span with what holds at the last step.
func (v *visit) sayHistory(it *Item, g *guard.Guard, last int) {
	if f := g.Verdict(); f.Severity != guard.OK && f.LastStep >= last {
		v.mark(it).Container = &Verdict{Severity: severityOf(f.Severity), Fault: f, OnsetStep: f.Step}
	}
	for _, f := range g.Findings() {
		if f.Step == last && v.firstTime(f.Key, last) {
			v.cross(it, Crossing{Finding: f, Run: it.ID.String()})
		}
	}
}

// firstTime reports whether the trace has not told of this episode yet: two
// spans of one response, or a request that is sent again, have one history.
func (v *visit) firstTime(key uint64, step int) bool {
	key = mix(key, uint64(step))
	if _, told := v.told[key]; told {
		return false
	}
	if v.told == nil {
		v.told = make(map[uint64]struct{})
	}
	v.told[key] = struct{}{}
	return true
}
