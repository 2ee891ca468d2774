// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

const looping = `
agent A main
  container s1
    model m1 in=10 out=1 finish=tool-calls
    tool t1 search args=q result=the-same-long-answer-again
  container s2
    model m2 in=20 out=1 finish=tool-calls
    tool t2 search args=q result=the-same-long-answer-again
  container s3
    model m3 in=30 out=1 finish=tool-calls
    tool t3 search args=q result=the-same-long-answer-again
  container s4
    model m4 in=40 out=1 finish=tool-calls
    tool t4 search args=q result=the-same-long-answer-again
  container s5
    model m5 in=50 out=1 finish=stop`

// without returns the spans but those with the given keys.
func without(spans []span, keys ...string) []span {
	var out []span
	for _, s := range spans {
		if !strings.Contains(" "+strings.Join(keys, " ")+" ", " "+s.key+" ") {
			out = append(out, s)
		}
	}
	return out
}

func pick(spans []span, key string) []span {
	for _, s := range spans {
		if s.key == key {
			return []span{s}
		}
	}
	return nil
}

func summaries(rs []*Run) []string {
	var out []string
	for _, r := range rs {
		out = append(out, r.summary())
	}
	return out
}

func TestLoopIsSaidOnTheCrossingSpan(t *testing.T) {
	tr, rec := newTestTracker(t)
	marks := send(tr, testStart, parseTree(t, looping), 100)
	run := marks["A"].Run
	require.NotNil(t, run)
	assert.Equal(t, "main steps=5 calls=4 errors=0 in=150 out=5 REPEATED_TOOL_CALL@2 recovered", run.summary())
	assert.Equal(t, spanID("t3"), run.OnsetSpan)
	assert.Equal(t, Spent{Steps: 1, ToolCalls: 1, InputTokens: 40, OutputTokens: 1}, run.Waste.Spent)
	require.Contains(t, marks, "t3")
	assert.Equal(t, "REPEATED_TOOL_CALL", marks["t3"].Crossings[0].Code)
	assert.Equal(t, spanID("A").String(), marks["t3"].Crossings[0].Run)
	assert.Equal(t, []string{"REPEATED_TOOL_CALL@" + spanID("t3").String()}, rec.findings)
}

// The crossing call has passed when the step around it links it to the calls
// before: the step carries the finding.
func TestLoopIsSaidOnTheNextSpanInHand(t *testing.T) {
	tr, rec := newTestTracker(t)
	marks := send(tr, testStart, without(parseTree(t, looping), "A"), 1)
	require.Contains(t, marks, "s3")
	assert.Equal(t, "REPEATED_TOOL_CALL", marks["s3"].Crossings[0].Code)
	assert.Len(t, marks, 1, "one event an episode, nowhere twice")
	assert.Len(t, rec.findings, 1)
}

func TestSpanByItselfWhileTheRunIsOpen(t *testing.T) {
	flat := strings.NewReplacer("  container s1\n", "", "  container s2\n", "", "  container s3\n", "",
		"  container s4\n", "", "  container s5\n", "", "    ", "  ").Replace(looping)
	tr, _ := newTestTracker(t)
	marks := send(tr, testStart, parseTree(t, flat), 1)
	require.Contains(t, marks, "t3")
	assert.Len(t, marks["t3"].Crossings, 1)
	assert.Empty(t, marks["A"].Crossings)
	assert.Equal(t, Stop, marks["A"].Run.Severity)
}

func TestIdleRunIsJudgedAndCounted(t *testing.T) {
	tr, rec := newTestTracker(t)
	spans := parseTree(t, looping)
	send(tr, testStart, without(spans, "A"), 3)
	assert.EqualValues(t, 1, tr.Open())
	tr.Expire(testStart.Add(59 * time.Second))
	assert.Empty(t, rec.runs)
	tr.Expire(testStart.Add(time.Minute))
	assert.Equal(t, []string{"steps=5 calls=4 errors=0 in=150 out=5 REPEATED_TOOL_CALL@2 recovered by=idle"}, summaries(rec.runs))
	assert.Zero(t, tr.Open())

	marks := send(tr, testStart.Add(2*time.Minute), pick(spans, "A"), 1)
	require.NotNil(t, marks["A"].Run, "the kept verdict is written on the span that came at last")
	assert.Equal(t, "main steps=5 calls=4 errors=0 in=150 out=5 REPEATED_TOOL_CALL@2 recovered by=idle", marks["A"].Run.summary())
	assert.Len(t, rec.runs, 1, "nothing is counted again")

	tr.Expire(testStart.Add(2 * time.Hour))
	assert.Zero(t, tr.Size())
}

