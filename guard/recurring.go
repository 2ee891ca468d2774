// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"math/bits"
)

// maxWindow is the longest window of calls that can be asked for.
const maxWindow = 64

// recurrence is the state of the recurring call detector.
type recurrence struct {
	// Window has a bit for each of the last calls, the newest the lowest, set
	// if it was seen before. ID is the finding that the window is in.
	Window uint64
	ID     mark
}

// recurringCall finds calls that come again with the outcome they had, while
// other calls stand between or beside them (detection.md 2; stella#1851 has
// the rule for one call). Many of the last calls are a stop, one call alone is
// a warning.
func recurringCall(g *Guard) {
	o, s := &g.rules.RecurringCall, &g.now.Recurrence
	if g.step.Boundary {
		*s = recurrence{}
	}
	g.lapse()
	for i := range g.calls {
		c := &g.calls[i]
		if c.sight.count == 0 {
			continue // it says too little
		}
		s.Window <<= 1
		switch {
		case !c.sight.again, c.explained():
		case c.sight.poll:
			if c.sight.count >= o.Threshold {
				g.waited(c.trace(), c.tool, c.index)
			}
		default:
			if c.sight.apart && !c.hollow && !c.sight.reasoned {
				s.Window |= 1
			}
			g.recurs(c, o, s)
		}
	}
	if s.seen(o) < o.Seen {
		s.ID = 0
	}
}

// seen is how many of the last calls were seen before.
func (s *recurrence) seen(o *RecurringCall) int {
	return bits.OnesCount64(s.Window & (1<<o.Window - 1))
}

// recurs reports a call that was seen before, if it is one too many.
func (g *Guard) recurs(c *call, o *RecurringCall, s *recurrence) {
	seen := s.seen(o)
	h := hit{
		id: c.trace(), code: CodeRecurringCall, grade: c.grade(), call: c.index, count: c.sight.count,
		facts: facts{
			Tools: c.tool, Threshold: o.Threshold, Known: seen,
			Round: g.rounds(), Interval: c.sight.rounds,
		},
	}
	if c.hollow {
		h.grade, h.facts.Threshold = ArgsOnly, o.Threshold+hollowSights
	}
	switch {
	case c.sight.apart && !c.hollow && !c.sight.reasoned && seen >= o.Seen:
		if s.ID == 0 {
			s.ID = c.trace()
		}
		h.id, h.facts.Window = s.ID, o.Window
		g.report(h)
	case c.args != 0 && c.sight.idly && c.sight.count >= h.facts.Threshold:
		h.severity = g.by.warning()
		g.report(h)
	}
}

// hollowSights are how many sights more it takes of an outcome that says next to
// nothing.
const hollowSights = 2

// grade is that of a repetition with known outcomes.
func (c *call) grade() Grade {
	if c.args == 0 {
		return ResultsOnly
	}
	return Confirmed
}

func recurringWords(g *Guard, f *Finding, x *facts) (string, Evidence) {
	tool := g.label(x.Tools)
	e := Evidence{"tool": tool, "count": f.Count, "threshold": x.Threshold, "step_indexes": x.Recent.list()}
	if x.Window == 0 {
		return fmt.Sprintf("Tool %q was called %d times with the same arguments and the same outcome, between other calls.",
			tool, f.Count), e
	}
	e["seen"], e["window"] = x.Known, x.Window
	return fmt.Sprintf("%d of the last %d calls were seen before with the same outcome, the last one of %q.",
		x.Known, x.Window, tool), e
}
