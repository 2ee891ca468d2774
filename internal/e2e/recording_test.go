// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestRecordingsHoldWhatTheirExpectationsSay(t *testing.T) {
	for _, r := range recordings(t) {
		var count int
		for _, td := range r.traces {
			count += len(spans(td))
		}
		assert.Equal(t, r.want.Spans, count, r.name)
		assert.Len(t, r.Traces(), r.want.Traces, r.name)
	}
}

func TestReadRecordingNamesTheFileThatItCannotRead(t *testing.T) {
	for _, path := range []string{
		filepath.Join(t.TempDir(), "missing.jsonl.gz"),
		filepath.Join(root, "testdata", "traces", "expected.json"), // no gzip
	} {
		_, err := ReadRecording(path)
		assert.ErrorContains(t, err, path)
	}
}

func TestReadLines(t *testing.T) {
	span := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a"}]}]}]}`
	raw, traces, err := readLines(strings.NewReader(span + "\n\n" + span))
	require.NoError(t, err)
	assert.Len(t, raw, 2, "an empty line is none, and the last needs no line end")
	require.Len(t, traces, 2)
	assert.Equal(t, "a", spans(traces[1])[0].Name())

	_, _, err = readLines(strings.NewReader(span + "\nno JSON\n"))
	assert.ErrorContains(t, err, "line 2")
}

func TestSpanBySpanKeepsResourceAndScope(t *testing.T) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("sdk")
	ss.Spans().AppendEmpty().SetName("first")
	ss.Spans().AppendEmpty().SetName("second")

	singles := spanBySpan(td)
	require.Len(t, singles, 2)
	for i, name := range []string{"first", "second"} {
		require.Equal(t, 1, singles[i].SpanCount())
		resource := singles[i].ResourceSpans().At(0)
		assert.Equal(t, map[string]any{"service.name": "shop"}, resource.Resource().Attributes().AsRaw())
		assert.Equal(t, "sdk", resource.ScopeSpans().At(0).Scope().Name())
		assert.Equal(t, name, spans(singles[i])[0].Name())
	}
}

func TestSendHTTPSendsTheRecordedBytes(t *testing.T) {
	var received []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received = append(received, r.URL.Path+" "+r.Header.Get("Content-Type")+" "+string(body))
	}))
	defer server.Close()
	r := recording(t, "ai7-otel/healthy.on")
	require.NoError(t, r.SendHTTP(t.Context(), server.Listener.Addr().String()))
	require.Len(t, received, len(r.raw))
	for i, request := range received {
		assert.Equal(t, "/v1/traces application/json "+string(r.raw[i]), request)
	}
}

func TestSendHTTPReportsARefusal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no memory left", http.StatusServiceUnavailable)
	}))
	defer server.Close()
	err := recording(t, "ai7-otel/healthy.on").SendHTTP(t.Context(), server.Listener.Addr().String())
	assert.ErrorContains(t, err, "503")
	assert.ErrorContains(t, err, "no memory left")
}
