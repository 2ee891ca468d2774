// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "fmt"

// The forms of repeated text, which also identify the episodes of the last two.
const (
	retold = iota
	chanted
	empty
)

// telling is the state of the repeated text detector.
type telling struct {
	// Text was said by Count responses in a row, none of which called a tool;
	// with Resent of them the model had its own words before it again.
	Text          mark
	Count, Resent int
	// Input is what the last of them was given, in tokens.
	Input float64
	// Empty counts responses in a row that bring nothing at all.
	Empty int
	// Chanted says that the last response did.
	Chanted bool
	Recent  recent
}

// repeatedText finds models that say the same again and again and call no tool
// (claude-code#27281), that chant within one response (VS Code, opencode#12716),
// and responses in a row that are empty, or wait for tools which they do not
// call (opencode#49414, mastra#14187).
func repeatedText(g *Guard) {
	s := &g.now.Telling
	if g.step.Boundary {
		*s = telling{}
	}
	g.chanting(s)
	switch {
	case len(g.step.Calls) > 0 || g.step.Asked:
		g.toldOff(s)
	case g.step.Text.Print != 0:
		g.tellNothing(s)
		g.tell(s)
	}
}

func (g *Guard) chanting(s *telling) {
	switch laps := g.step.Text.Chant; {
	case laps > 0:
		s.Chanted = true
		g.report(hit{
			id: chanted, code: CodeRepeatedText, grade: Confirmed, call: -1, count: laps,
			facts: facts{Form: chanted, Threshold: chantLaps},
		})
	case s.Chanted:
		s.Chanted = false
		g.resumed(chanted)
	}
}

// toldOff forgets what was said: the run has got on.
func (g *Guard) toldOff(s *telling) {
	g.resumed(s.Text)
	g.resumed(empty)
	*s = telling{Chanted: s.Chanted}
}

// scarcely is a number of output tokens that holds no call and no word.
const scarcely = 5

// bringsNothing reports whether a response without calls is empty, or claims
// calls that it has not. Where its reason says no more than that it is over,
// the usage has to agree that nothing came.
func (g *Guard) bringsNothing() bool {
	s := &g.step
	switch {
	case s.Finish == toolCalls:
		return true
	case !s.Text.Blank:
		return false
	case s.Finish == "" || s.Finish == plainStop:
		return s.Usage.OutputTokens > 0 && s.Usage.OutputTokens <= scarcely
	default:
		return true
	}
}

func (g *Guard) tellNothing(s *telling) {
	if !g.bringsNothing() {
		s.Empty = 0
		g.resumed(empty)
		return
	}
	threshold := g.rules.RepeatedText.Threshold
	if s.Empty++; s.Empty >= threshold {
		g.report(hit{
			id: empty, code: CodeRepeatedText, call: -1, count: s.Empty,
			facts: facts{Form: empty, Threshold: threshold},
		})
	}
}

func (g *Guard) tell(s *telling) {
	t, input := &g.step.Text, usable(g.step.Usage.InputTokens)
	switch {
	case t.Blank:
		g.resumed(s.Text)
		s.Text, s.Count = 0, 0
		return
	case mark(t.Print) != s.Text:
		g.resumed(s.Text)
		*s = telling{Text: mark(t.Print), Empty: s.Empty, Chanted: s.Chanted}
	case mark(g.step.Echo) == s.Text, s.Input > 0 && input > s.Input:
		s.Resent++
	}
	s.Count, s.Input = s.Count+1, input
	s.Recent.note(g.index, g.rules.wanted)
	o := &g.rules.RepeatedText
	if s.Count >= o.Threshold && (s.Resent >= o.Threshold-1 || t.Words >= o.MinWords) {
		g.report(hit{
			id: s.Text, code: CodeRepeatedText, grade: Confirmed, call: -1, count: s.Count,
			facts: facts{Threshold: o.Threshold, Recent: s.Recent, Measures: [2]int{t.Words, s.Resent}},
		})
	}
}

func repeatedTextWords(_ *Guard, f *Finding, x *facts) (string, Evidence) {
	e := Evidence{"count": f.Count, "threshold": x.Threshold}
	switch x.Form {
	case chanted:
		e["form"] = "chant"
		return fmt.Sprintf("One response ends with the same words %d times over.", f.Count), e
	case empty:
		e["form"] = "empty"
		return fmt.Sprintf("%d responses in a row were empty or waited for tools that they did not call.", f.Count), e
	default:
		e["form"], e["words"], e["resent"] = "repeat", x.Measures[0], x.Measures[1]
		e["step_indexes"] = x.Recent.list()
		return fmt.Sprintf("The model said the same %d times in a row and called no tool.", f.Count), e
	}
}
