// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// agentRun makes the spans of a run that makes the same call so many times, one
// a line, parents last. Each call comes a while after the one before.
func agentRun(t *testing.T, trace byte, start time.Time, calls int, apart time.Duration) []string {
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	add := func(id, parent byte, operation string, from, to time.Time) ptrace.Span {
		s := ss.Spans().AppendEmpty()
		s.SetTraceID(pcommon.TraceID{trace})
		s.SetSpanID(pcommon.SpanID{id})
		if parent != 0 {
			s.SetParentSpanID(pcommon.SpanID{parent})
		}
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(from))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(to))
		s.Attributes().PutStr("gen_ai.operation.name", operation)
		return s
	}
	at := start
	for i := range calls {
		add(byte(2+2*i), 1, "chat", at, at.Add(time.Second)).Attributes().PutStr("gen_ai.request.model", "gpt")
		tool := add(byte(3+2*i), 1, "execute_tool", at.Add(time.Second), at.Add(2*time.Second)).Attributes()
		tool.PutStr("gen_ai.tool.name", "search")
		tool.PutStr("gen_ai.tool.call.arguments", `{"q":"x"}`)
		tool.PutStr("gen_ai.tool.call.result", `{"hits":[]}`)
		at = at.Add(apart)
	}
	add(1, 0, "invoke_agent", start, at).Attributes().PutStr("gen_ai.agent.name", "agent")
	return spanBySpan(t, []ptrace.Traces{td})
}

func scanLines(t *testing.T, lines []string, args ...string) ([]reported, result) {
	args = append([]string{"scan", "--format", "jsonl"}, append(args, "-")...)
	r := executeWith(t, strings.Join(lines, "\n"), args...)
	require.Zero(t, r.code, r.log)
	return parseReport(t, r.out), r
}

func TestTimeIsTheSpansOwn(t *testing.T) {
	// Seven seconds without a span between the calls.
	lines := agentRun(t, 1, noon, 3, 8*time.Second)
	runs, _ := scanLines(t, lines)
	require.Len(t, runs, 1)
	assert.Equal(t, "stop", runs[0].Verdict)

	// A trace that is silent for the idle timeout is closed, as the processor
	// would have done at that time.
	config := write(t, "config.yaml", []byte("idle_timeout: 5s"))
	runs, _ = scanLines(t, lines, "--config", config)
	assert.Len(t, runs, 3)
	for _, r := range runs {
		assert.Equal(t, "ok", r.Verdict)
	}
}

func TestAFileEndsItsRuns(t *testing.T) {
	lines := agentRun(t, 1, noon, 3, 3*time.Second)
	open, rest := lines[:len(lines)-1], lines[len(lines)-1:]
	first, second := write(t, "1", []byte(strings.Join(open, "\n"))), write(t, "2", []byte(strings.Join(rest, "\n")))
	r := execute(t, "scan", "--format", "jsonl", first, second)
	require.Zero(t, r.code, r.log)
	assert.Equal(t, 1, strings.Count(r.out, "\n"))
	assert.Contains(t, r.out, `"closed_by":"shutdown"`)
	assert.Contains(t, r.out, `"verdict":"stop"`)
}

func TestSpansOutsideTheWindowAreCountedAndSaid(t *testing.T) {
	lines := agentRun(t, 1, noon, 3, 3*time.Second)
	other := agentRun(t, 2, noon.Add(time.Hour), 1, 3*time.Second)
	mixed := slices.Concat(lines[:4], other, lines[4:])
	r := executeWith(t, strings.Join(mixed, "\n"), "scan", "-")
	assert.Contains(t, r.out, "Outside the window: 3 spans came too late in the file; their runs may be judged in parts.")

	r = executeWith(t, strings.Join(mixed, "\n"), "scan", "--window", "2h", "-")
	assert.NotContains(t, r.out, "Outside the window")
	assert.Contains(t, r.out, " stop ")
}

func TestTracesAreKeptApart(t *testing.T) {
	var lines []string
	for i := range 20 {
		lines = append(lines, agentRun(t, byte(1+i), noon.Add(time.Duration(i)*time.Second), 1+i%4, 3*time.Second)...)
	}
	slices.Sort(lines) // By trace id, children and parents mixed.
	runs, _ := scanLines(t, lines)
	verdicts := map[string]int{}
	for _, r := range runs {
		verdicts[r.Verdict]++
	}
	assert.Equal(t, map[string]int{"ok": 10, "stop": 10}, verdicts, "those with three calls and more loop")
}

func TestMemoryIsBounded(t *testing.T) {
	// One trace that never ends, of more than the window may hold.
	padding := strings.Repeat("x", 1<<19)
	var b strings.Builder
	for i := range 40 {
		at := noon.Add(time.Duration(i) * time.Second).UnixNano()
		fmt.Fprintf(&b, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01000000000000000000000000000000","spanId":"%016x","parentSpanId":"0100000000000000",`+
			`"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},`+
			`{"key":"gen_ai.tool.name","value":{"stringValue":"search"}},{"key":"gen_ai.tool.call.arguments","value":{"stringValue":"{\"q\":\"x\"}"}},`+
			`{"key":"gen_ai.tool.call.result","value":{"stringValue":"none"}},{"key":"x","value":{"stringValue":"%s"}}]}]}]}]}`+"\n", i+2, at, at+1e9, padding)
	}
	r := executeWith(t, b.String(), "scan", "--max-memory", "64MiB", "-")
	assert.Zero(t, r.code, r.log)
	assert.Contains(t, r.out, "1 run: ")
	assert.NotContains(t, r.out, "Outside", "in order of time nothing is too late")
}

func TestNearMissesAreListed(t *testing.T) {
	lines := agentRun(t, 1, noon, 2, 3*time.Second)
	r := executeWith(t, strings.Join(lines, "\n"), "scan", "--why-not", "-")
	assert.Zero(t, r.code, r.log)
	assert.Contains(t, r.out, "1 run: 0 stop, 0 warn, 1 ok")
	assert.Contains(t, r.out, "\nNearly found:\n 01000000000000000000000000000000 step 1: REPEATED_TOOL_CALL, but it was one short of the threshold. (")

	_, r = scanLines(t, lines, "--why-not")
	assert.Contains(t, r.out, `"near_misses":[{"veto":"threshold","reason":"repeated-tool-call"`)
	assert.NotContains(t, executeWith(t, strings.Join(lines, "\n"), "scan", "-").out, "Nearly found")

	r = executeWith(t, strings.Join(lines, "\n"), "scan", "--why-not", "--format", "otlp", "-")
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.log, "--why-not has no place in spans")
}
