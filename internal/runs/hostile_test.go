// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

func counted(t *testing.T, tree string, n int, change ...func(*Settings)) (map[string]*Mark, *recorder, *Tracker) {
	tr, rec := newTestTracker(t, change...)
	m := send(tr, testStart, parseTree(t, tree), n)
	return m, rec, tr
}

// tokens "each once"; 5.8.
func TestTokensOfNestedViewsCountOnce(t *testing.T) {
	_, rec, _ := counted(t, `
agent A main
  model m1 in=100 out=10
    model m2 in=100 out=10
  tool t1 x args=a result=r`, 100)
	assert.EqualValues(t, 100, rec.counts.InputTokens)
	assert.EqualValues(t, 100, rec.runs[0].InputTokens)
}

// own totals, nested runs excluded (sums over spans never double).
func TestAgentTotalOverAToolsRunIsNotItsOwn(t *testing.T) {
	_, rec, _ := counted(t, `
agent A main in=100 out=10
  tool t1 research args=a result=r
    model m1 in=100 out=10
    tool t2 x args=a result=r
  tool t3 y args=a result=r`, 100)
	sum := int64(0)
	for _, r := range rec.runs {
		sum += r.InputTokens
	}
	assert.EqualValues(t, 100, sum, "%v", summaries(rec.runs))
}

// the kept verdict is written on the agent span, nothing is counted again.
func TestKeptVerdictWaitsBehindAContainer(t *testing.T) {
	for _, mid := range []string{"container", "link"} {
		tree := "agent A main in=5 out=5\n  " + mid + " c\n"
		for i := range 5 {
			tree += fmt.Sprintf("    model m%d finish=tool-calls\n    tool t%d s args=q result=the-same-long-answer-again\n", i, i)
		}
		tr, rec := newTestTracker(t)
		spans := parseTree(t, tree)
		send(tr, testStart, without(spans, "A", "c"), 100)
		tr.Expire(testStart.Add(time.Minute))
		require.Len(t, rec.runs, 1)
		marks := send(tr, testStart.Add(2*time.Minute), append(pick(spans, "c"), pick(spans, "A")...), 1)
		assert.Len(t, rec.runs, 1, "%s: nothing is counted again: %v", mid, summaries(rec.runs))
		if assert.NotNil(t, marks["A"]) && assert.NotNil(t, marks["A"].Run) {
			assert.Equal(t, Stop, marks["A"].Run.Severity, mid)
		}
	}
}

// kept verdict; a run idle twice (waits for a human) has two parts.
func TestSecondIdleDoesNotHideTheFirstVerdict(t *testing.T) {
	tree := "agent A main\n"
	for i := range 5 {
		tree += fmt.Sprintf("  model m%d finish=tool-calls\n  tool t%d s args=q result=the-same-long-answer-again\n", i, i)
	}
	tree += "  model n1 finish=tool-calls\n  tool u1 read args=z result=w\n  model n2 finish=stop\n"
	tr, _ := newTestTracker(t)
	spans := parseTree(t, tree)
	send(tr, testStart, spans[:10], 1)
	tr.Expire(testStart.Add(time.Minute))
	send(tr, testStart.Add(2*time.Minute), spans[10:13], 1)
	tr.Expire(testStart.Add(4 * time.Minute))
	marks := send(tr, testStart.Add(5*time.Minute), pick(spans, "A"), 1)
	require.NotNil(t, marks["A"].Run)
	assert.Equal(t, Stop, marks["A"].Run.Severity)
}

// The same at the limit of steps.
func TestSecondLimitDoesNotHideTheFirstVerdict(t *testing.T) {
	tree := "agent A main\n"
	for i := range 5 {
		tree += fmt.Sprintf("  model m%d finish=tool-calls\n  tool t%d s args=q result=the-same-long-answer-again\n", i, i)
	}
	for i := range 7 {
		tree += fmt.Sprintf("  model n%d finish=tool-calls\n  tool u%d s args=z%d result=w%d\n", i, i, i, i)
	}
	marks, _, _ := counted(t, tree, 1, func(s *Settings) { s.Limits.StepsPerRun = 5 })
	require.NotNil(t, marks["A"].Run)
	assert.Equal(t, Stop, marks["A"].Run.Severity)
}

