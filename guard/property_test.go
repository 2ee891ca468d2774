// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// profiles are what the properties are checked with. Limits are low, so that
// random runs reach them.
func profiles() map[string]Options {
	limits := func(o Options) Options {
		o.Budget = Budget{InputTokens: Limit{Max: 300, WarnAt: 0.5}, DurationMs: Limit{Max: 5000}}
		o.Tools = map[string]Tool{"c": {MaxCalls: 9}, "d": {Ignore: true}}
		return o
	}
	sound := limits(Retrospective())
	sound.RepeatedToolCall.IgnoreErrors = true
	return map[string]Options{
		"seed": limits(Options{NoHistory: true}), "retrospective": limits(Retrospective()), "sound": sound,
	}
}

// randomStep draws from few tools, arguments, outcomes and texts, so that things
// repeat.
func randomStep(r *rand.Rand) StepDigest {
	pick := func(of ...uint64) uint64 { return of[r.IntN(len(of))] }
	s := StepDigest{
		Text: TextDigest{
			Print: pick(0, 1, 1, 1, 2), Blank: r.IntN(2) == 0, Words: r.IntN(40), Chant: int(pick(0, 0, 0, 0, 0, 0, 7)),
		},
		Echo: pick(0, 1, 2), Asked: r.IntN(20) == 0,
		Finish: []string{"", "", "", "tool-calls", "length", "weird", "stop"}[r.IntN(7)],
		Usage:  Usage{InputTokens: float64(r.IntN(20))}, DurationMs: float64(r.IntN(300)),
		Boundary: r.IntN(25) == 0,
	}
	for range []int{0, 1, 1, 1, 1, 2, 3}[r.IntN(7)] {
		args, out := pick(0, 7, 7, 7, 8), pick(0, 5, 5, 5, 6)
		s.Calls = append(s.Calls, CallDigest{
			Tool: []string{"a", "a", "b", "c", "d"}[r.IntN(5)], Args: Fingerprint{Exact: args, Normal: args},
			Outcome: Outcome{
				Fingerprint: Fingerprint{Exact: out, Normal: out},
				Failed:      r.IntN(6) == 0, Informative: r.IntN(3) > 0,
			},
			Delegation: r.IntN(30) == 0, Handoff: r.IntN(20) == 0, Did: pick(0, 1, 1, 2), Nested: randomDescent(r),
		})
		s.Calls[len(s.Calls)-1].Args.Shape = randomShape(r)
	}
	return s
}

func randomShape(r *rand.Rand) Shape {
	if r.IntN(2) == 0 {
		return Shape{}
	}
	from := uint32(r.IntN(5) * 10)
	return Shape{
		Length: uint32(16 + r.IntN(64)), Heads: [4]uint32{1, 1, 1, 1},
		From: from, To: from + uint32(r.IntN(12)), Rest: uint32(r.IntN(2)),
	}
}

func randomDescent(r *rand.Rand) (path []NestedRun) {
	for range max(0, r.IntN(60)-52) {
		path = append(path, NestedRun{Agent: "e", Task: uint64(r.IntN(2)), Did: uint64(r.IntN(2))})
	}
	return path
}

// randomRun often repeats its own tail.
func randomRun(r *rand.Rand) []StepDigest {
	var run []StepDigest
	for len(run) < 60 {
		if n := len(run); n > 0 && r.IntN(4) == 0 {
			lap := run[n-1-r.IntN(min(n, 5)):]
			for range 1 + r.IntN(5) {
				run = append(run, lap...)
			}
			continue
		}
		run = append(run, randomStep(r))
	}
	return run
}

// account is all that a guard says of its run.
func account(t *testing.T, g *Guard) string {
	data, err := json.Marshal(g.Summary())
	require.NoError(t, err)
	return string(data)
}

