// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "fmt"

// stall is the state of the no progress detector.
type stall struct {
	// Text is what the steps said; 0 as long as it is not captured.
	Text  mark
	Count int
	// Most is how often the commonest call of these steps has been seen.
	Most int
}

// news is what the calls of a step have taught, from the least to the most.
type news int

const (
	// silent: there were no calls.
	silent news = iota
	// stale: only outcomes that this run has had before.
	stale
	// unheard: nothing new, but not every outcome is known.
	unheard
	// fresh: an outcome that the run has not had before.
	fresh
)

// stalled is the identity of the one stall that a run can be in at a time.
const stalled mark = 1

// noProgress finds steps in a row that say the same and learn nothing new
// (agent-loopguard; for Retrospective on rounds with known outcomes only).
func noProgress(g *Guard) {
	s := &g.now.Stall
	if g.step.Boundary {
		*s = stall{}
	}
	switch n := g.news(); {
	case n == fresh:
		*s = stall{}
		g.resumed(stalled)
	case n == unheard, n == silent && g.rules.retrospective:
	default:
		s.extend(mark(g.step.Text.Print))
		s.Most = max(s.Most, g.commonest())
		if s.reached(g.rules) {
			g.report(s.hit(g.rules.NoProgress.Threshold))
		}
	}
}

// reached asks Retrospective for a call that comes as often as the threshold
// says: to read a few things once again, as after a compaction, is no stall.
func (s *stall) reached(r *rules) bool {
	threshold := r.NoProgress.Threshold
	return s.Count >= threshold && (!r.retrospective || s.Most >= threshold)
}

// commonest is how often the commonest of the step's calls has been seen.
func (g *Guard) commonest() int {
	most := 0
	for i := range g.calls {
		most = max(most, g.calls[i].sight.count)
	}
	return most
}

func (s *stall) extend(text mark) {
	if s.Text != 0 && text != 0 && s.Text != text {
		*s = stall{}
	}
	if s.Text == 0 {
		s.Text = text
	}
	s.Count++
}

// hit says what the stalled steps amount to.
func (s *stall) hit(threshold int) hit {
	return hit{
		id: stalled, code: CodeNoProgress, grade: Confirmed, call: -1, count: s.Count,
		facts: facts{Threshold: threshold},
	}
}

func noProgressWords(_ *Guard, f *Finding, x *facts) (string, Evidence) {
	return fmt.Sprintf("%d steps in a row had the same text and no new tool outcome.", f.Count),
		Evidence{"steps": f.Count, "threshold": x.Threshold}
}

// news remembers the step's outcomes and says what is new since the last
// boundary. A step of ignored calls or
// of polls says nothing at all, nor do delegations to Retrospective: their loops
// have a detector of their own.
func (g *Guard) news() news {
	n := silent
	if len(g.calls) > 0 && (len(g.beats) == 0 || g.rules.retrospective && g.beats[0].Delegated) {
		n = unheard
	}
	for i := range g.calls {
		c := &g.calls[i]
		key := c.key().with(c.out)
		since, seen := g.outcomes.get(key)
		switch {
		case c.ignored:
		case key == 0, c.delegation && g.rules.retrospective, c.sight.poll, c.explained(), c.hollow:
			n = max(n, unheard)
		case seen && since >= g.now.Turn:
			n = max(n, stale)
		default:
			n = fresh
			g.outcomes.set(key, g.index)
		}
	}
	return n
}
