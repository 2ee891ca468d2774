// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/scan"
	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

func looping() *runs.Run {
	f := guard.Finding{Code: "REPEATED_TOOL_CALL", Severity: guard.Stop, Grade: guard.Confirmed, Step: 2}
	return &runs.Run{
		Verdict: runs.Verdict{Severity: runs.Stop, Fault: f}, Trace: pcommon.TraceID{1}, Span: pcommon.SpanID{2},
		Agent: "an\x1b[31magent", Start: 1_800_000_000e9, Findings: []guard.Finding{f},
		Nested: runs.Nested{Severity: runs.Warn, Run: pcommon.SpanID{3}},
		Waste:  runs.Waste{Spent: runs.Spent{Steps: 1, InputTokens: 10, Cost: 0.25}},
	}
}

func modelSpan() (ptrace.Span, *runs.Crossing) {
	s := ptrace.NewSpan()
	s.SetTraceID(pcommon.TraceID{9})
	s.SetSpanID(pcommon.SpanID{8})
	return s, &runs.Crossing{Finding: guard.Finding{Code: "OSCILLATION", Severity: guard.Stop, Grade: guard.ResultsOnly}}
}

func newReport(t *testing.T, o Options) (Report, *strings.Builder) {
	var out strings.Builder
	r, err := New(&out, o)
	require.NoError(t, err)
	return r, &out
}

func TestColour(t *testing.T) {
	r, out := newReport(t, Options{Format: "text", Colour: true})
	require.NoError(t, r.Run("f", looping()))
	require.NoError(t, r.Close(&scan.Summary{}))
	assert.Contains(t, out.String(), "\x1b[31mstop\x1b[0m")
	assert.Contains(t, out.String(), "an?[31magent", "what a span says does nothing to the terminal")
	assert.Contains(t, out.String(), "1 step, 10 tokens, cost 0.25")
}

func TestSpansJudgedByTheirHistoryAreReported(t *testing.T) {
	for _, format := range []string{"text", "json", "jsonl"} {
		r, out := newReport(t, Options{Format: format})
		s, c := modelSpan()
		require.NoError(t, r.History("f", s, c))
		require.NoError(t, r.Close(&scan.Summary{Histories: 1, Findings: map[string]int64{"OSCILLATION": 1}}))
		assert.Contains(t, out.String(), "OSCILLATION")
		assert.Contains(t, out.String(), "results_only")
		assert.Contains(t, out.String(), "09000000000000000000000000000000")
	}
}

func TestNestedVerdictsAreReported(t *testing.T) {
	r, out := newReport(t, Options{Format: "jsonl"})
	require.NoError(t, r.Run("f", looping()))
	var run struct {
		Nested struct {
			Verdict string `json:"verdict"`
			RunID   string `json:"run_id"`
		} `json:"nested"`
	}
	require.NoError(t, json.Unmarshal([]byte(out.String()), &run))
	assert.Equal(t, "warn", run.Nested.Verdict)
	assert.Equal(t, "0300000000000000", run.Nested.RunID)
}

func TestCaveatsAreSaid(t *testing.T) {
	r, out := newReport(t, Options{Format: "text"})
	require.NoError(t, r.Close(&scan.Summary{
		Spans: 5, Duplicates: 2, EvictedRuns: 1, PoorCoverage: 3, Histories: 4, WasteSteps: 1, WasteCost: 0.5,
	}))
	for _, want := range []string{
		"Ignored: 2 spans that came twice.", "Judged early at a limit: 1 run.", "3 of these with poor coverage: no clean bill",
		"4 model spans judged by their message history", "No span was recognised", "cost 0.5",
	} {
		assert.Contains(t, out.String(), want)
	}
}

func TestTheTableIsBounded(t *testing.T) {
	r, out := newReport(t, Options{Format: "text"})
	for range maxRows + 7 {
		require.NoError(t, r.Run("f", looping()))
	}
	require.NoError(t, r.Close(&scan.Summary{}))
	assert.Contains(t, out.String(), "and 7 more; --format jsonl has them all\n")
}

// full is a disk that takes so many writes and no more.
type full struct{ writes int }

func (f *full) Write(b []byte) (int, error) {
	if f.writes--; f.writes < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

func TestWriteErrorsComeBack(t *testing.T) {
	for format, writes := range map[string]int{"text": 2, "json": 2, "jsonl": 1, "otlp": 1} {
		for n := range writes {
			r, err := New(&full{n}, Options{Format: format, Notes: &full{}})
			require.NoError(t, err)
			err = errors.Join(r.Run("f", looping()), r.Spans(ptrace.NewTraces()), r.Close(&scan.Summary{}))
			assert.ErrorContains(t, err, "disk full", "%s %d", format, n)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	_, err := New(nil, Options{Format: "xml"})
	assert.EqualError(t, err, `format is "xml", must be one of: text, json, jsonl, otlp`)
}
