// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// told judges steps that only say something. A text may be followed by
// "|finish|output tokens".
func told(t *testing.T, texts ...string) []string {
	var steps []Step
	for i, text := range texts {
		s := Step{Usage: Usage{InputTokens: float64(100 + i)}}
		part := strings.Split(text, "|")
		s.Text = part[0]
		if len(part) > 1 {
			s.FinishReason = part[1]
		}
		if len(part) > 2 {
			fmt.Sscan(part[2], &s.Usage.OutputTokens)
		}
		if name, ok := strings.CutPrefix(text, "call "); ok {
			s.Text, s.Calls = "", []ToolCall{{Name: name, Result: name}}
		}
		if s.Text == "U" {
			s.Text, s.Boundary = "hello", true
		}
		steps = append(steps, s)
	}
	return found(t, only(ReasonText, Retrospective()), steps)
}

func TestRepeatedText(t *testing.T) {
	repeat := func(s string, n int) []string { return strings.Split(strings.Repeat(s+"\x00", n), "\x00")[:n] }
	tests := []struct {
		name  string
		texts []string
		want  string
	}{
		{"the same three times, sent again", repeat("I will write it now.", 3), "REPEATED_TEXT confirmed@2-2 ended_in_loop"},
		{"case and white space do not matter", []string{"Now I go.", " now  I go.", "NOW\nI go."}, "REPEATED_TEXT confirmed@2-2 ended_in_loop"},
		{"twice is nothing", repeat("I will write it now.", 2), ""},
		{"a call is something", []string{"Now.", "Now.", "call a", "Now."}, ""},
		{"so is a user's message", []string{"hello", "hello", "U"}, ""},
		{"another text ends it", []string{"Now.", "Now.", "Now.", "Now.", "Done."}, "REPEATED_TEXT confirmed@2-3 recovered"},
		{"nothing, and no known end", repeat("|unknown", 3), "REPEATED_TEXT @2-2 ended_in_loop"},
		{"calls that are not there", repeat(" |tool-calls", 3), "REPEATED_TEXT @2-2 ended_in_loop"},
		{"calls that are announced and not there", []string{"One|tool_calls", "Two|tool_calls", "Three|tool_calls"}, "REPEATED_TEXT @2-2 ended_in_loop"},
		{"nothing at a plain end, by the usage", repeat("|stop|1", 3), "REPEATED_TEXT @2-2 ended_in_loop"},
		{"who knows what was generated", repeat("|stop", 5), ""},
		{"calls that nobody shows, maybe", repeat("|stop|80", 5), ""},
		{"one empty response", []string{"|unknown", "There is soup."}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, strings.Join(told(t, tt.texts...), ", "))
		})
	}
}

func TestRepeatedTextWithoutUsage(t *testing.T) {
	d := newDigester(t)
	short, long := d.Text("Yes."), d.Text(strings.Repeat("word ", 20))
	codes := func(s StepDigest) (n int) {
		g := mustNew(t, only(ReasonText, Retrospective()))
		for range 4 {
			g.CheckDigest(s)
		}
		return len(g.Findings())
	}
	assert.Zero(t, codes(StepDigest{Text: short}), "answers to questions of their own")
	assert.Zero(t, codes(StepDigest{Text: short, Echo: long.Print}))
	assert.Equal(t, 1, codes(StepDigest{Text: short, Echo: short.Print}), "the model has its words before it")
	assert.Equal(t, 1, codes(StepDigest{Text: long}))
	assert.Zero(t, codes(StepDigest{Text: long, Asked: true}), "it calls tools that nobody shows")
	assert.Zero(t, codes(StepDigest{Finish: toolCalls}), "what it said is not known")
}