// "Other orders make late runs, never wrong merges."
func TestOtherOrdersNeverMergeRuns(t *testing.T) {
	tree := `
agent B outer
  model m1 in=1 out=1 finish=tool-calls
  tool t0 x args=0 result=0
  agent A inner
    model m2 in=10 out=1 finish=tool-calls
    tool t1 y args=1 result=1`
	tr, rec := newTestTracker(t)
	spans := parseTree(t, tree)
	order := []string{"m1", "t0", "A", "m2", "t1", "B"}
	for _, k := range order {
		send(tr, testStart, pick(spans, k), 1)
	}
	tr.Expire(testStart.Add(time.Hour))
	for _, r := range rec.runs {
		if r.Agent == "outer" {
			assert.EqualValues(t, 1, r.InputTokens, "%v", summaries(rec.runs))
		}
	}
	// And with only the foreign span between late ("no span arrives before a FACT below it" allows this order).
	tree = strings.Replace(tree, "    model m2", "    link L\n      model m2", 1)
	tree = strings.Replace(tree, "    tool t1", "      tool t1", 1)
	tr, rec = newTestTracker(t)
	spans = parseTree(t, tree)
	for _, k := range []string{"m1", "t0", "m2", "t1", "A", "L", "B"} {
		send(tr, testStart, pick(spans, k), 1)
	}
	tr.Expire(testStart.Add(time.Hour))
	for _, r := range rec.runs {
		if r.Agent == "outer" {
			assert.EqualValues(t, 1, r.InputTokens, "link late: %v", summaries(rec.runs))
		}
	}
}

// (Embeddings make neither run nor step.)
func TestEmbeddingsMakeNoRun(t *testing.T) {
	_, rec, _ := counted(t, "agent A main\n  embedding e1 in=4", 100)
	assert.Empty(t, summaries(rec.runs))
}

// one event per episode, nowhere twice; findings counts.
func TestFindingOfALoneChatIsSaidOnce(t *testing.T) {
	tr, rec := newTestTracker(t, func(s *Settings) { s.Guard.Budget = guard.Budget{TotalTokens: guard.Limit{Max: 50}} })
	spans := parseTree(t, "link top\n  model m1 in=100 out=10 conversation=c finish=stop")
	send(tr, testStart, spans, 1)
	tr.Expire(testStart.Add(time.Hour))
	assert.Equal(t, 1, len(rec.findings)-len(rec.retracted), "findings %v retracted %v %v", rec.findings, rec.retracted, summaries(rec.runs))
}

func TestNoStepLimitIsTooLarge(t *testing.T) {
	_, rec, _ := counted(t, "agent A main\n  model m1 in=1 out=1 finish=tool-calls\n  tool t x args=a result=r\n  model m2 in=1 out=1", 1,
		func(s *Settings) { s.Limits.StepsPerRun = int(^uint(0) >> 1) })
	assert.Equal(t, []string{"main steps=2 calls=1 errors=0 in=2 out=2"}, summaries(rec.runs))
}

// A conversation that goes on after a pause.
func TestConversationAfterAPauseIsNotLate(t *testing.T) {
	tr, rec := newTestTracker(t)
	for i := range 4 {
		s := parseTree(t, fmt.Sprintf("model m%d in=1 out=1 conversation=c user=1 finish=stop", i))
		s[0].Trace[5] = byte(i + 1)
		now := testStart.Add(time.Duration(i) * 3 * time.Minute)
		tr.Expire(now)
		send(tr, now, s, 1)
	}
	assert.Zero(t, rec.counts.LateSpans)
}

func TestGaugesReturnToZero(t *testing.T) {
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		tr, rec := newTestTracker(t, func(s *Settings) {
			s.Limits = Limits{OpenRuns: int64(1 + seed%3), Bytes: 1 << uint(14+seed%8), StepsPerRun: 2 + seed%4}
		})
		spans := parseTree(t, randomTree(r))
		r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		for i := range spans {
			spans[i].Trace[0] = byte(r.IntN(3))
		}
		for range 3 {
			send(tr, testStart, spans, 1+r.IntN(9))
		}
		tr.Expire(testStart.Add(time.Minute))
		tr.Expire(testStart.Add(24 * time.Hour))
		tr.Expire(testStart.Add(48 * time.Hour))
		require.Zero(t, tr.Open(), seed)
		require.Zero(t, tr.Size(), seed)
		require.LessOrEqual(t, len(rec.retracted), len(rec.findings))
	}
}

// Everything said and not retracted is a finding of a counted run.
func TestFindingsAddUp(t *testing.T) {
	bad := 0
	for seed := range 1500 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		tree := randomTree(r)
		if seed%2 == 0 {
			tree = randomTree(r)
		}
		tr, rec := newTestTracker(t)
		spans := parseTree(t, tree)
		if seed%3 == 0 {
			r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		}
		marks := send(tr, testStart, spans, 1+r.IntN(5))
		tr.Expire(testStart.Add(time.Hour))
		want := 0
		for _, run := range rec.runs {
			want += len(run.Findings)
		}
		crossings := 0
		for _, m := range marks {
			crossings += len(m.Crossings)
		}
		carried := 0
		for _, f := range rec.findings {
			if !strings.HasSuffix(f, "@") {
				carried++
			}
		}
		if got := len(rec.findings) - len(rec.retracted); got != want || crossings != carried {
			if bad++; bad <= 2 && len(spans) < 20 {
				assert.Equal(t, want, got, "seed %d: said %v retracted %v crossings %d\n%s\n%v", seed, rec.findings, rec.retracted, crossings, tree, summaries(rec.runs))
			}
		}
	}
	assert.Zero(t, bad)
}

