// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/agentloopguard/loopguardprocessor/internal/metadata"
	"github.com/agentloopguard/loopguardprocessor/internal/metadatatest"
)

// started returns a running processor that sends to next.
func started(t *testing.T, next consumer.Traces, change ...func(*Config)) processor.Traces {
	p := created(t, processortest.NewNopSettings(metadata.Type), next, change...)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	return p
}

func created(t *testing.T, set processor.Settings, next consumer.Traces, change ...func(*Config)) processor.Traces {
	cfg := createDefaultConfig().(*Config)
	for _, c := range change {
		c(cfg)
	}
	p, err := NewFactory().CreateTraces(t.Context(), set, cfg, next)
	require.NoError(t, err)
	return p
}

// loop is one trace of an agent that makes the same call n times. With root,
// the agent's own span comes last.
func loop(trace byte, n int, root bool) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	add := func(id, parent byte, name string, start int64, attrs map[string]any) {
		s := spans.AppendEmpty()
		s.SetTraceID(pcommon.TraceID{trace, 1})
		s.SetSpanID(pcommon.SpanID{id, 1})
		if parent != 0 {
			s.SetParentSpanID(pcommon.SpanID{parent, 1})
		}
		s.SetName(name)
		s.SetStartTimestamp(pcommon.Timestamp(start * 1e9))
		s.SetEndTimestamp(pcommon.Timestamp(start*1e9 + 5e8))
		if err := s.Attributes().FromRaw(attrs); err != nil {
			panic(err)
		}
	}
	for i := range n {
		add(byte(2*i+10), 9, "chat gpt", int64(2*i+1), map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10,
			"gen_ai.response.finish_reasons": []any{"tool_calls"},
		})
		add(byte(2*i+11), 9, "execute_tool search", int64(2*i+2), map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search",
			"gen_ai.tool.call.arguments": `{"q":"otel"}`, "gen_ai.tool.call.result": `{"hits":["the same long list of hits, again and again"]}`,
		})
	}
	if root {
		add(9, 0, "invoke_agent main", 0, map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "main"})
	}
	return td
}

// named returns the attributes of the first span of that name that came out.
func named(t *testing.T, sink *consumertest.TracesSink, name string) map[string]any {
	for _, td := range sink.AllTraces() {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					if s.Name() == name {
						return s.Attributes().AsRaw()
					}
				}
			}
		}
	}
	require.Fail(t, "no span of that name", name)
	return nil
}

func TestVerifyShutdown(t *testing.T) {
	processortest.VerifyShutdown(t, NewFactory(), createDefaultConfig())
}

func TestLoopingRunIsTagged(t *testing.T) {
	sink := new(consumertest.TracesSink)
	require.NoError(t, started(t, sink).ConsumeTraces(t.Context(), loop(1, 5, true)))
	got := named(t, sink, "invoke_agent main")
	for key, want := range map[string]any{
		"loop_guard.verdict":            "stop",
		"loop_guard.code":               "REPEATED_TOOL_CALL",
		"loop_guard.grade":              "confirmed",
		"loop_guard.state":              "ended_in_loop",
		"loop_guard.coverage":           "full",
		"loop_guard.run.agent":          "main",
		"loop_guard.run.steps":          int64(5),
		"loop_guard.run.tool_calls":     int64(5),
		"loop_guard.run.tool_errors":    int64(0),
		"loop_guard.run.input_tokens":   int64(500),
		"loop_guard.run.output_tokens":  int64(50),
		"loop_guard.onset.step":         int64(2),
		"loop_guard.onset.span_id":      "0f01000000000000",
		"loop_guard.waste.steps":        int64(2),
		"loop_guard.waste.tool_calls":   int64(2),
		"loop_guard.waste.input_tokens": int64(200),
	} {
		assert.Equal(t, want, got[key], key)
	}
}

func TestAnnotateFaultsLeavesHealthyRunsUntouched(t *testing.T) {
	for n, tagged := range map[int]bool{2: false, 5: true} {
		sink := new(consumertest.TracesSink)
		p := started(t, sink, func(c *Config) { c.Annotate = AnnotateFaults })
		require.NoError(t, p.ConsumeTraces(t.Context(), loop(1, n, true)))
		_, ok := named(t, sink, "invoke_agent main")["loop_guard.verdict"]
		assert.Equal(t, tagged, ok, "%d calls", n)
	}
}

func TestAnnotateNoneOnlyCounts(t *testing.T) {
	tel := componenttest.NewTelemetry()
	defer func() { require.NoError(t, tel.Shutdown(context.Background())) }()
	p := created(t, metadatatest.NewSettings(tel), consumertest.NewNop(), func(c *Config) { c.Annotate = AnnotateNone })
	assert.False(t, p.Capabilities().MutatesData)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	td := loop(1, 5, true)
	td.MarkReadOnly()
	require.NoError(t, p.ConsumeTraces(t.Context(), td))
	require.NoError(t, p.Shutdown(t.Context()))
	metadatatest.AssertEqualProcessorLoopGuardRuns(t, tel, []metricdata.DataPoint[int64]{{
		Value: 1,
		Attributes: attribute.NewSet(attribute.String("verdict", "stop"), attribute.String("code", "REPEATED_TOOL_CALL"),
			attribute.String("coverage", "full"), attribute.String("closed_by", "span")),
	}}, metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars())
}

func TestEventsCanBeSwitchedOff(t *testing.T) {
	for events, want := range map[bool]int{true: 1, false: 0} {
		sink := new(consumertest.TracesSink)
		p := started(t, sink, func(c *Config) { c.Events = events })
		require.NoError(t, p.ConsumeTraces(t.Context(), loop(1, 5, true)))
		n := 0
		for _, s := range sink.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			n += s.Events().Len()
		}
		assert.Equal(t, want, n)
	}
}

