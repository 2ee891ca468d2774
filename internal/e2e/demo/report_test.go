// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func looping(t *testing.T) []ptrace.Span {
	crossing := ptrace.NewSpan()
	crossing.SetName("execute_tool search")
	crossing.SetSpanID([8]byte{7})
	crossing.Attributes().PutStr("loop_guard.finding.code", "REPEATED_TOOL_CALL")
	event := crossing.Events().AppendEmpty()
	event.SetName("gen_ai.evaluation.result")
	event.Attributes().PutStr("loop_guard.code", "REPEATED_TOOL_CALL")
	event.Attributes().PutStr("gen_ai.evaluation.explanation", "search was called 3 times")
	run := ptrace.NewSpan()
	require.NoError(t, run.Attributes().FromRaw(map[string]any{
		"loop_guard.verdict":             "stop",
		"loop_guard.code":                "REPEATED_TOOL_CALL",
		"loop_guard.grade":               "args_only",
		"loop_guard.run.agent":           "main-agent",
		"loop_guard.run.steps":           7,
		"loop_guard.run.tool_calls":      6,
		"loop_guard.run.input_tokens":    5762,
		"loop_guard.run.output_tokens":   144,
		"loop_guard.onset.step":          2,
		"loop_guard.onset.span_id":       crossing.SpanID().String(),
		"loop_guard.waste.steps":         3,
		"loop_guard.waste.tool_calls":    1,
		"loop_guard.waste.input_tokens":  2900,
		"loop_guard.waste.output_tokens": 70,
		"loop_guard.waste.duration_ms":   1234.56,
	}))
	return []ptrace.Span{crossing, run}
}

func TestReportOfALoop(t *testing.T) {
	var out strings.Builder
	require.NoError(t, report{out: &out}.sample(sample{title: "an agent", file: "sdk/file"}, looping(t)))
	assert.Equal(t, `
an agent (testdata/traces/sdk/file)
  agent    main-agent
  verdict  stop REPEATED_TOOL_CALL (args only)
  run      7 steps, 6 tool calls, 5762 tokens in, 144 out
  stop at  step 2, counting from 0: execute_tool search (span 0700000000000000)
  because  search was called 3 times
  waste    3 steps, 1 tool call, 2900 tokens in, 70 out, 1.235s after that
`, out.String())
}

func TestReportOfAHealthyRun(t *testing.T) {
	run := ptrace.NewSpan()
	run.Attributes().PutStr("loop_guard.verdict", "ok")
	run.Attributes().PutStr("loop_guard.run.agent", "main-agent")
	run.Attributes().PutInt("loop_guard.run.steps", 1)
	var out strings.Builder
	require.NoError(t, report{out: &out}.sample(sample{title: "an agent", file: "sdk/file"}, []ptrace.Span{run}))
	assert.Equal(t, `
an agent (testdata/traces/sdk/file)
  agent    main-agent
  verdict  ok
  run      1 step, 0 tool calls, 0 tokens in, 0 out
`, out.String())
}

func TestReportNeedsAVerdict(t *testing.T) {
	err := report{out: &strings.Builder{}}.sample(sample{file: "sdk/file"}, []ptrace.Span{ptrace.NewSpan()})
	assert.ErrorContains(t, err, "none of the 1 spans that came out for sdk/file has a verdict")
}

func TestReportIsColouredOnATerminalOnly(t *testing.T) {
	for colour, want := range map[bool]string{true: "\x1b[1;31mstop REPEATED_TOOL_CALL\x1b[0m", false: "  verdict  stop REPEATED_TOOL_CALL"} {
		var out strings.Builder
		require.NoError(t, report{out: &out, colour: colour}.sample(sample{}, looping(t)))
		assert.Contains(t, out.String(), want)
		assert.Equal(t, colour, strings.Contains(out.String(), "\x1b"))
	}
}