func TestRunThatGoesOnAfterItWasIdleIsPartial(t *testing.T) {
	tr, rec := newTestTracker(t)
	spans := parseTree(t, `
agent A main
  model m1
  tool t1 search
  model m2
  tool t2 read`)
	send(tr, testStart, spans[:2], 1)
	tr.Expire(testStart.Add(time.Hour / 10))
	marks := send(tr, testStart.Add(time.Hour/9), spans[2:], 1)
	assert.Equal(t, []string{"steps=1 calls=1 errors=0 by=idle", "steps=1 calls=1 errors=0 partial"}, summaries(rec.runs))
	assert.Equal(t, ByIdle, marks["A"].Run.ClosedBy)
}

func TestShutdownClosesOpenRunsOnce(t *testing.T) {
	tr, rec := newTestTracker(t)
	send(tr, testStart, without(parseTree(t, looping), "A"), 3)
	tr.Shutdown()
	tr.Shutdown()
	assert.Equal(t, []string{"steps=5 calls=4 errors=0 in=150 out=5 REPEATED_TOOL_CALL@2 recovered by=shutdown"}, summaries(rec.runs))
	assert.Zero(t, tr.Size())
	assert.Zero(t, tr.Open())
}

func TestDuplicatesChangeNothing(t *testing.T) {
	spans := parseTree(t, looping)
	once, rec1 := newTestTracker(t)
	first := send(once, testStart, spans, 4)
	want := *rec1
	again := send(once, testStart, spans, 3)
	third := send(once, testStart, append(spans, spans...), 100)
	assert.Equal(t, first, again)
	assert.Equal(t, first, third)
	assert.EqualValues(t, 3*len(spans), rec1.counts.DuplicateSpans)
	rec1.counts.DuplicateSpans = want.counts.DuplicateSpans
	assert.Equal(t, want, *rec1, "no other counter moves")
}

func TestLateChildrenAreARunOfTheirOwn(t *testing.T) {
	tr, rec := newTestTracker(t)
	spans := parseTree(t, `
agent A main
  model m1
  tool t1 search
  model m2
  tool t2 read`)
	early := append(append([]span(nil), spans[:2]...), pick(spans, "A")...)
	send(tr, testStart, early, 1)
	send(tr, testStart, spans[2:4], 1)
	tr.Expire(testStart.Add(time.Minute))
	assert.Equal(t, []string{"main steps=1 calls=1 errors=0", "steps=1 calls=1 errors=0 by=idle partial"}, summaries(rec.runs))
	assert.EqualValues(t, 2, rec.counts.LateSpans)
}

func TestServerViewAfterTheRunIsNoRun(t *testing.T) {
	tr, rec := newTestTracker(t)
	spans := parseTree(t, `
agent A main
  model m1
  tool t1 search
    link http
      mcp t2 search`)
	send(tr, testStart, without(spans, "http", "t2"), 1)
	send(tr, testStart, append(pick(spans, "http"), pick(spans, "t2")...), 1)
	tr.Expire(testStart.Add(time.Minute))
	assert.Equal(t, []string{"main steps=1 calls=1 errors=0"}, summaries(rec.runs))
}

func TestServerViewBeforeItsClientIsMerged(t *testing.T) {
	tr, _ := newTestTracker(t)
	spans := parseTree(t, `
agent A main
  model m1
  tool t1 search
    link http
      tool t2 search
  tool t3 read`)
	order := append(pick(spans, "m1"), pick(spans, "t1")...)
	order = append(order, pick(spans, "t2")...)
	order = append(order, pick(spans, "http")...)
	order = append(order, pick(spans, "t3")...)
	marks := send(tr, testStart, append(order, pick(spans, "A")...), 1)
	assert.Equal(t, "main steps=1 calls=2 errors=0", marks["A"].Run.summary())
}

