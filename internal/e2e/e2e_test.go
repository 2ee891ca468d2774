// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Every recording goes through a built collector, in both ways in which spans reach one.
func TestEndToEndRecordings(t *testing.T) {
	t.Run("OTLP over HTTP, as recorded", func(t *testing.T) {
		c := started(t, "quickstart")
		testRecordings(t, c, func(r recorded) error { return r.SendHTTP(t.Context(), c.HTTP) })
	})
	t.Run("OTLP over gRPC, span by span", func(t *testing.T) {
		c := started(t, "quickstart")
		conn := connect(t, c.GRPC)
		testRecordings(t, c, func(r recorded) error { return r.SendSpanBySpan(t.Context(), conn) })
	})
}

func testRecordings(t *testing.T, c *Collector, send func(recorded) error) {
	all := recordings(t)
	for _, r := range all {
		require.NoError(t, send(r), r.name)
	}
	counted := scrape(t, c)
	written := output(t, c)
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) { checkVerdict(t, r.want, written.Spans(r.Traces()...)) })
	}
	t.Run("metrics", func(t *testing.T) { checkMetrics(t, counted, all, written) })
}

func checkVerdict(t *testing.T, want expectation, spans []ptrace.Span) {
	require.Len(t, spans, want.Spans, "spans in are spans out")
	runs, findings := Runs(spans), Findings(spans)
	verdict := worst(runs, findings)
	assert.Contains(t, want.Verdict, verdict)
	if want.NotGrade != "" {
		assert.NotContains(t, grades(runs, findings), want.NotGrade)
	}
	checkTotals(t, want, runs)
	if verdict != "ok" {
		checkFault(t, want, verdict, spans)
	}
}

func checkTotals(t *testing.T, want expectation, runs []Run) {
	if len(runs) == 0 {
		// The run's span never came (the process was killed): its tokens are in the metrics only.
		assert.Nil(t, want.Calls, "no run has a span")
		return
	}
	var total Run
	for _, run := range runs {
		total.ToolCalls += run.ToolCalls
		total.InputTokens += run.InputTokens
		total.OutputTokens += run.OutputTokens
	}
	if want.Calls != nil {
		assert.Equal(t, *want.Calls, total.ToolCalls, "tool calls")
	}
	assert.Equal(t, want.InputTokens, total.InputTokens, "input tokens")
	assert.Equal(t, want.OutputTokens, total.OutputTokens, "output tokens")
}

// checkFault checks the reason and the onset of the run with the worst verdict, on the run's span or else on the crossing span.
func checkFault(t *testing.T, want expectation, verdict string, spans []ptrace.Span) {
	findings := Findings(spans)
	worstRun := slices.IndexFunc(Runs(spans), func(r Run) bool { return r.Verdict == verdict })
	if worstRun < 0 {
		finding := findings[slices.IndexFunc(findings, func(f Finding) bool { return f.Severity == verdict })]
		checkReason(t, want, finding)
		checkStep(t, want, int64(step(finding, spans)))
		return
	}
	run := Runs(spans)[worstRun]
	crossing := slices.IndexFunc(findings, func(f Finding) bool { return f.Code == run.Code })
	require.GreaterOrEqual(t, crossing, 0, "%s is on the run's span and on no crossing span", run.Code)
	checkReason(t, want, findings[crossing])
	require.NotNil(t, run.Onset)
	checkStep(t, want, run.Onset.Step)
	assert.True(t, slices.ContainsFunc(spans, func(s ptrace.Span) bool { return s.SpanID().String() == run.Onset.SpanID }),
		"the onset names a span of the run")
}

func checkReason(t *testing.T, want expectation, finding Finding) {
	if want.Reasons != nil {
		assert.Contains(t, want.Reasons, finding.Reason)
	}
	assert.NotEmpty(t, finding.Explanation)
}

func checkStep(t *testing.T, want expectation, step int64) {
	if want.OnsetStep == nil {
		return
	}
	assert.GreaterOrEqual(t, step, want.OnsetStep[0], "onset step")
	assert.LessOrEqual(t, step, want.OnsetStep[1], "onset step")
}