func TestMetricsOfALoopingRun(t *testing.T) {
	tel := componenttest.NewTelemetry()
	defer func() { require.NoError(t, tel.Shutdown(context.Background())) }()
	p := created(t, metadatatest.NewSettings(tel), consumertest.NewNop())
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.ConsumeTraces(t.Context(), loop(1, 5, true)))
	require.NoError(t, p.ConsumeTraces(t.Context(), loop(1, 5, true)))
	ignore := []metricdatatest.Option{metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars()}
	point := func(n int64, kv ...string) metricdata.DataPoint[int64] {
		var attrs []attribute.KeyValue
		for i := 0; i < len(kv); i += 2 {
			attrs = append(attrs, attribute.String(kv[i], kv[i+1]))
		}
		return metricdata.DataPoint[int64]{Value: n, Attributes: attribute.NewSet(attrs...)}
	}
	code := "REPEATED_TOOL_CALL"
	var findings []metricdata.DataPoint[int64]
	for _, c := range loops {
		n := int64(0)
		if c == code {
			n = 1
		}
		findings = append(findings, point(n, "code", c, "severity", "stop", "grade", "confirmed"))
	}
	metadatatest.AssertEqualProcessorLoopGuardFindings(t, tel, findings, ignore...)
	metadatatest.AssertEqualProcessorLoopGuardWasteTokens(t, tel, []metricdata.DataPoint[int64]{
		point(200, "code", code, "type", "input"), point(20, "code", code, "type", "output")}, ignore...)
	metadatatest.AssertEqualProcessorLoopGuardTokens(t, tel, []metricdata.DataPoint[int64]{
		point(500, "type", "input"), point(50, "type", "output")}, ignore...)
	metadatatest.AssertEqualProcessorLoopGuardCalls(t, tel, []metricdata.DataPoint[int64]{point(5, "captured", "full")}, ignore...)
	metadatatest.AssertEqualProcessorLoopGuardSpans(t, tel, []metricdata.DataPoint[int64]{
		point(1, "dialect", "otel", "kind", "agent"), point(5, "dialect", "otel", "kind", "model"),
		point(5, "dialect", "otel", "kind", "tool")}, ignore...)
	metadatatest.AssertEqualProcessorLoopGuardDuplicateSpans(t, tel, []metricdata.DataPoint[int64]{point(11)}, ignore...)
	metadatatest.AssertEqualProcessorLoopGuardOpenRuns(t, tel, []metricdata.DataPoint[int64]{point(0)}, ignore...)
	require.NoError(t, p.Shutdown(t.Context()))
}

func TestErrorsOfTheNextConsumerGoBackToTheCaller(t *testing.T) {
	full := errors.New("queue is full")
	p := started(t, consumertest.NewErr(full))
	assert.ErrorIs(t, p.ConsumeTraces(t.Context(), loop(1, 5, true)), full)
}

func TestContextReachesTheNextConsumer(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, 1)
	sink := new(consumertest.TracesSink)
	require.NoError(t, started(t, sink).ConsumeTraces(ctx, loop(1, 1, true)))
	assert.Same(t, ctx, sink.Contexts()[0])
}

func TestShutdownBeforeStartAndTwice(t *testing.T) {
	p := created(t, processortest.NewNopSettings(metadata.Type), consumertest.NewNop())
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, p.Shutdown(t.Context()))
	p = created(t, processortest.NewNopSettings(metadata.Type), consumertest.NewNop())
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, p.Shutdown(t.Context()))
}

func TestShutdownDuringLoad(t *testing.T) {
	sink := new(consumertest.TracesSink)
	p := created(t, processortest.NewNopSettings(metadata.Type), sink)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	var load sync.WaitGroup
	for worker := range 4 {
		load.Go(func() {
			for i := range 50 {
				assert.NoError(t, p.ConsumeTraces(t.Context(), loop(byte(worker*50+i), 4, i%2 == 0)))
			}
		})
	}
	require.NoError(t, p.Shutdown(t.Context()))
	load.Wait()
	assert.Equal(t, 4*50*8+4*25, sink.SpanCount(), "every span comes out")
}

func TestIdleRunIsCountedWithoutItsSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := componenttest.NewTelemetry()
		p := created(t, metadatatest.NewSettings(tel), consumertest.NewNop(), func(c *Config) { c.IdleTimeout = time.Minute })
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, p.ConsumeTraces(t.Context(), loop(1, 5, false)))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		metadatatest.AssertEqualProcessorLoopGuardRuns(t, tel, []metricdata.DataPoint[int64]{{
			Value: 1,
			Attributes: attribute.NewSet(attribute.String("verdict", "stop"), attribute.String("code", "REPEATED_TOOL_CALL"),
				attribute.String("coverage", "full"), attribute.String("closed_by", "idle")),
		}}, metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars())
		require.NoError(t, p.Shutdown(t.Context()))
		require.NoError(t, tel.Shutdown(t.Context()))
	})
}

func TestForeignTrafficPassesUntouched(t *testing.T) {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetName("GET /chat")
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{1})
	s.Attributes().PutStr("http.request.method", "GET")
	want := ptrace.NewTraces()
	td.CopyTo(want)
	sink := new(consumertest.TracesSink)
	require.NoError(t, started(t, sink).ConsumeTraces(t.Context(), td))
	assert.Equal(t, want, sink.AllTraces()[0])
}
