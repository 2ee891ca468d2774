// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var update = flag.Bool("update", false, "write the golden files")

func TestTable(t *testing.T) {
	r := execute(t, "scan", "--all", ours+"/strands/repeat6.on.jsonl.gz", ours+"/strands/healthy.on.jsonl.gz")
	require.Zero(t, r.code, r.log)
	golden := filepath.Join("testdata", "table.txt")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(r.out), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), r.out)
	assert.Empty(t, r.log)
}

func TestHealthyRunsAreShownOnRequest(t *testing.T) {
	healthy := ours + "/strands/healthy.on.jsonl.gz"
	r := execute(t, "scan", healthy)
	assert.Contains(t, r.out, "1 run: 0 stop, 0 warn, 1 ok")
	assert.NotContains(t, r.out, "VERDICT")
	assert.Contains(t, execute(t, "scan", "--all", healthy).out, "\n ok ")
}

func TestNoColourOnAFile(t *testing.T) {
	assert.NotContains(t, execute(t, "scan", looping).out, "\x1b")
}

func TestFailOn(t *testing.T) {
	healthy := ours + "/strands/healthy.on.jsonl.gz"
	tests := []struct {
		args []string
		want int
	}{
		{[]string{looping}, exitFine},
		{[]string{"--fail-on", "stop", looping}, exitFound},
		{[]string{"--fail-on", "warn", looping}, exitFound},
		{[]string{"--fail-on", "warn", healthy}, exitFine},
		{[]string{"--fail-on", "stop", healthy, looping}, exitFound},
		{[]string{"--fail-on", "stop", looping, "nowhere"}, exitInput},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, execute(t, append([]string{"scan"}, tt.args...)...).code, tt.args)
	}
}

// TestGate is about runs that cannot show that they do not loop.
func TestGate(t *testing.T) {
	healthy := ours + "/strands/healthy.on.jsonl.gz"
	silent := write(t, "silent.jsonl", withoutContent(t, unzip(t, healthy)))
	foreign := write(t, "foreign.jsonl", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"GET /"}]}]}]}`))
	tests := []struct {
		name string
		args []string
		code int
		log  string
	}{
		{"all was seen", []string{"--strict", "--min-coverage", "full", healthy}, exitFine, ""},
		{"no agent", []string{"--fail-on", "stop", foreign}, exitFine, ""},
		{"no agent, strictly", []string{"--strict", "--fail-on", "stop", foreign}, exitInput, "no agent run among 1 spans, and --strict wants one"},
		{"an agent among others", []string{"--strict", foreign, healthy}, exitFine, ""},
		{"no content", []string{"--strict", "--fail-on", "stop", silent}, exitFine, ""},
		{"no content where all is wanted", []string{"--min-coverage", "full", silent}, exitInput, "1 of 1 runs showed less than --min-coverage full asks for"},
		{"no content where arguments are wanted", []string{"--min-coverage", "no_results", silent}, exitInput, "1 of 1 runs showed less than --min-coverage no_results"},
		{"no content where names are wanted", []string{"--min-coverage", "names_only", silent}, exitFine, ""},
		{"one of two", []string{"--min-coverage", "full", silent, healthy}, exitInput, "1 of 2 runs showed less"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := execute(t, append([]string{"scan"}, tt.args...)...)
			assert.Equal(t, tt.code, r.code, r.log)
			assert.Contains(t, r.log, tt.log)
			assert.NotEmpty(t, r.out, "the report is written all the same")
		})
	}
}

// withoutContent takes away the events, which have the messages.
func withoutContent(t *testing.T, text []byte) []byte {
	td := joined(requests(t, text))
	eachSpan([]ptrace.Traces{td}, func(s ptrace.Span) {
		s.Events().RemoveIf(func(ptrace.SpanEvent) bool { return true })
	})
	b, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	return b
}

func TestJSONLines(t *testing.T) {
	r := execute(t, "scan", "--format", "jsonl", looping)
	require.Zero(t, r.code, r.log)
	var run map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.out), &run), "one run, one line")
	td := process(t, requests(t, unzip(t, looping)))
	for id, attrs := range runAttributes(td) {
		assert.Equal(t, id, run["trace_id"].(string)+run["span_id"].(string))
		for key, value := range attrs {
			assert.EqualValues(t, value, lookUp(run, strings.TrimPrefix(key, "loop_guard.")), key)
		}
	}
	finding := run["findings"].([]any)[0].(map[string]any)
	assert.Equal(t, "REPEATED_TOOL_CALL", finding["code"])
	assert.Equal(t, "search", finding["evidence"].(map[string]any)["tool"])
	assert.Equal(t, filepath.ToSlash(looping), run["file"])
	assert.Positive(t, run["duration_ms"])
	assert.Regexp(t, `^20\d\d-\d\d-\d\dT.*Z$`, run["start_time"])
}

// lookUp follows a path of keys.
func lookUp(at any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[key]
	}
	if n, ok := at.(float64); ok && n == float64(int64(n)) {
		return int64(n)
	}
	return at
}

func TestJSONDocument(t *testing.T) {
	for _, paths := range [][]string{{looping}, {looping, ours + "/strands/healthy.on.jsonl.gz"}} {
		r := execute(t, append([]string{"scan", "--format", "json"}, paths...)...)
		var doc struct {
			Runs    []map[string]any `json:"runs"`
			Summary map[string]any   `json:"summary"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.out), &doc), r.out)
		assert.Len(t, doc.Runs, len(paths))
		assert.EqualValues(t, len(paths), doc.Summary["runs"])
		assert.EqualValues(t, 1, doc.Summary["verdicts"].(map[string]any)["stop"])
	}
	var doc map[string]any
	empty := write(t, "empty.jsonl", []byte(`{"resourceSpans":[]}`))
	require.NoError(t, json.Unmarshal([]byte(execute(t, "scan", "--format", "json", empty).out), &doc))
	assert.Empty(t, doc["runs"])
}