// step returns the index of the tool span at which a run with one call a step crossed the line; -1 if there is none.
// When that span had passed already, the finding is on the next of the run: the one around the tool span and the model span of its step.
func step(finding Finding, spans []ptrace.Span) int {
	tools := slices.DeleteFunc(slices.Clone(spans), func(s ptrace.Span) bool {
		return attributes(s.Attributes()).str("gen_ai.operation.name") != "execute_tool"
	})
	slices.SortFunc(tools, func(a, b ptrace.Span) int { return a.StartTimestamp().AsTime().Compare(b.StartTimestamp().AsTime()) })
	crossing := finding.Span.SpanID()
	return slices.IndexFunc(tools, func(s ptrace.Span) bool { return s.SpanID() == crossing || s.ParentSpanID() == crossing })
}

func worst(runs []Run, findings []Finding) string {
	verdicts := []string{"ok"}
	for _, run := range runs {
		verdicts = append(verdicts, run.Verdict)
	}
	for _, finding := range findings {
		verdicts = append(verdicts, finding.Severity)
	}
	order := []string{"ok", "warn", "stop"}
	return slices.MaxFunc(verdicts, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
}

func grades(runs []Run, findings []Finding) []string {
	var all []string
	for _, run := range runs {
		all = append(all, run.Grade)
	}
	for _, finding := range findings {
		all = append(all, finding.Grade)
	}
	return all
}

// checkMetrics compares the collector's own counters with the recordings and with what was written on the spans.
func checkMetrics(t *testing.T, counted metrics, all []recorded, written Output) {
	var input, output int64
	var runs []Run
	for _, r := range all {
		input += r.want.InputTokens
		output += r.want.OutputTokens
		runs = append(runs, Runs(written.Spans(r.Traces()...))...)
	}
	var calls int64
	verdicts := map[string]float64{}
	for _, run := range runs {
		calls += run.ToolCalls
		verdicts[run.Verdict]++
	}
	assert.EqualValues(t, input, counted.sum("tokens", "type", "input"))
	assert.EqualValues(t, output, counted.sum("tokens", "type", "output"))
	assert.EqualValues(t, calls, counted.sum("calls"))
	for _, verdict := range []string{"ok", "warn", "stop"} {
		assert.InDelta(t, verdicts[verdict], counted.sum("runs", "verdict", verdict, "closed_by", "span"), 0, "runs with verdict %s", verdict)
	}
	assert.Positive(t, counted.sum("findings", "code", "REPEATED_TOOL_CALL", "severity", "stop", "grade", "confirmed"))
	assert.Positive(t, counted.sum("waste_tokens", "code", "REPEATED_TOOL_CALL", "type", "input"))
	assert.Positive(t, counted.sum("spans", "kind", "tool"))
	assert.Zero(t, counted.sum("duplicate_spans"))
	assert.Zero(t, counted.sum("late_spans"))
	for _, name := range []string{"open_runs", "state_size", "run_steps", "run_duration"} {
		assert.NotNil(t, counted["otelcol_processor_loop_guard_"+name], name)
	}
}

// An SDK that gets no answer sends its batch again.
func TestEndToEndRetries(t *testing.T) {
	c := started(t, "quickstart")
	r := recording(t, "ai7-otel/repeat6.on")
	require.NoError(t, r.SendHTTP(t.Context(), c.HTTP))
	once := scrape(t, c)
	for range 2 {
		require.NoError(t, r.SendHTTP(t.Context(), c.HTTP))
	}
	thrice := scrape(t, c)
	spans := output(t, c).Spans(r.Traces()...)

	require.Len(t, spans, 3*r.want.Spans)
	runs := Runs(spans)
	require.Len(t, runs, 3)
	for _, again := range runs[1:] {
		assert.Equal(t, runs[0].Span.Attributes().AsRaw(), again.Span.Attributes().AsRaw())
	}
	assert.Len(t, Findings(spans), 3)
	assert.EqualValues(t, 2*r.want.Spans, thrice.sum("duplicate_spans"))
	for _, counter := range []string{"runs", "findings", "findings_retracted", "waste_tokens", "tokens", "calls", "spans", "late_spans", "evicted_runs"} {
		assert.InDelta(t, once.sum(counter), thrice.sum(counter), 0, counter)
	}
}