func TestChantIsAFindingOfOneResponse(t *testing.T) {
	chant := "Well. " + strings.Repeat("so the value must live as long as the thing it points to, ", 20)
	assert.Equal(t, []string{"REPEATED_TEXT confirmed@0-0 recovered"}, told(t, chant, "I am sorry, here is the answer.|stop"))
	assert.Equal(t, []string{"REPEATED_TEXT confirmed@0-0 ended_in_loop"}, told(t, chant))
	g := mustNew(t, Retrospective())
	g.Check(Step{Text: chant})
	assert.Equal(t, Evidence{"form": "chant", "count": 20, "threshold": 6}, g.Findings()[0].Evidence)
}

func TestChant(t *testing.T) {
	table := "| item | price |\n|---|---|\n"
	var different strings.Builder
	for i := range 60 {
		fmt.Fprintf(&different, "Then I looked at file number %d of the project and found nothing wrong with it. ", i)
	}
	tests := []struct {
		name, text string
		want       bool
	}{
		{"one word", strings.Repeat("never ", 80), true},
		{"a sentence, cut within a word", strings.Repeat("I will try that again now. ", 12) + "I will tr", true},
		{"lines", strings.Repeat("Let me check the file.\n", 20), true},
		{"after healthy prose", different.String() + strings.Repeat("and so on it goes ", 20), true},
		{"a long passage", strings.Repeat("The parser reads a token and asks whether it is the last one of its line. Then it goes back and does the same. ", 7), true},
		{"no spaces between words", strings.Repeat("同じ答えを繰り返す。", 40), true},
		{"case does not matter", strings.Repeat("No, not that one. NO, not THAT one. ", 20), true},
		{"five times", strings.Repeat("a passage of some words that comes again and again until it is said for the last time ", 5), false},
		{"often, but short", strings.Repeat("ha ha ", 15), false},
		{"a refrain among verses", strings.Repeat("Sing it once more. ", 4) + different.String(), false},
		{"sentences of one form", different.String(), false},
		{"code", "Here it is:\n```\n" + strings.Repeat("x = step(x)\n", 80) + "```\n", false},
		{"code that is not closed", "```go\n" + strings.Repeat("advance the parser by one\n", 80), false},
		{"code by its indent", strings.Repeat("    call the next one here\n", 60), false},
		{"a table", table + strings.Repeat("| same thing every time | here |\n", 80), false},
		{"a list", strings.Repeat("- the same item once more\n", 60), false},
		{"a numbered list", strings.Repeat("1. the same item once more\n", 60), false},
		{"a quotation", strings.Repeat("> quoth the raven nevermore\n", 60), false},
		{"markup", strings.Repeat("<td></td> <td></td> <tr></tr> ", 60), false},
		{"numbers", strings.Repeat("0 0 0 1 0 0 ", 60), false},
		{"JSON", strings.Repeat(`{"a": 1, "b": null}, `, 60), false},
		{"rules", strings.Repeat("--- *** --- ", 60), false},
	}
	d := newDigester(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, d.Text(tt.text).Chant > 0)
		})
	}
}

func TestTextKeepsThePace(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	d, chant := newDigester(t), strings.Repeat("so the value must live as long as it does, ", 40)
	d.Text(chant)
	assert.Zero(t, testing.AllocsPerRun(100, func() { d.Text(chant) }))
}

func TestSayingTheSameUntilTheEndIsNoWayOut(t *testing.T) {
	say := func(text string) Step { return Step{Text: text, FinishReason: "stop"} }
	same := say(strings.Repeat("The answer is that all of the planets are fine. ", 3))
	for _, tt := range []struct {
		name string
		last []Step
		want State
	}{
		{"the last answer is one of them", nil, EndedInLoop},
		{"another answer follows", []Step{say("There are eight planets.")}, Recovered},
		{"the user takes over", []Step{{Boundary: true, Text: "So be it.", FinishReason: "stop"}}, EndedInLoop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := mustNew(t, only(ReasonText, Retrospective()))
			for _, s := range append([]Step{same, same, same, same}, tt.last...) {
				g.Check(s)
			}
			g.End()
			require.Len(t, g.Findings(), 1)
			assert.Equal(t, tt.want, g.Findings()[0].State)
		})
	}
}