func TestAmendEqualsAFreshReplay(t *testing.T) {
	for name, o := range profiles() {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(80) {
				r := rand.New(rand.NewPCG(seed, 1))
				amended, plain := mustNew(t, o), mustNew(t, o)
				for i, s := range randomRun(r) {
					for n := range r.IntN(3) {
						draft := randomStep(r)
						if n == 0 {
							amended.CheckDigest(draft)
						} else {
							amended.Amend(draft)
						}
						if i == 0 && n == 0 {
							break
						}
					}
					var got Verdict
					if amended.Summary().Steps > i {
						got = amended.Amend(s)
					} else {
						got = amended.CheckDigest(s)
					}
					require.Equal(t, plain.CheckDigest(s), got, "seed %d step %d", seed, i)
					require.Equal(t, account(t, plain), account(t, amended), "seed %d step %d", seed, i)
				}
			}
		})
	}
}

func TestRestoredGuardContinuesExactly(t *testing.T) {
	for name, o := range profiles() {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(25) {
				r := rand.New(rand.NewPCG(seed, 2))
				whole, resumed := mustNew(t, o), mustNew(t, o)
				for i, s := range randomRun(r) {
					whole.CheckDigest(s)
					resumed.CheckDigest(s)
					if r.IntN(4) > 0 {
						continue
					}
					data, err := resumed.Snapshot()
					require.NoError(t, err)
					resumed = mustNew(t, o)
					require.NoError(t, resumed.Restore(data))
					again, err := resumed.Snapshot()
					require.NoError(t, err)
					require.JSONEq(t, withoutClock(t, data), withoutClock(t, again))
					if r.IntN(2) == 0 {
						s = randomStep(r)
						whole.Amend(s)
						resumed.Amend(s)
					}
					require.JSONEq(t, account(t, whole), account(t, resumed), "seed %d step %d", seed, i)
				}
			}
		})
	}
}

func withoutClock(t *testing.T, data []byte) string {
	var s snapshot
	require.NoError(t, json.Unmarshal(data, &s))
	s.ElapsedMs = 0
	data, err := json.Marshal(s)
	require.NoError(t, err)
	return string(data)
}

// TestLagCountersEqualBruteForce compares with looking back over all laps.
func TestLagCountersEqualBruteForce(t *testing.T) {
	o := only(ReasonOscillation, Options{NoHistory: true, Oscillation: Oscillation{MaxPeriod: 12}, MaxSteps: MaxSteps{Off: true}})
	retro := only(ReasonOscillation, Retrospective())
	retro.Oscillation.MaxPeriod = 12
	hits := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		seed, after := mustNew(t, o), mustNew(t, retro)
		var symbols []int
		for range 80 {
			symbols = append(symbols, next(r, symbols))
			s := symbolStep(symbols[len(symbols)-1])
			want := shortestCycle(symbols, 12, 3)
			v := seed.CheckDigest(s)
			require.Equal(t, want > 0, v.Stop, "%v", symbols)
			require.Equal(t, v.Stop, after.CheckDigest(s).Stop)
			if want > 0 {
				hits++
				require.Equal(t, want, v.Evidence["period"], "%v", symbols)
				require.Equal(t, want, after.now.Cycle.Period, "%v", symbols)
			}
		}
	}
	assert.Greater(t, hits, 1000)
}

// next repeats what stood some way back, most of the time.
func next(r *rand.Rand, symbols []int) int {
	if back := 1 + r.IntN(12); len(symbols) >= 12 && r.IntN(20) > 0 {
		if r.IntN(10) > 0 {
			back = 1 + symbols[0]%12
		}
		return symbols[len(symbols)-back]
	}
	return r.IntN(40)
}

func symbolStep(symbol int) StepDigest {
	fp := Fingerprint{Exact: uint64(symbol + 1), Normal: uint64(symbol + 1)}
	return StepDigest{Calls: []CallDigest{{Tool: "f", Args: fp, Outcome: Outcome{Fingerprint: fp}}}}
}

