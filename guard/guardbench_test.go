// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"testing"
)

// benchSteps are steps of one call each that never repeat for long.
func benchSteps(calls int) []StepDigest {
	steps := make([]StepDigest, 512)
	for i := range steps {
		s := &steps[i]
		s.Text = TextDigest{Print: uint64(i + 1), Words: 12}
		s.Finish, s.Usage = "tool-calls", Usage{InputTokens: 900, OutputTokens: 40}
		s.Start, s.End = int64(i+1)*1e9, int64(i+1)*1e9+5e8
		for c := range calls {
			fp := Fingerprint{Exact: uint64(i*7+c+1) * 0x9e3779b97f4a7c15}
			fp.Normal = fp.Exact
			s.Calls = append(s.Calls, CallDigest{
				Tool: fmt.Sprintf("tool_%d", (i+c)%9), Args: fp,
				Outcome: Outcome{Fingerprint: fp, Informative: true},
			})
		}
	}
	return steps
}

func benchOptions() map[string]Options {
	all := func(o Options) Options {
		o.Budget = Budget{TotalTokens: Limit{Max: 1e18, WarnAt: 0.9}, DurationMs: Limit{Max: 1e18}}
		o.MaxSteps = MaxSteps{Limit: 1 << 40}
		o.Tools = map[string]Tool{"delete_*": {MaxCalls: 1 << 40}}
		o.NoHistory = true
		return o
	}
	return map[string]Options{"seed": all(Options{}), "retrospective": all(Retrospective())}
}

func BenchmarkCheckDigest(b *testing.B) {
	for name, o := range benchOptions() {
		for _, calls := range []int{1, 3} {
			b.Run(fmt.Sprintf("%s/calls=%d", name, calls), func(b *testing.B) {
				steps, g, i := benchSteps(calls), mustNew(b, o), 0
				b.ReportAllocs()
				for b.Loop() {
					g.CheckDigest(steps[i%len(steps)])
					i++
				}
			})
		}
	}
}

// BenchmarkCheckDigestInALoop is the dear case: every step has a verdict.
func BenchmarkCheckDigestInALoop(b *testing.B) {
	g, s := mustNew(b, benchOptions()["retrospective"]), benchSteps(1)[0]
	b.ReportAllocs()
	for b.Loop() {
		g.CheckDigest(s)
	}
}

func BenchmarkAmend(b *testing.B) {
	g, steps, i := mustNew(b, benchOptions()["retrospective"]), benchSteps(1), 0
	b.ReportAllocs()
	for b.Loop() {
		g.CheckDigest(steps[i%len(steps)])
		g.Amend(steps[i%len(steps)])
		i++
	}
}

func BenchmarkCheck(b *testing.B) {
	g, i := mustNew(b, benchOptions()["seed"]), 0
	steps := make([]Step, 256)
	for i := range steps {
		steps[i] = Step{Text: "Looking further.", Calls: []ToolCall{{
			Name: "search", Args: map[string]any{"query": "agent loops", "page": i}, Result: fmt.Sprint("result ", i),
		}}}
	}
	b.ReportAllocs()
	for b.Loop() {
		g.Check(steps[i%len(steps)])
		i++
	}
}

func BenchmarkFresh(b *testing.B) {
	g := mustNew(b, Retrospective())
	b.ReportAllocs()
	for b.Loop() {
		g.Fresh()
	}
}