func TestOpenGroupsOfAKilledTraceAreOneRun(t *testing.T) {
	tr, rec := newTestTracker(t)
	spans := without(parseTree(t, looping), "A", "s1", "s2", "s3", "s4", "s5")
	send(tr, testStart, spans, 2)
	tr.Expire(testStart.Add(time.Minute))
	assert.Equal(t, []string{"steps=5 calls=4 errors=0 in=150 out=5 REPEATED_TOOL_CALL@2 recovered by=idle"}, summaries(rec.runs))
	assert.Equal(t, []string{"REPEATED_TOOL_CALL@"}, rec.findings, "no span is left to say it on: metrics only")
}

func TestContainerOfALoopCarriesItsVerdict(t *testing.T) {
	tr, _ := newTestTracker(t)
	spans := parseTree(t, "link app\n"+strings.ReplaceAll(strings.Replace(looping, "agent A main", "container A main", 1), "\n", "\n  "))
	marks := send(tr, testStart, spans, 100)
	require.NotNil(t, marks["A"].Container)
	assert.Equal(t, Stop, marks["A"].Container.Severity)
	assert.Equal(t, "REPEATED_TOOL_CALL", marks["A"].Container.Fault.Code)
	assert.Nil(t, marks["A"].Run, "never totals")
	assert.NotNil(t, marks["app"].Run)
}

func traceOf(spans []span, n int) []span {
	out := append([]span(nil), spans...)
	for i := range out {
		out[i].Trace = pcommon.TraceID{byte(n >> 8), byte(n), 7}
	}
	return out
}

func TestOpenRunLimitClosesTheOldest(t *testing.T) {
	tr, rec := newTestTracker(t, func(s *Settings) { s.Limits.OpenRuns = 3 })
	spans := without(parseTree(t, looping), "A")
	for i := range 5 {
		send(tr, testStart.Add(time.Duration(i)*time.Second), traceOf(spans, i), 100)
	}
	assert.EqualValues(t, 3, tr.Open())
	require.Len(t, rec.runs, 2)
	assert.EqualValues(t, 2, rec.counts.EvictedRuns)
	for i, r := range rec.runs {
		assert.Equal(t, ByLimit, r.ClosedBy)
		assert.Equal(t, byte(i), r.Trace[1], "oldest first")
		assert.Equal(t, Stop, r.Severity, "judged, not dropped")
	}
}

func TestStateStaysWithinItsBytes(t *testing.T) {
	const limit = 1 << 20
	tr, rec := newTestTracker(t, func(s *Settings) { s.Limits.Bytes = limit })
	spans := parseTree(t, looping)
	open := without(spans, "A")
	for i := range 2000 {
		now := testStart.Add(time.Duration(i) * time.Millisecond)
		send(tr, now, traceOf(spans, 2*i), 100)
		send(tr, now, traceOf(open, 2*i+1), 100)
		require.LessOrEqual(t, tr.Size(), int64(limit))
	}
	tr.Shutdown()
	assert.Len(t, rec.runs, 4000, "every run is judged and counted")
}

func TestStepLimitClosesARun(t *testing.T) {
	tr, rec := newTestTracker(t, func(s *Settings) { s.Limits.StepsPerRun = 10 })
	var tree strings.Builder
	tree.WriteString("agent A main\n")
	for i := range 25 {
		fmt.Fprintf(&tree, "  model m%d\n  tool t%d search args=q%d\n", i, i, i)
	}
	marks := send(tr, testStart, parseTree(t, tree.String()), 1)
	assert.Equal(t, ByLimit, marks["A"].Run.ClosedBy)
	total := int64(0)
	for _, r := range rec.runs {
		total += r.ToolCalls
		assert.LessOrEqual(t, r.Steps, int64(12))
	}
	assert.EqualValues(t, 25, total, "no call is lost")
}

func TestOneStepCannotGrowWithoutEnd(t *testing.T) {
	tr, rec := newTestTracker(t, func(s *Settings) { s.Limits.StepsPerRun = 2 })
	var tree strings.Builder
	tree.WriteString("agent A main\n  model m\n")
	for i := range 100 {
		fmt.Fprintf(&tree, "  tool t%d search args=q%d\n", i, i)
	}
	send(tr, testStart, parseTree(t, tree.String()), 1)
	assert.Greater(t, len(rec.runs), 1)
}

