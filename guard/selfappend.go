// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// growth is a chain of inputs of which each goes on where the last one ended.
type growth struct {
	Last  Shape
	Count int32
	// First is the length of the first of them.
	First uint32
	// Out is what they came back with, if it is known, of Known of them.
	Out   mark
	Known int32
}

// grown is the identity of a tool's one chain.
const grown mark = 0x67726f776e

// grow takes a call into the chain of its tool. What a tool merely accepts may
// be work that grows: a document, say. New outcomes are progress.
func (g *Guard) grow(s *growth, c *call) {
	shape := &g.step.Calls[c.index].Args.Shape
	accepted := c.out != 0 && !c.informative
	switch {
	case c.args == 0, shape.Length > 0 && *shape == s.Last:
		return
	case shape.extends(&s.Last) && !accepted && (c.out == 0 || s.Out == 0 || c.out == s.Out):
		s.Count++
	default:
		g.resumed(c.tool.with(grown))
		*s = growth{Count: 1, First: shape.Length}
	}
	s.Last = *shape
	if c.out != 0 {
		s.Out = c.out
		s.Known++
	}
	threshold := g.rules.Stagnation.SelfAppendThreshold
	if int(s.Count) < threshold {
		return
	}
	grade := ArgsOnly
	if s.Known >= 2 {
		grade = Confirmed
	}
	g.report(hit{
		id: c.tool.with(grown), code: CodeSelfAppend, grade: grade, call: c.index, count: int(s.Count),
		facts: facts{
			Form: selfAppended, Tools: c.tool, Threshold: threshold,
			Measures: [2]int{int(s.First), int(shape.Length)},
		},
	})
}