// what comes after an idle close is partial, wherever it hangs.
func TestWhatComesAfterAnIdleCloseIsPartial(t *testing.T) {
	tr, rec := newTestTracker(t)
	spans := parseTree(t, `
agent A main
  model m0 in=1 out=1 finish=tool-calls
  tool t0 x args=a result=r
  container c
    model m1 in=1 out=1 finish=tool-calls
    tool t1 x args=b result=r
    model m2 in=1 out=1 finish=tool-calls
    tool t2 x args=c result=r`)
	send(tr, testStart, without(spans, "A", "m2", "t2"), 1)
	tr.Expire(testStart.Add(time.Minute))
	send(tr, testStart.Add(2*time.Minute), append(pick(spans, "m2"), pick(spans, "t2")...), 1)
	tr.Expire(testStart.Add(4 * time.Minute))
	require.Len(t, rec.runs, 2)
	assert.True(t, rec.runs[1].Partial, "%v", summaries(rec.runs))
}

// A late view of a call: the MCP server's spans come after the run has closed, its group is dropped; the nested verdict of
// a tool-rooted run that is a late view.
func TestLateChildrenOfAWrapperStayApart(t *testing.T) {
	tr, rec := newTestTracker(t)
	spans := parseTree(t, `
agent B outer
  model m1 in=1 out=1 finish=tool-calls
  tool t0 x args=0 result=0
  agent W wrapper
    agent A inner
      model m2 in=10 out=1 finish=tool-calls
      tool t1 y args=1 result=1
    model m3 in=100 out=1 finish=tool-calls
    tool t3 y args=2 result=1`)
	for _, k := range []string{"m1", "t0", "m2", "t1", "A", "W", "m3", "t3", "B"} {
		send(tr, testStart, pick(spans, k), 1)
	}
	tr.Expire(testStart.Add(time.Hour))
	for _, r := range rec.runs {
		if r.Agent == "outer" {
			assert.EqualValues(t, 1, r.InputTokens, "%v", summaries(rec.runs))
		}
	}
}

// The outermost agent of a trace that was closed idle, whose inner agent came first.
func TestOuterAgentAfterIdleTellsOfTheInner(t *testing.T) {
	tree := "agent A outer\n  model m in=1 out=1 finish=tool-calls\n  tool t x args=a result=r\n  agent B inner\n"
	for i := range 5 {
		tree += fmt.Sprintf("    model m%d finish=tool-calls\n    tool t%d s args=q result=the-same-long-answer-again\n", i, i)
	}
	tr, _ := newTestTracker(t)
	spans := parseTree(t, tree)
	send(tr, testStart, without(spans, "A", "B"), 100)
	tr.Expire(testStart.Add(time.Minute))
	send(tr, testStart.Add(2*time.Minute), pick(spans, "B"), 1)
	marks := send(tr, testStart.Add(2*time.Minute), pick(spans, "A"), 1)
	require.Contains(t, marks, "A")
	assert.True(t, marks["A"].Run != nil || marks["A"].Nested.Severity == Stop)
}

func TestResponseFromACacheIsAStepThatCostsNothing(t *testing.T) {
	spans := parseTree(t, "agent A main\n  model m1 in=100 out=10\n  model m2 in=100 out=10\n  tool t x args=a result=r")
	for i := range spans {
		spans[i].Fact.ResponseID = 77
	}
	tr, rec := newTestTracker(t)
	send(tr, testStart, spans, 100)
	assert.Equal(t, []string{"main steps=2 calls=1 errors=0 in=100 out=10"}, summaries(rec.runs))
	assert.EqualValues(t, 100, rec.counts.InputTokens)
}

func TestViewsSideBySideAreOneResponse(t *testing.T) {
	for _, first := range []int{0, 1} {
		spans := parseTree(t, "agent A main\n  model m1 in=100 out=10\n  model m2 in=100 out=10\n  tool t x args=a result=r")
		for i := range spans {
			spans[i].Fact.ResponseID = 77
		}
		spans[1].Start = spans[0].Start + 1
		spans[0], spans[1] = spans[first], spans[1-first]
		tr, rec := newTestTracker(t)
		send(tr, testStart, spans, 1)
		assert.Equal(t, []string{"main steps=1 calls=1 errors=0 in=100 out=10"}, summaries(rec.runs))
		assert.EqualValues(t, 100, rec.counts.InputTokens)
	}
}

