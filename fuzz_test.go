// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/agentloopguard/loopguardprocessor/internal/metadata"
)

// withoutOurs is the data without all that the processor may write.
func withoutOurs(t *testing.T, td ptrace.Traces) string {
	out := ptrace.NewTraces()
	td.CopyTo(out)
	for _, rs := range out.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				s.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool { return strings.HasPrefix(key, "loop_guard.") })
				s.Events().RemoveIf(func(e ptrace.SpanEvent) bool { return e.Name() == "gen_ai.evaluation.result" })
			}
		}
	}
	return asJSON(t, out)
}

func asJSON(t *testing.T, td ptrace.Traces) string {
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	return string(text)
}

// Whatever comes in goes out, each span once and intact but for what is ours,
// and a batch that comes again is tagged the same.
func FuzzConsumeTraces(f *testing.F) {
	marshaler := &ptrace.JSONMarshaler{}
	for _, td := range []ptrace.Traces{loop(1, 5, true), loop(2, 4, false)} {
		text, err := marshaler.MarshalTraces(td)
		require.NoError(f, err)
		f.Add(text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, portion uint8) {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(text)
		if err != nil {
			t.Skip("no trace")
		}
		want := ptrace.NewTraces()
		td.CopyTo(want)
		again := ptrace.NewTraces()
		td.CopyTo(again)

		sink := new(consumertest.TracesSink)
		p := created(t, processortest.NewNopSettings(metadata.Type), sink)
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
		require.NoError(t, p.ConsumeTraces(t.Context(), again))
		require.NoError(t, p.Shutdown(t.Context()))
		require.Len(t, sink.AllTraces(), 2)
		require.Equal(t, withoutOurs(t, want), withoutOurs(t, sink.AllTraces()[0]))
		require.Equal(t, asJSON(t, sink.AllTraces()[0]), asJSON(t, sink.AllTraces()[1]))
	})
}

// The same, for each of the recordings in pieces: see TestRecordings.
func TestSameBatchThriceIsTheSame(t *testing.T) {
	files := recordings(t, "testdata/traces")
	for file := range files {
		t.Run(file, func(t *testing.T) {
			var thrice []ptrace.Traces
			for _, td := range readRecording(t, filepath.Join("testdata/traces", file)) {
				for range 3 {
					c := ptrace.NewTraces()
					td.CopyTo(c)
					thrice = append(thrice, c)
				}
			}
			out := process(t, thrice)
			for i := 0; i < len(out); i += 3 {
				require.Equal(t, out[i], out[i+1])
				require.Equal(t, out[i], out[i+2])
			}
		})
	}
}