func TestTaggedSpans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tagged.jsonl")
	r := execute(t, "scan", "--format", "otlp", "--output", path, looping)
	require.Zero(t, r.code, r.log)
	assert.Empty(t, r.out)
	assert.Contains(t, r.log, "1 run: 1 stop")
	text, err := os.ReadFile(path)
	require.NoError(t, err)

	var repeats []int64
	var root string
	eachSpan(requests(t, text), func(s ptrace.Span) {
		if _, ok := s.Attributes().Get("loop_guard.verdict"); ok {
			root = s.SpanID().String()
		}
	})
	eachSpan(requests(t, text), func(s ptrace.Span) {
		if n, ok := s.Attributes().Get("loop_guard.call.repeat"); ok {
			run, _ := s.Attributes().Get("loop_guard.run.id")
			assert.Equal(t, root, run.Str())
			repeats = append(repeats, n.Int())
		}
	})
	assert.ElementsMatch(t, []int64{1, 2, 3, 4, 5, 6}, repeats)

	again := execute(t, "scan", "--format", "otlp", path)
	assert.Equal(t, string(text), again.out, "tagging tagged spans changes nothing")
}

func TestOutputIsNoInput(t *testing.T) {
	path := write(t, "traces.jsonl", unzip(t, looping))
	r := execute(t, "scan", "--output", path, path)
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.log, "is one of the files to read")
	assert.Equal(t, unzip(t, looping), mustRead(t, path))
}

func mustRead(t *testing.T, path string) []byte {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

// brokenPipe is where nothing can be written.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, format := range []string{"text", "json", "jsonl", "otlp"} {
		var log strings.Builder
		assert.Equal(t, exitInput, run(t.Context(), []string{"scan", "--format", format, looping}, nil, brokenPipe{}, &log), format)
		assert.Contains(t, log.String(), "broken pipe", format)
	}
}
