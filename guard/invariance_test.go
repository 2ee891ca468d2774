// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spelled is a call whose content can be written in many ways.
type spelled struct{ tool, query, page, answer int }

// spell writes a call: the order of keys, white space, and what is new at every
// call, are the writer's.
func (s spelled) spell(r *rand.Rand, d *Digester) CallDigest {
	space := func() string { return []string{"", " ", "\n\t"}[r.IntN(3)] }
	object := func(members ...string) string {
		r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		return "{" + space() + strings.Join(members, space()+","+space()) + space() + "}"
	}
	args := object(
		fmt.Sprintf(`"query":%s"look  for   %d"`, space(), s.query), fmt.Sprintf(`"page":%d`, s.page),
		fmt.Sprintf(`"request_id":"%d"`, r.Uint32()), fmt.Sprintf(`"description":"%d times"`, r.IntN(99)),
		fmt.Sprintf(`"timestamp":"2026-11-%02dT10:%02d:00Z"`, 1+r.IntN(28), r.IntN(60)),
	)
	result := object(
		fmt.Sprintf(`"rows":["the answer to this question has the number",%d]`, s.answer),
		fmt.Sprintf(`"pid":%d`, r.IntN(9999)), fmt.Sprintf(`"log":"run %08x-0000-4000-8000-%012x"`, r.Uint32(), r.Uint32()),
	)
	return CallDigest{Tool: fmt.Sprint("tool", s.tool), Args: d.Args(args), Outcome: d.Result(result)}
}

func TestSpellingsChangeNothing(t *testing.T) {
	d, err := NewDigester(Sameness{})
	require.NoError(t, err)
	found := 0
	for seed := range uint64(10_000) {
		r := rand.New(rand.NewPCG(seed, 5))
		one, other := mustNew(t, Retrospective()), mustNew(t, Retrospective())
		for range 4 + r.IntN(8) {
			var a, b StepDigest
			for range 1 + r.IntN(2) {
				call := spelled{r.IntN(2), r.IntN(2), r.IntN(2), r.IntN(8) / 7}
				a.Calls = append(a.Calls, call.spell(r, d))
				b.Calls = append(b.Calls, call.spell(r, d))
			}
			one.CheckDigest(a)
			other.CheckDigest(b)
		}
		one.End()
		other.End()
		require.Equal(t, plain(one), plain(other), "seed %d", seed)
		found += len(one.Findings())
	}
	assert.Greater(t, found, 1000)
}

// plain spells findings without their evidence, which says what varied.
func plain(g *Guard) (list []string) {
	for _, f := range g.Findings() {
		list = append(list, fmt.Sprintf("%s %s %s %d/%d-%d x%d %s %v", f.Code, f.Severity, f.Grade, f.Step, f.Call,
			f.LastStep, f.Count, f.State, f.Also))
	}
	return list
}

// TestAnUnrelatedCallHidesNoLoop inserts one call that occurs nowhere else,
// between two steps or beside the calls of one. Only error streaks and
// mere words are over when a call works.
func TestAnUnrelatedCallHidesNoLoop(t *testing.T) {
	unrelated := CallDigest{
		Tool: "unrelated", Args: Fingerprint{Exact: 98, Normal: 98},
		Outcome: Outcome{Fingerprint: Fingerprint{Exact: 97, Normal: 97}, Informative: true},
	}
	loops := 0
	for seed := range uint64(24_000) {
		r := rand.New(rand.NewPCG(seed, 6))
		run := repetitiveRun(r)
		if seed%2 == 0 {
			run = completeRun(r)
		}
		if !loop(t, run) {
			continue
		}
		loops++
		at := 1 + r.IntN(len(run)-1)
		if r.IntN(2) == 0 {
			run = slices.Insert(run, at, StepDigest{Calls: []CallDigest{unrelated}})
		} else {
			run[at].Calls = append(slices.Clone(run[at].Calls), unrelated)
		}
		require.NotEmpty(t, judgedAll(t, run), "seed %d: at %d of %s", seed, at, sketch(run))
	}
	assert.Greater(t, loops, 10_000)
}

// repetitiveRun repeats a call, or a cycle of calls, with some noise before it.
func repetitiveRun(r *rand.Rand) []StepDigest {
	call := func(n int) CallDigest {
		print := Fingerprint{Exact: uint64(n + 1), Normal: uint64(n + 1)}
		return CallDigest{
			Tool: fmt.Sprint("t", n%3), Args: print,
			Outcome: Outcome{Fingerprint: print, Informative: n%4 > 0, Bare: n%4 == 0, Failed: n%5 == 4},
		}
	}
	var run []StepDigest
	for i := range r.IntN(4) {
		run = append(run, StepDigest{Calls: []CallDigest{call(50 + i)}})
	}
	var lap []StepDigest
	for range 1 + r.IntN(4) {
		s := StepDigest{}
		for range 1 + r.IntN(8)/6 {
			s.Calls = append(s.Calls, call(r.IntN(10)))
		}
		lap = append(lap, s)
	}
	for range 3 + r.IntN(3) {
		run = append(run, lap...)
	}
	return run
}

// completeRun is a random run of tool calls of which everything is known.
func completeRun(r *rand.Rand) []StepDigest {
	run := randomRun(r)[:6+r.IntN(10)]
	for i := range run {
		run[i].Calls = slices.Clone(run[i].Calls)
		for k := range run[i].Calls {
			c := &run[i].Calls[k]
			c.Delegation = false
			for _, print := range []*Fingerprint{&c.Args, &c.Outcome.Fingerprint} {
				if !print.Known() {
					*print = Fingerprint{Exact: 5, Normal: 5}
				}
			}
		}
	}
	return run
}

// loop reports whether a run has a confirmed finding about its tool calls. A
// share of the last calls is none that a further call could leave as it is.
func loop(t *testing.T, run []StepDigest) bool {
	return slices.ContainsFunc(judgedAll(t, run), func(f Finding) bool {
		return f.Grade == Confirmed && f.Reason != ReasonErrorStreak && f.Reason != ReasonText && f.Evidence["window"] == nil
	})
}

func judgedAll(t *testing.T, run []StepDigest) []Finding {
	g := mustNew(t, Retrospective())
	for _, s := range run {
		g.CheckDigest(s)
	}
	return g.Findings()
}

func sketch(run []StepDigest) string {
	var b strings.Builder
	for _, s := range run {
		for _, c := range s.Calls {
			fmt.Fprintf(&b, "%s(%d)=%d ", c.Tool, c.Args.Normal, c.Outcome.Normal)
		}
		b.WriteString("; ")
	}
	return b.String()
}
