// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"slices"
)

// The forms of stagnation.
const (
	sameAnswer = iota
	selfAppended
	swept
)

// streamsKept bounds the tools that stagnation watches at a time, twice over.
const streamsKept = 128

// stream is what the calls of one tool have come to since the last boundary.
type stream struct {
	// Turn is the step of that boundary, Step that of the last call.
	Turn, Step int32
	// Out is the last outcome; Count calls in different steps had it, with
	// different arguments, the last of which are Args.
	Out   mark
	Count int32
	Args  [6]mark
	// Unknown counts the calls of these whose arguments are not known.
	Unknown int32
	growth  growth
}

// stagnation finds tools that are asked in ever new ways and always answer the
// same (stella#2543, #1361), inputs that only grow (stella#5863), and ranges
// that are read over and over (stella#4034).
func stagnation(g *Guard) {
	for i := range g.calls {
		c := &g.calls[i]
		if c.ignored || c.delegation {
			continue
		}
		s, known := g.streams.get(c.tool)
		if !known || int(s.Turn) != g.now.Turn {
			s = stream{Turn: int32(g.now.Turn), Step: -1}
		}
		g.stagnate(&s, c)
		g.grow(&s.growth, c)
		s.Step = int32(g.index)
		g.streams.set(c.tool, s)
		g.sweep(c)
	}
}

func (g *Guard) stagnate(s *stream, c *call) {
	if c.out == 0 || g.step.Calls[c.index].Outcome.InProgress {
		return
	}
	answer := g.answer(c)
	if answer != s.Out {
		g.resumed(c.tool.with(s.Out))
		s.Out, s.Count, s.Unknown, s.Args = answer, 0, 0, [6]mark{}
	}
	if !c.informative || c.failed {
		return // An acknowledgement tells nothing, an error is told elsewhere.
	}
	s.count(c, g.index)
	threshold := g.rules.Stagnation.Threshold
	if int(s.Count) < threshold {
		return
	}
	grade := Confirmed
	if s.Unknown == s.Count {
		grade = ResultsOnly
	}
	g.report(hit{
		id: c.tool.with(answer), code: CodeStagnation, grade: grade, call: c.index, count: int(s.Count),
		facts: facts{Form: sameAnswer, Tools: c.tool, Threshold: threshold, Measures: [2]int{int(s.Unknown)}},
	})
}

// passing are the parts of an answer that change by themselves.
const passing = variedSpace | variedANSI | variedTime | variedEpoch | variedProcess | variedDuration | variedCounter

// answer is the outcome as it is, but for what changes by itself. Answers that
// differ in an id are about different things: with different arguments that is
// what was asked for.
func (g *Guard) answer(c *call) mark {
	o := &g.step.Calls[c.index].Outcome
	if o.Varied&^passing == 0 {
		return c.out
	}
	return outcomeMark(o.Exact, o.Failed)
}

// count takes a call with the outcome of the last ones: if its arguments are
// new, and once a step.
func (s *stream) count(c *call, step int) {
	switch {
	case int(s.Step) == step && s.Count > 0:
	case c.args == 0:
		s.Count++
		s.Unknown++
	case !slices.Contains(s.Args[:], c.key()):
		copy(s.Args[1:], s.Args[:])
		s.Args[0] = c.key()
		s.Count++
	}
}

func stagnationWords(g *Guard, f *Finding, x *facts) (string, Evidence) {
	tool := g.label(x.Tools)
	e := Evidence{"tool": tool, "count": f.Count, "threshold": x.Threshold}
	switch x.Form {
	case selfAppended:
		e["first_length"], e["last_length"] = x.Measures[0], x.Measures[1]
		return fmt.Sprintf("Tool %q was called %d times, each time with the last input and more at its end.", tool, f.Count), e
	case swept:
		e["from"], e["to"] = x.Measures[0], x.Measures[1]
		return fmt.Sprintf("Tool %q was asked %d times for ranges that it had covered before.", tool, f.Count), e
	default:
		e["unknown_arguments"] = x.Measures[0]
		return fmt.Sprintf("Tool %q was called in %d ways and always had the same result.", tool, f.Count), e
	}
}
