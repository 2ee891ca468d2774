// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// sightings bounds a generation of the table of calls seen.
const sightings = 1024

// sighting is what a run remembers of a call with a known outcome, since the
// last boundary.
type sighting struct {
	Out mark
	// Turn is the step of the boundary, Round the last round that had the call.
	Turn, Round int32
	// Count is how often the outcome came in a row, with nothing in between
	// that has got on.
	Count int32
	// Apart says that other calls stood between or beside the repetitions;
	// Idly counts those that followed nothing which could have changed the
	// outcome.
	Apart, Beside bool
	Idly          int32
	Last          tempo
	Gaps          waits
}

// sight is what the detectors see of it at a call.
type sight struct {
	// count is 0 if the outcome or the call is unknown, 1 for what is new.
	count int
	// again: seen before with the same outcome and other calls between or
	// beside; idly: and at least once for no reason.
	again, idly bool
	// changed: seen before with another outcome. poll: looks for a change.
	changed, poll bool
	rounds        int
}

// changes are the rounds in which something last changed.
type changes struct {
	// Outcome: a call that was seen before had another outcome. Call: a call
	// was made for the first time. Act: such a call was merely acknowledged,
	// so that it did something rather than look.
	Outcome, Call, Act int32
}

// see looks up what the run has seen of the calls at hand, and remembers them.
// The calls of a round are a set.
func (g *Guard) see() {
	beside := g.company()
	next := g.now.Changes
	for i := range g.calls {
		if c := &g.calls[i]; c.counts() && c.trace() != 0 {
			g.seeCall(c, beside, &next)
		}
	}
	g.now.Changes = next
}

// company reports whether the round has two different calls.
func (g *Guard) company() bool {
	for i := range g.calls {
		if a, b := &g.calls[0], &g.calls[i]; a.tool != b.tool || a.args != b.args || a.args == 0 && i > 0 {
			return true
		}
	}
	return false
}

func (g *Guard) seeCall(c *call, beside bool, next *changes) {
	round, turn := g.now.Pace.Tempo.Rounds, int32(g.now.Turn)
	s, known := g.seen.get(c.trace())
	switch {
	case known && s.Round == round && s.Turn == turn && s.Out == c.out:
		return // its twin in the round has been seen
	case !known || s.Turn != turn:
		s = sighting{Out: c.out, Turn: turn, Count: 1}
		next.Call = round
		if c.bare && !c.failed {
			next.Act = round
		}
	case s.Out != c.out:
		s = sighting{Out: c.out, Turn: turn, Count: 1}
		next.Outcome = round
		c.sight.changed = true
	default:
		g.seeAgain(c, &s, beside)
	}
	s.Round, s.Beside, s.Last = round, beside, g.now.Pace.Tempo
	c.sight.count = int(s.Count)
	g.seen.set(c.trace(), s)
}

// seeAgain is for a call that comes with the outcome it had before.
func (g *Guard) seeAgain(c *call, s *sighting, beside bool) {
	rounds := int(g.now.Pace.Tempo.Rounds - s.Round)
	apart := rounds > 1 || beside || s.Beside
	s.Gaps.add(s.Last, g.now.Pace.Tempo)
	if g.now.Changes.Outcome >= s.Round {
		*s = sighting{Out: s.Out, Turn: s.Turn, Count: 1}
		return
	}
	s.Count++
	s.Apart = s.Apart || apart
	if !g.explains(c, s) {
		s.Idly++
	}
	c.sight = sight{
		again: s.Apart, idly: s.Idly > 0, rounds: rounds,
		poll: g.rules.polls(c.progress, c.failed, s.Gaps),
	}
	c.sight.again = apart || c.sight.again && s.Count > 2
}

// explains reports whether there was a reason to repeat a call: something was
// done since, and its effect may be looked at. A call that is merely
// acknowledged does something itself, so that any new call is a reason to
// repeat it.
func (g *Guard) explains(c *call, s *sighting) bool {
	if c.bare && !c.failed {
		return g.now.Changes.Call >= s.Round
	}
	return g.now.Changes.Act >= s.Round
}
