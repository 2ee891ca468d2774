// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// relayed judges a run in which each word is a step: "a:1" is agent a that did
// 1, "a" one of which that is not known, "a(t)" one that was asked for t,
// ">a" a call that hands over to a, "tool=1" a call, and "..." the agent's words.
func relayed(t *testing.T, run string) string {
	d := newDigester(t)
	g := mustNew(t, only(ReasonDelegation, Retrospective()))
	for i, word := range strings.Fields(run) {
		s := StepDigest{Start: int64(i+1) * 100}
		name, did, _ := strings.Cut(word, ":")
		name, task, _ := strings.Cut(strings.TrimSuffix(name, ")"), "(")
		tool, result, isTool := strings.Cut(word, "=")
		to, handed := strings.CutPrefix(word, ">")
		c := CallDigest{Start: s.Start, End: s.Start + 50}
		switch {
		case word == "U":
			s.Boundary = true
		case strings.HasPrefix(word, `"`):
			s.Text = d.Text(word)
		case handed:
			c.Tool, c.Args, c.Outcome, c.Handoff = "transfer_to_"+to, d.Args("{}"), d.Result(word+run[:i]), true
			s.Calls = []CallDigest{c}
		case isTool:
			c.Tool, c.Args, c.Outcome = tool, d.Args("{}"), d.Result(result)
			s.Calls = []CallDigest{c}
		default:
			c.Tool, c.Delegation, c.Did = name, true, d.Text(did).Print
			if did == "" {
				c.Did = 0
			}
			if task != "" {
				c.Args = d.Args(task)
			}
			s.Calls = []CallDigest{c}
		}
		g.CheckDigest(s)
	}
	g.End()
	var list []string
	for _, f := range g.Findings() {
		list = append(list, strings.TrimSpace(string(f.Grade)+" "+f.Severity.String())+" "+f.Detail)
	}
	return strings.Join(list, ", ")
}

func TestDelegationCircle(t *testing.T) {
	const round = "confirmed stop A task went round 3 times between "
	tests := []struct{ name, run, want string }{
		{"agents that do the same each time", "a:1 b:2 a:1 b:2 a:1 b:2", round + "a, b."},
		{"two laps", "a:1 b:2 a:1 b:2 a:1", ""},
		{"three agents", strings.Repeat("a:1 b:2 c:3 ", 3), round + "a, b, c."},
		{"writer and reviewer", "w:1 r:2 w:3 r:4 w:5 r:6 w:7 r:8 w:9 r:10 w:11 r:12", ""},
		{"one agent is no circle", strings.Repeat("a:1 ", 9), ""},
		{"names alone", strings.Repeat("a b ", 5), "args_only warn A task went round 5 times between a, b."},
		{"names alone, four laps", strings.Repeat("a b ", 4), ""},
		{"tasks that differ", "a(1) b(1) a(2) b(2) a(3) b(3) a(4) b(4) a(5) b(5) a(6) b(6)", ""},
		{"tasks that differ with deeds that do not", "a(1):1 b(1):2 a(2):1 b(2):2 a(3):1 b(3):2", round + "a, b."},
		{"hand-offs, whatever they return", strings.Repeat(">a >b ", 3), round + "transfer_to_a, transfer_to_b."},
		{"with work in between", ">a x=1 >b >a x=2 >b >a x=3 >b >a x=4 >b", ""},
		{"with the same work in between", ">a x=1 >b >a x=1 >b >a x=1 >b >a x=1 >b", "confirmed stop"},
		{"with an answer in between", `>a "one" >b >a "two" >b >a "three" >b >a "four" >b`, ""},
		{"a user's message starts afresh", "a:1 b:2 a:1 b:2 U a:1 b:2", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := relayed(t, tt.run)
			if tt.want == "" {
				assert.Empty(t, got)
				return
			}
			assert.True(t, strings.HasPrefix(got, tt.want), got)
		})
	}
}

func TestAgentsAtWorkTogetherAreNoCircle(t *testing.T) {
	g := mustNew(t, Retrospective())
	var s StepDigest
	for i := range 12 {
		s.Calls = append(s.Calls, CallDigest{
			Tool: []string{"a", "b"}[i%2], Delegation: true, Did: 1 + uint64(i%2), Start: 100, End: 900,
		})
	}
	g.CheckDigest(s)
	assert.Empty(t, g.Findings())
}

func TestCircleIsOneFinding(t *testing.T) {
	g := mustNew(t, only(ReasonDelegation, Retrospective()))
	for i := range 20 {
		g.CheckDigest(StepDigest{Calls: []CallDigest{{Tool: []string{"a", "b"}[i%2], Delegation: true, Did: 1}}})
	}
	g.CheckDigest(StepDigest{Calls: []CallDigest{{Tool: "c", Delegation: true, Did: 7}}})
	fs := g.Findings()
	assert.Len(t, fs, 1)
	assert.Equal(t, []int{5, 19, 10}, []int{fs[0].Step, fs[0].LastStep, fs[0].Count})
	assert.Equal(t, Recovered, fs[0].State)
	assert.Equal(t, Evidence{"period": 2, "repeats": 10, "threshold": 3, "cycle": []string{"a", "b"}}, fs[0].Evidence)
}

func TestAgentBelowItself(t *testing.T) {
	run := func(agent string, task, did uint64) NestedRun { return NestedRun{agent, task, did} }
	tests := []struct {
		name  string
		path  []NestedRun
		grade Grade
		depth int
	}{
		{"the same task", []NestedRun{run("p", 1, 0), run("p", 1, 0), run("p", 1, 0), run("p", 1, 0)}, ArgsOnly, 2},
		{"the same task and deeds", []NestedRun{run("p", 1, 2), run("p", 1, 2), run("p", 1, 2)}, Confirmed, 2},
		{"two of them", []NestedRun{run("p", 1, 2), run("p", 1, 2)}, "", 0},
		{"with another between", []NestedRun{run("p", 0, 2), run("q", 0, 3), run("p", 0, 2), run("q", 0, 3), run("p", 0, 2)}, Confirmed, 4},
		{"parts of the task", []NestedRun{run("p", 1, 0), run("p", 2, 0), run("p", 3, 0), run("p", 4, 0), run("p", 5, 0)}, "", 0},
		{"names alone", []NestedRun{run("p", 0, 0), run("p", 0, 0), run("p", 0, 0), run("p", 0, 0), run("p", 0, 0)}, ArgsOnly, 4},
		{"names alone, four", []NestedRun{run("p", 0, 0), run("p", 0, 0), run("p", 0, 0), run("p", 0, 0)}, "", 0},
		{"a hierarchy", []NestedRun{run("p", 1, 0), run("q", 1, 0), run("r", 1, 0), run("s", 1, 0), run("t", 1, 0)}, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := mustNew(t, Retrospective())
			g.CheckDigest(StepDigest{Calls: []CallDigest{{Tool: "p", Delegation: true, Nested: tt.path}}})
			g.CheckDigest(StepDigest{Finish: plainStop, Text: TextDigest{Print: 1, Words: 1}})
			g.End()
			fs := g.Findings()
			if tt.grade == "" {
				assert.Empty(t, fs)
				return
			}
			assert.Len(t, fs, 1)
			assert.Equal(t, tt.grade, fs[0].Grade)
			assert.Equal(t, tt.depth, fs[0].Depth)
			assert.Equal(t, EndedInLoop, fs[0].State)
			assert.Contains(t, fs[0].Detail, `Agent "p"`)
		})
	}
}