func TestHistoryThatIsSentAgainIsSaidOnce(t *testing.T) {
	steps := make([]guard.StepDigest, 5)
	for i := range steps {
		steps[i].Calls = []guard.CallDigest{{Outcome: guard.Outcome{Fingerprint: guard.FingerprintOf("a result long enough to tell"), Informative: true}}}
	}
	tr, rec := newTestTracker(t)
	spans := parseTree(t, "model m1\n  model m2\nmodel m3 failed=1\nmodel m4")
	for i := range spans {
		spans[i].History = func() []guard.StepDigest { return steps }
	}
	send(tr, testStart, spans, 1)
	assert.Len(t, rec.findings, 1)
}

func TestNothingBeginsAfterShutdown(t *testing.T) {
	tr, rec := newTestTracker(t)
	tr.Shutdown()
	assert.Empty(t, send(tr, testStart, parseTree(t, looping), 3))
	assert.Zero(t, tr.Size())
	assert.Empty(t, rec.runs)
}

func TestATraceWithoutEndPushesOutNoOther(t *testing.T) {
	tr, rec := newTestTracker(t, func(s *Settings) { s.Limits.Bytes = 1 << 20 })
	open := without(parseTree(t, looping), "A")
	for i := range 20 {
		send(tr, testStart, traceOf(open, i), 100)
	}
	giant := traceOf(parseTree(t, "model m"), 1000)
	send(tr, testStart.Add(time.Second), giant, 1)
	for i := range 20_000 {
		s := span{Item: Item{Trace: giant[0].Trace, ID: spanID(fmt.Sprint("link", i)), Parent: giant[0].ID}}
		send(tr, testStart.Add(2*time.Second), []span{s}, 1)
	}
	assert.Empty(t, rec.runs)
	assert.EqualValues(t, 20, tr.Open())
}

// Hostile input costs at most its own size: eight times as many spans must not
// take much more than eight times as long.
func TestCostGrowsWithTheInputOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	item := func(n, parent int, kind genai.Kind, start int64) span {
		s := span{Item: Item{Trace: testTrace, ID: spanID(fmt.Sprint(n)), Parent: spanID(fmt.Sprint(parent)), Start: start, End: start}}
		s.Fact = &genai.Fact{Kind: kind, Name: fmt.Sprint("n", n), NameKnown: true}
		return s
	}
	const top = -1
	tests := map[string]func(n int) []span{
		"tools within tools": func(n int) (spans []span) {
			for i := range n {
				s := item(i, i+1, genai.Tool, int64(n-i))
				s.End = int64(n + i)
				spans = append(spans, s)
			}
			return spans
		},
		"calls of one step": func(n int) (spans []span) {
			for i := range n {
				s := item(i, top, genai.Tool, int64(i+1))
				s.Fact.CallID = uint64(i + 1)
				spans = append(spans, s)
			}
			return spans
		},
		"calls and answers in messages": func(n int) []span {
			asks, told := item(0, top, genai.Model, 1), item(1, top, genai.Model, 5)
			for i := range n {
				asks.Fact.Calls = append(asks.Fact.Calls, genai.Call{ID: uint64(i + 1), Name: "a"})
				told.Fact.Results = append(told.Fact.Results, genai.Result{ID: uint64(2*n - i)})
			}
			return []span{asks, told}
		},
		"findings": func(n int) (spans []span) {
			for i := range n / 2 {
				call := item(2*i+1, top, genai.Tool, int64(i*4+1))
				call.Fact.Name, call.Fact.Args = fmt.Sprint("t", i/4), guard.FingerprintOf("a")
				call.Fact.Outcome = guard.Outcome{Fingerprint: guard.FingerprintOf("the same long answer"), Informative: true}
				spans = append(spans, item(2*i, top, genai.Model, int64(i*4)), call)
			}
			return spans
		},
		"parents that never come": func(n int) (spans []span) {
			for i := range n {
				spans = append(spans, item(i, n+i, genai.Tool, int64(i+1)))
			}
			return spans
		},
	}
	for name, make := range tests {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) time.Duration {
				least := time.Hour
				for range 3 {
					tr, _ := newTestTracker(t, func(s *Settings) { s.Limits.Bytes = 1 << 28 })
					spans := make(n)
					began := time.Now()
					send(tr, testStart, spans, 100)
					tr.Shutdown()
					least = min(least, time.Since(began))
				}
				return least
			}
			const n = 1000
			few, many := cost(n), cost(8*n)
			assert.Less(t, many, max(28*few, 500*time.Millisecond), "quadratic would be 64 times %v", few)
		})
	}
}
