// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import "github.com/agentloopguard/loopguardprocessor/guard"

// alike is what makes two calls of a loop the same call.
type alike struct {
	tool          string
	args, outcome uint64
}

// alikeOf tells calls apart by their arguments, or by their outcomes where the
// arguments are unknown; with neither known, ok is false.
func alikeOf(c *guard.CallDigest) (a alike, ok bool) {
	switch {
	case c.Args.Known():
		return alike{tool: c.Tool, args: c.Args.Normal}, true
	case c.Outcome.Known():
		return alike{tool: c.Tool, outcome: c.Outcome.Normal}, true
	default:
		return alike{tool: c.Tool}, c.Delegation
	}
}

// markLoops marks the calls of each loop that the run has been in, as far as
// their spans are in hand. Findings without a grade are about no calls.
func (v *visit) markLoops(g *group) {
	if !v.shard.calls || g.guard == nil {
		return
	}
	var rounds []round
	for _, f := range g.guard.Findings() {
		if f.Grade == "" {
			continue
		}
		if rounds == nil {
			rounds = g.rounds()
		}
		v.markLoop(g, &f, rounds)
	}
}

// round is a step with its calls.
type round struct {
	calls []alike
	at    []int32 // The entry of each call.
}

func (g *group) rounds() []round {
	var out []round
	var s stepper
	for g.steps(&s, 0, 0); s.scan(); {
		var r round
		for i := range s.step.Calls {
			if a, ok := alikeOf(&s.step.Calls[i]); ok && g.entries[s.callsAt[i]].kind != modelEntry {
				r.calls, r.at = append(r.calls, a), append(r.at, s.callsAt[i])
			}
		}
		out = append(out, r)
	}
	return out
}

func (v *visit) markLoop(g *group, f *guard.Finding, rounds []round) {
	last := min(f.LastStep, len(rounds)-1)
	first := loopStart(f, rounds[:last+1])
	total := make(map[alike]int64)
	for _, r := range rounds[first : last+1] {
		for _, a := range r.calls {
			total[a]++
		}
	}
	nth := make(map[alike]int64)
	for _, r := range rounds[first : last+1] {
		for i, a := range r.calls {
			if total[a] < 2 {
				continue // It happened beside the loop.
			}
			nth[a]++
			v.markCall(g, &g.entries[r.at[i]], nth[a])
		}
	}
}

// markCall marks a call that is in hand. Of several loops the longest counts.
func (v *visit) markCall(g *group, e *entry, repeat int64) {
	if e.epoch != v.epoch {
		return
	}
	if m := v.mark(&v.items[e.item]); m.Call == nil || m.Call.Repeat < repeat {
		m.Call = &LoopCall{Run: g.id.String(), Repeat: repeat}
	}
}

// loopStart is the first step of the loop: going back from its last step, that
// of the earliest round whose calls all come again in it. A finding that lists
// its steps may begin before that.
func loopStart(f *guard.Finding, rounds []round) int {
	first := min(f.Step, len(rounds)-1)
	in := make(map[alike]bool)
	for _, r := range rounds[first:] {
		for _, a := range r.calls {
			in[a] = true
		}
	}
	grow := period(f)
	for i := first - 1; i >= 0; i-- {
		r := rounds[i]
		if len(r.calls) == 0 {
			continue
		}
		if grow--; grow > 0 {
			for _, a := range r.calls {
				in[a] = true
			}
		} else if !contains(in, r.calls) {
			break
		}
		first = i
	}
	return min(first, firstListed(f, first))
}

// period is how many rounds the loop has before it begins again.
func period(f *guard.Finding) int {
	if p, ok := f.Evidence["period"].(int); ok {
		return p
	}
	return 1
}

func firstListed(f *guard.Finding, none int) int {
	if steps, ok := f.Evidence["step_indexes"].([]int); ok && len(steps) > 0 {
		return max(0, steps[0])
	}
	return none
}

func contains(in map[alike]bool, calls []alike) bool {
	for _, a := range calls {
		if !in[a] {
			return false
		}
	}
	return true
}