func TestHostileLinks(t *testing.T) {
	spans := parseTree(t, `
agent A main
  model m1
  tool t1 search`)
	byKey := map[string]*span{}
	for i := range spans {
		byKey[spans[i].key] = &spans[i]
	}
	tests := map[string]func(){
		"own parent":    func() { byKey["A"].Parent = byKey["A"].ID },
		"cycle":         func() { byKey["A"].Parent = byKey["t1"].ID },
		"cycle of two":  func() { byKey["m1"].Parent = byKey["t1"].ID; byKey["t1"].Parent = byKey["m1"].ID },
		"all the same":  func() { byKey["m1"].ID = byKey["A"].ID; byKey["t1"].ID = byKey["A"].ID },
		"empty span id": func() { byKey["m1"].ID = pcommon.SpanID{} },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			saved := append([]span(nil), spans...)
			change()
			for _, n := range []int{1, 2, 100} {
				tr, _ := newTestTracker(t)
				send(tr, testStart, spans, n)
				tr.Expire(testStart.Add(time.Hour))
				tr.Expire(testStart.Add(24 * time.Hour))
				assert.Zero(t, tr.Open())
				assert.Zero(t, tr.Size())
			}
			copy(spans, saved)
		})
	}
}

func TestForeignSpansOfOtherTracesAreNotTracked(t *testing.T) {
	tr, _ := newTestTracker(t)
	send(tr, testStart, traceOf(parseTree(t, "link a\n  link b\n  link c"), 3), 10)
	assert.Zero(t, tr.Size())
	assert.True(t, tr.Idle())
}

func TestChatsOfOneConversationAreOneRun(t *testing.T) {
	tr, rec := newTestTracker(t)
	now := testStart
	marks := map[string]*Mark{}
	for i := range 5 {
		turn := parseTree(t, fmt.Sprintf(`
link app%d
  model m%d conversation=c1 in=10 out=1 call=c%d:search:q answer=c%d:the-same-answer`, i, i, i, i-1))
		for j := range turn {
			turn[j].Start += int64(i) * 5e9
			turn[j].End += int64(i) * 5e9
		}
		now = now.Add(time.Second)
		for key, m := range send(tr, now, traceOf(turn, i), 10) {
			marks[key] = m
		}
	}
	require.Contains(t, marks, "m3", "the third answer is in the fourth request")
	assert.Equal(t, "REPEATED_TOOL_CALL", marks["m3"].Crossings[0].Code)
	assert.EqualValues(t, 1, tr.Open())
	tr.Expire(now.Add(time.Minute))
	assert.Equal(t, []string{"steps=5 calls=5 errors=0 in=50 out=5 REPEATED_TOOL_CALL@2 ended_in_loop by=idle"}, summaries(rec.runs))
	assert.EqualValues(t, 50, rec.counts.InputTokens, "each once")
}

func TestModelSpanIsJudgedByItsOwnHistory(t *testing.T) {
	outcome := guard.Outcome{Fingerprint: guard.FingerprintOf("the same result of a nameless call"), Informative: true}
	history := func(n int) func() []guard.StepDigest {
		return func() []guard.StepDigest {
			steps := make([]guard.StepDigest, n)
			for i := range steps {
				steps[i] = guard.StepDigest{Calls: []guard.CallDigest{{Outcome: outcome}}}
			}
			return steps
		}
	}
	tr, rec := newTestTracker(t)
	said := map[int]bool{}
	for n := range 8 {
		spans := traceOf(parseTree(t, fmt.Sprintf("model m%d", n)), n)
		spans[0].History = history(n)
		m := send(tr, testStart, spans, 1)[fmt.Sprintf("m%d", n)]
		said[n] = m != nil && len(m.Crossings) > 0
		assert.Equal(t, n >= 5, m != nil && m.Container != nil, "history of %d", n)
	}
	assert.Equal(t, map[int]bool{0: false, 1: false, 2: false, 3: false, 4: false, 5: true, 6: false, 7: false}, said,
		"an episode counts once, when the streak reaches the threshold")
	assert.Len(t, rec.findings, 1)
	assert.Empty(t, rec.runs)
}
