// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// sightings bounds a generation of the table of calls seen.
const sightings = 1024

// sighting is what a run remembers of a call with an outcome, since the last
// boundary. There is an empty one for each call.
type sighting struct {
	// Turn is the step of the boundary, Round the last round that had the call.
	Turn, Round int32
	// Count is how often the call had the outcome, but for the times that
	// followed the progress of another.
	Count int32
	// Apart says that other calls stood between or beside the repetitions;
	// Idly counts those that followed nothing which could have changed the
	// outcome.
	Apart, Beside bool
	Idly          int32
	Last          tempo
	Gaps          waits
}

// explained reports whether the call was repeated with a reason each time, and
// does not tell anything by itself.
func (c *call) explained() bool { return c.bare && !c.failed && c.sight.count > 1 && !c.sight.idly }

// sight is what the detectors see of it at a call.
type sight struct {
	// count is 0 if the outcome or the call is unknown, 1 for what is new.
	count int
	// again: seen before with the same outcome, at least once with other calls
	// between or beside; apart: this time; idly: at least once for no reason.
	again, apart, idly bool
	// reasoned: there was a reason this time.
	reasoned bool
	// poll: looks for a change.
	poll   bool
	rounds int
}

// changes are the rounds in which something last changed.
type changes struct {
	// Outcome: a call that was seen before had a new outcome, the call By. Call: a call
	// was made for the first time. Act: such a call did something
	// rather than look: it was merely acknowledged, or is of a tool that makes
	// changes.
	// Poll: a call looked for a change.
	Outcome, Call, Act, Poll int32
	By                       mark
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
	id := c.trace().with(c.out)
	s, known := g.seen.get(id)
	switch known = known && s.Turn == turn; {
	case known && s.Round == round:
		return // its twin in the round has been seen
	case known:
		g.seeAgain(c, &s, beside)
		if c.sight.poll {
			next.Poll = round
		}
	default:
		g.seeNew(c, next)
		s = sighting{Turn: turn, Count: 1}
	}
	s.Round, s.Beside, s.Last = round, beside, g.now.Pace.Tempo
	c.sight.count = int(s.Count)
	g.seen.set(id, s)
}

// seeNew is for a call that comes for the first time, or with an outcome that
// it did not have before.
func (g *Guard) seeNew(c *call, next *changes) {
	round, turn := g.now.Pace.Tempo.Rounds, int32(g.now.Turn)
	if first, known := g.seen.get(c.trace()); known && first.Turn == turn {
		next.Outcome, next.By = round, c.trace()
		return
	}
	g.seen.set(c.trace(), sighting{Turn: turn})
	next.Call = round
	if !c.failed && (c.bare || c.acts) {
		next.Act = round
	}
}

// seeAgain is for a call that comes with an outcome it had before. It does not
// count if another one has got on in the meantime.
func (g *Guard) seeAgain(c *call, s *sighting, beside bool) {
	rounds := g.now.Pace.Tempo.Rounds - s.Round
	apart := rounds > 1 || beside || s.Beside
	s.Gaps.add(s.Last, g.now.Pace.Tempo)
	s.Apart = s.Apart || apart
	if last := g.now.Changes; last.Outcome > s.Round || last.Outcome == s.Round && last.By != c.trace() {
		return
	}
	s.Count++
	reasoned := g.explains(c, s)
	if !reasoned {
		s.Idly++
	}
	c.sight = sight{
		again: s.Apart, apart: apart, idly: s.Idly > 0, reasoned: reasoned, rounds: int(rounds),
		poll: g.rules.polls(c.progress, c.failed, s.Gaps),
	}
}

// explains reports whether there was a reason to repeat a call: something was
// done since, and its effect may be looked at. A call that is merely
// acknowledged does something itself, so that any new call is a reason to
// repeat it, and so is a poll, in which it may be the pause.
func (g *Guard) explains(c *call, s *sighting) bool {
	if c.bare && !c.failed {
		return max(g.now.Changes.Call, g.now.Changes.Poll) > s.Round
	}
	return g.now.Changes.Act > s.Round
}
