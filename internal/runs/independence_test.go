// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// randomTree writes a tree of agents, models, tools and everything that may
// lie between, with loops often enough to be found.
func randomTree(r *rand.Rand) string {
	var b strings.Builder
	n := 0
	var grow func(depth int, inAgent bool)
	line := func(depth int, format string, args ...any) {
		n++
		fmt.Fprintf(&b, strings.Repeat("  ", depth)+format+"\n", args...)
	}
	grow = func(depth int, inAgent bool) {
		for range 1 + r.IntN(6) {
			if n > 80 {
				return
			}
			key := fmt.Sprintf("k%d", n)
			switch p := r.IntN(20); {
			case p < 7:
				line(depth, "model %s in=%d out=%d finish=%s", key, r.IntN(50), r.IntN(5), []string{"stop", "length", "tool-calls"}[r.IntN(3)])
				if r.IntN(6) == 0 {
					grow(depth+1, inAgent)
				}
			case p < 14:
				line(depth, "tool %s t%d %s %s", key, r.IntN(2), []string{"args=a", "args=b", ""}[r.IntN(3)], []string{"result=r", "error=e", ""}[r.IntN(3)])
				if r.IntN(4) == 0 {
					grow(depth+1, inAgent)
				}
			case p < 15:
				line(depth, "mcp %s t%d result=r", key, r.IntN(2))
			case p < 17:
				line(depth, "container %s", key)
				grow(depth+1, inAgent)
			case p < 18:
				line(depth, "link %s", key)
				grow(depth+1, inAgent)
			case depth < 6:
				line(depth, "agent %s agent%d", key, r.IntN(3))
				grow(depth+1, true)
			}
		}
	}
	line(0, []string{"agent root main", "container root", "link root"}[r.IntN(3)])
	grow(1, false)
	return b.String()
}

// shuffled is a random order in which no span comes before one below it.
func shuffled(r *rand.Rand, spans []span) []span {
	children := make(map[string]int)
	byID := make(map[[8]byte]string)
	for _, s := range spans {
		byID[s.ID] = s.key
	}
	byKey := make(map[string]span)
	for _, s := range spans {
		byKey[s.key] = s
		if p, ok := byID[s.Parent]; ok {
			children[p]++
		}
	}
	var ready []string
	for _, s := range spans {
		if children[s.key] == 0 {
			ready = append(ready, s.key)
		}
	}
	var out []span
	for len(ready) > 0 {
		i := r.IntN(len(ready))
		s := byKey[ready[i]]
		ready = slices.Delete(ready, i, i+1)
		out = append(out, s)
		if p, ok := byID[s.Parent]; ok {
			if children[p]--; children[p] == 0 {
				ready = append(ready, p)
			}
		}
	}
	return out
}

// outcome is all that must not depend on order and batches: which spans are
// runs and what is said of them, and what was counted.
func outcome(t *testing.T, r *rand.Rand, spans []span, batch int) string {
	tr, rec := newTestTracker(t)
	var lines []string
	for from := 0; from < len(spans); {
		size := batch
		if batch == 0 {
			size = 1 + r.IntN(7)
		}
		to := min(from+size, len(spans))
		for key, m := range send(tr, testStart, spans[from:to], to-from) {
			line := key
			if m.Run != nil {
				line += fmt.Sprintf(" run %s %v %v %v %v", m.Run.summary(), m.Run.Coverage, m.Run.Waste, m.Run.OnsetSpan, m.Run.Calls)
			}
			if m.Container != nil {
				line += fmt.Sprintf(" container %s@%d %v", m.Container.Fault.Code, m.Container.OnsetStep, m.Container.OnsetSpan)
			}
			line += fmt.Sprint(" nested ", m.Nested)
			if m.Run != nil || m.Container != nil || m.Nested.Severity != None {
				lines = append(lines, line)
			}
		}
		from = to
	}
	tr.Expire(testStart.Add(time.Hour))
	for _, run := range rec.runs {
		lines = append(lines, "counted "+run.summary())
	}
	sort.Strings(lines)
	lines = append(lines, fmt.Sprint("tokens ", rec.counts.InputTokens, rec.counts.OutputTokens, " late ", rec.counts.LateSpans))
	return strings.Join(lines, "\n")
}

// For every split into batches and every order in which no span arrives before
// one below it, runs, steps, verdicts and run attributes are the same.
func TestBatchesAndOrderChangeNothing(t *testing.T) {
	trees := 2000 // In five orders each.
	switch {
	case testing.Short():
		trees = 50
	case raced:
		trees = 400
	}
	for seed := range trees {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		tree := randomTree(r)
		spans := parseTree(t, tree)
		want := outcome(t, r, spans, len(spans))
		for variant, got := range map[string]string{
			"span by span":       outcome(t, r, spans, 1),
			"random batches":     outcome(t, r, spans, 0),
			"random order":       outcome(t, r, shuffled(r, spans), 0),
			"shuffled, singly":   outcome(t, r, shuffled(r, spans), 1),
			"shuffled, together": outcome(t, r, shuffled(r, spans), len(spans)),
		} {
			require.Equal(t, want, got, "seed %d, %s:\n%s", seed, variant, tree)
		}
	}
}
