// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestReadOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spans.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01000000000000000000000000000000","name":"a"},{"traceId":"02000000000000000000000000000000","name":"b"}]}]}]}
{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01000000000000000000000000000000","name":"c"}]}]}]}
`), 0o600))
	output, err := ReadOutput(path)
	require.NoError(t, err)
	var names []string
	for _, span := range output.Spans([16]byte{1}, [16]byte{9}) {
		names = append(names, span.Name())
	}
	assert.Equal(t, []string{"a", "c"}, names)

	_, err = ReadOutput(path + ".missing")
	assert.ErrorContains(t, err, path+".missing")
}

func TestRuns(t *testing.T) {
	span := ptrace.NewSpan()
	require.NoError(t, span.Attributes().FromRaw(map[string]any{
		"loop_guard.run.agent":         "planner",
		"loop_guard.verdict":           "stop",
		"loop_guard.code":              "OSCILLATION",
		"loop_guard.grade":             "confirmed",
		"loop_guard.state":             "recovered",
		"loop_guard.coverage":          "full",
		"loop_guard.run.steps":         9,
		"loop_guard.run.tool_calls":    8,
		"loop_guard.run.input_tokens":  700,
		"loop_guard.run.output_tokens": 70,
		"loop_guard.onset.step":        0,
		"loop_guard.onset.span_id":     "0102030405060708",
		"loop_guard.waste.duration_ms": 1.5,
		"loop_guard.waste.steps":       3,
	}))
	container := ptrace.NewSpan()
	container.Attributes().PutStr("loop_guard.verdict", "stop")

	assert.Equal(t, []Run{{
		Span: span, Agent: "planner", Verdict: "stop", Code: "OSCILLATION", Grade: "confirmed", State: "recovered", Coverage: "full",
		Steps: 9, ToolCalls: 8, InputTokens: 700, OutputTokens: 70,
		Onset: &Onset{Step: 0, SpanID: "0102030405060708"},
		Waste: Waste{Steps: 3, Duration: 1500 * time.Microsecond},
	}}, Runs([]ptrace.Span{container, span, ptrace.NewSpan()}))
}

func TestFindingsTakeTheReasonFromTheEventWithTheirCode(t *testing.T) {
	span := ptrace.NewSpan()
	span.Attributes().PutStr("loop_guard.finding.code", "BURST")
	span.Attributes().PutStr("loop_guard.finding.severity", "warn")
	for code, reason := range map[string]string{"OSCILLATION": "oscillation", "BURST": "burst"} {
		event := span.Events().AppendEmpty()
		event.SetName("gen_ai.evaluation.result")
		event.Attributes().PutStr("loop_guard.code", code)
		event.Attributes().PutStr("loop_guard.reason", reason)
		event.Attributes().PutStr("gen_ai.evaluation.explanation", "why "+reason)
	}
	assert.Equal(t, []Finding{{Span: span, Code: "BURST", Severity: "warn", Reason: "burst", Explanation: "why burst"}},
		Findings([]ptrace.Span{ptrace.NewSpan(), span}))
}