func shortestCycle(symbols []int, longest, repeats int) int {
	for p := 2; p <= longest && p*repeats <= len(symbols); p++ {
		tail := symbols[len(symbols)-p*repeats:]
		equal := true
		for i := p; i < len(tail); i++ {
			equal = equal && tail[i] == tail[i-p]
		}
		if equal && len(slices.Compact(slices.Sorted(slices.Values(tail[:p])))) > 1 {
			return p
		}
	}
	return 0
}

func TestCycleHasOneIdentityWhereverItIsEntered(t *testing.T) {
	identity := func(cycle string) mark {
		g := mustNew(t, Retrospective())
		for _, s := range scene(strings.Repeat(cycle+" ", 3)) {
			g.Check(s)
		}
		require.Positive(t, g.now.Cycle.Period, cycle)
		return g.now.Cycle.ID
	}
	assert.Equal(t, identity("a=1 b=2 c=3 b=2"), identity("c=3 b=2 a=1 b=2"))
	assert.NotEqual(t, identity("a=1 b=2 c=3"), identity("c=3 b=2 a=1"), "the other way round is another cycle")
}

// TestANewResultNeverRaisesTheVerdict replaces one outcome by a value that
// occurs nowhere else.
func TestANewResultNeverRaisesTheVerdict(t *testing.T) {
	for seed := range uint64(12_000) {
		r := rand.New(rand.NewPCG(seed, 4))
		run := randomRun(r)
		at := r.IntN(len(run))
		if len(run[at].Calls) == 0 {
			continue
		}
		before := severity(t, run)
		run[at].Calls = slices.Clone(run[at].Calls)
		c := &run[at].Calls[r.IntN(len(run[at].Calls))]
		c.Outcome.Fingerprint = Fingerprint{Exact: 99, Normal: 99}
		require.LessOrEqual(t, severity(t, run), before, "seed %d step %d", seed, at)
	}
}

func severity(t *testing.T, run []StepDigest) Severity {
	g := mustNew(t, Retrospective())
	for _, s := range run {
		g.CheckDigest(s)
	}
	return g.Verdict().Severity
}

func TestMemoryIsBounded(t *testing.T) {
	for name, o := range profiles() {
		t.Run(name, func(t *testing.T) {
			g := mustNew(t, o)
			largest := 0
			for i := range 60_000 {
				g.CheckDigest(StepDigest{Calls: []CallDigest{{
					Tool:    fmt.Sprint("tool ", i%5000, strings.Repeat("x", 100)),
					Args:    Fingerprint{Exact: uint64(i + 1), Normal: uint64(i + 1)},
					Outcome: Outcome{Fingerprint: Fingerprint{Exact: uint64(i/3 + 1), Normal: uint64(i/3 + 1)}, Failed: i%3 == 0},
				}}})
				largest = max(largest, g.Size())
			}
			assert.Less(t, largest, 3<<19, "the bound of the package documentation")
			assert.Greater(t, largest, 1<<17, "the estimate sees the tables")
		})
	}
}

// TestSizeIsHonest compares with what the heap has grown by.
func TestSizeIsHonest(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector needs memory of its own")
	}
	guards := make([]*Guard, 20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	size := 0
	for i := range guards {
		guards[i] = mustNew(t, Retrospective()).Fresh()
		for k := range 400 {
			guards[i].CheckDigest(symbolStep(k * (i + 1)))
		}
		size += guards[i].Size()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int(after.HeapAlloc) - int(before.HeapAlloc)
	assert.InEpsilon(t, grown, size, 0.5, "%d bytes by Size, %d by the heap", size, grown)
	runtime.KeepAlive(guards)
}

func TestASmallRunIsSmall(t *testing.T) {
	g := mustNew(t, Retrospective())
	for _, s := range scene("a=1 b=2 c=3 d=4 e=5") {
		g.Check(s)
	}
	assert.Less(t, g.Size(), 12<<10)
}
