// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "slices"

// sweepsKept bounds the resources that are watched at a time, twice over.
const sweepsKept = 32

// reads is what a tool has been asked of one resource since the last boundary.
type reads struct {
	Turn int32
	// Again counts ranges in a row that were covered before, once the tool
	// had gone back.
	Again int32
	Back  bool
	// From is where the last range began.
	From uint32
	// Known counts the ranges in a row that came back as before.
	Known int32
	// Covered has the ranges so far, apart from each other; Answers what some
	// of the last came back with.
	Covered [12]span
	Answers [8]answer
	// Next counts the answers.
	Next uint8
}

// span is a range of units, both ends included; an empty one ends at 0 and
// begins behind.
type span struct{ From, To uint32 }

type answer struct {
	span
	Out mark
}

var nowhere = span{1, 0}

// sweep watches the ranges of a resource that a tool is asked for. One pass
// forward is work, and so is a range that has changed since.
func (g *Guard) sweep(c *call) {
	shape := &g.step.Calls[c.index].Args.Shape
	if !shape.ranged() || c.failed {
		return
	}
	id := c.tool.with(mark(shape.Rest))
	s, known := g.sweeps.get(id)
	if !known || int(s.Turn) != g.now.Turn {
		s.restart(g.now.Turn)
	}
	at := span{shape.From, shape.To}
	if !s.take(at, c.out) {
		g.resumed(id)
	}
	g.sweeps.set(id, s)
	threshold := g.rules.Stagnation.SweepThreshold
	if int(s.Again) < threshold {
		return
	}
	grade := ArgsOnly
	if s.Known >= 2 {
		grade = Confirmed
	}
	g.report(hit{
		id: id, code: CodeSweep, grade: grade, call: c.index, count: int(s.Again),
		facts: facts{
			Form: swept, Tools: c.tool, Threshold: threshold,
			Measures: [2]int{int(s.Covered[0].From), int(s.Covered[0].To)},
		},
	})
}

func (s *reads) restart(turn int) {
	*s = reads{Turn: int32(turn)}
	for i := range s.Covered {
		s.Covered[i] = nowhere
	}
}

// take takes a range and reports whether it was covered before.
func (s *reads) take(at span, out mark) (again bool) {
	if s.changed(at, out) {
		s.restart(int(s.Turn))
	}
	s.Back = s.Back || at.From < s.From
	s.From = at.From
	switch again = s.covers(at); {
	case !again:
		s.Again, s.Known, s.Back = 0, 0, false
	case s.Back:
		s.Again++
	}
	s.cover(at)
	return again
}

// changed reports whether a range has another outcome than before, and
// remembers the outcome.
func (s *reads) changed(at span, out mark) bool {
	if out == 0 {
		return false
	}
	for i := range s.Answers {
		if a := &s.Answers[i]; a.Out != 0 && a.span == at {
			was := a.Out
			a.Out = out
			if was == out {
				s.Known++
			}
			return was != out
		}
	}
	s.Answers[s.Next%uint8(len(s.Answers))] = answer{at, out}
	s.Next++
	return false
}

// covers reports whether at least four fifths of a range have been covered.
func (s *reads) covers(at span) bool {
	var shared uint64
	for _, c := range s.Covered {
		if from, to := max(c.From, at.From), min(c.To, at.To); from <= to {
			shared += uint64(to-from) + 1
		}
	}
	return shared*5 >= (uint64(at.To-at.From)+1)*4
}

// cover adds a range, which swallows those that it touches. Of too many the
// oldest goes.
func (s *reads) cover(at span) {
	list := s.Covered[:]
	for i := range list {
		c := &list[i]
		if c.From <= c.To && uint64(c.From) <= uint64(at.To)+1 && uint64(at.From) <= uint64(c.To)+1 {
			at.From, at.To = min(at.From, c.From), max(at.To, c.To)
			*c = nowhere
		}
	}
	free := slices.Index(list, nowhere)
	if free < 0 {
		free = len(list) - 1
	}
	copy(list[1:free+1], list[:free])
	list[0] = at
}
