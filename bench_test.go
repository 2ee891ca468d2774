// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/agentloopguard/loopguardprocessor/internal/metadata"
)

func startedForBench(b *testing.B) processor.Traces {
	p, err := NewFactory().CreateTraces(b.Context(), processortest.NewNopSettings(metadata.Type),
		createDefaultConfig(), consumertest.NewNop())
	require.NoError(b, err)
	require.NoError(b, p.Start(b.Context(), componenttest.NewNopHost()))
	b.Cleanup(func() { require.NoError(b, p.Shutdown(context.Background())) })
	return p
}

// webTraffic is a batch of spans that are not ours.
func webTraffic(n int) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range n {
		s := spans.AppendEmpty()
		s.SetName("GET /api/orders")
		s.SetTraceID(pcommon.TraceID{1, byte(i / 8)})
		s.SetSpanID(pcommon.SpanID{1, byte(i)})
		s.SetKind(ptrace.SpanKindServer)
		for k, v := range map[string]any{
			"http.request.method": "GET", "http.route": "/api/orders", "http.response.status_code": 200,
			"url.path": "/api/orders", "url.scheme": "https", "server.address": "shop", "server.port": 443,
			"network.protocol.version": "1.1", "client.address": "10.0.0.7", "user_agent.original": "curl/8",
			"thread.id": 7, "code.function.name": "list",
		} {
			if v, ok := v.(int); ok {
				s.Attributes().PutInt(k, int64(v))
				continue
			}
			s.Attributes().PutStr(k, v.(string))
		}
	}
	return td
}

func BenchmarkForeignSpans(b *testing.B) {
	const spans = 100
	p, td := startedForBench(b), webTraffic(spans)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.ConsumeTraces(b.Context(), td); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*spans), "ns/span")
}

// BenchmarkAgentSpans sends a recorded run again and again, each time as
// another trace, in the batches in which it was recorded.
func BenchmarkAgentSpans(b *testing.B) {
	for _, file := range []string{"ai7-otel/longrun.on", "ai7-otel/longrun.off", "strands/longrun.on"} {
		b.Run(file, func(b *testing.B) {
			p := startedForBench(b)
			batches := readRecording(b, filepath.Join("testdata/traces", file+".jsonl.gz"))
			spans := 0
			for _, td := range batches {
				spans += td.SpanCount()
			}
			b.ReportAllocs()
			n := uint64(0)
			for b.Loop() {
				n++
				for _, td := range batches {
					renumber(td, n)
					if err := p.ConsumeTraces(b.Context(), td); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*spans), "ns/span")
		})
	}
}

// renumber makes the spans of a batch spans of another trace.
func renumber(td ptrace.Traces, n uint64) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				id := s.TraceID()
				binary.BigEndian.PutUint64(id[8:], n)
				s.SetTraceID(id)
			}
		}
	}
}

// BenchmarkOpenRuns says what an open run of 20 calls takes.
func BenchmarkOpenRuns(b *testing.B) {
	for _, runs := range []int{1000} {
		b.Run(fmt.Sprint(runs), func(b *testing.B) {
			for b.Loop() {
				cfg := createDefaultConfig().(*Config)
				p, err := newProcessor(processortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
				require.NoError(b, err)
				td := loop(1, 20, false)
				for i := range runs {
					renumber(td, uint64(i))
					require.NoError(b, p.ConsumeTraces(b.Context(), td))
				}
				b.ReportMetric(float64(p.judge.Size())/float64(runs), "state-B/run")
				require.NoError(b, p.Shutdown(b.Context()))
			}
		})
	}
}
