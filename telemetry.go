// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/metadata"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

// telemetry counts what the tracker finds out, in the collector's own metrics.
type telemetry struct {
	*metadata.TelemetryBuilder
	spanKinds sync.Map // runs.SpanKind -> metric.MeasurementOption
}

var _ runs.Sink = (*telemetry)(nil)

func newTelemetry(set component.TelemetrySettings) (*telemetry, error) {
	b, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	return &telemetry{TelemetryBuilder: b}, nil
}

// loops are the codes of confirmed loops.
var loops = []string{
	guard.CodeRepeatedToolCall, guard.CodeOscillation, guard.CodeRepeatedError, guard.CodeRecurringCall,
	guard.CodeDelegationLoop, guard.CodeRepeatedText, guard.CodeNoProgress,
}

// startAtZero makes the series that alerts are for exist before the first
// finding: an increase from nothing is none.
func (t *telemetry) startAtZero() {
	for _, code := range loops {
		t.ProcessorLoopGuardFindings.Add(context.Background(), 0, findingLabels(&guard.Finding{
			Code: code, Severity: guard.Stop, Grade: guard.Confirmed,
		}))
	}
}

func findingLabels(f *guard.Finding) metric.MeasurementOption {
	return metric.WithAttributes(
		attribute.String("code", f.Code),
		attribute.String("severity", f.Severity.String()),
		attribute.String("grade", string(f.Grade)),
	)
}

// watch has the gauges report the tracker's state.
func (t *telemetry) watch(tracker *runs.Tracker) error {
	observe := func(read func() int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(read())
			return nil
		}
	}
	if err := t.RegisterProcessorLoopGuardOpenRunsCallback(observe(tracker.Open)); err != nil {
		return err
	}
	return t.RegisterProcessorLoopGuardStateSizeCallback(observe(tracker.Size))
}

// Run counts a closed run.
func (t *telemetry) Run(r *runs.Run) {
	ctx := context.Background()
	verdict := attribute.String("verdict", r.Severity.String())
	t.ProcessorLoopGuardRuns.Add(ctx, 1, metric.WithAttributes(
		verdict,
		attribute.String("code", r.Fault.Code),
		attribute.String("coverage", r.Coverage.String()),
		attribute.String("closed_by", r.ClosedBy.String()),
	))
	t.ProcessorLoopGuardRunSteps.Record(ctx, r.Steps, metric.WithAttributes(verdict))
	t.ProcessorLoopGuardRunDuration.Record(ctx, time.Duration(r.DurationNS).Seconds(), metric.WithAttributes(verdict))
	for coverage, n := range r.Calls {
		if n > 0 {
			t.ProcessorLoopGuardCalls.Add(ctx, n, metric.WithAttributes(
				attribute.String("captured", runs.Coverage(coverage).String())))
		}
	}
	for i := range r.Waste.ByCode {
		t.waste(ctx, &r.Waste.ByCode[i])
	}
}

func (t *telemetry) waste(ctx context.Context, w *runs.CodeWaste) {
	code := attribute.String("code", w.Code)
	add := func(kind string, n int64) {
		if n > 0 {
			t.ProcessorLoopGuardWasteTokens.Add(ctx, n, metric.WithAttributes(code, attribute.String("type", kind)))
		}
	}
	add("input", w.InputTokens)
	add("output", w.OutputTokens)
	if w.Cost > 0 {
		t.ProcessorLoopGuardWasteCost.Add(ctx, w.Cost, metric.WithAttributes(code))
	}
}

// Finding counts a finding in the context of the span that carries it, so that
// exemplars lead there.
func (t *telemetry) Finding(traceID pcommon.TraceID, spanID pcommon.SpanID, f *guard.Finding) {
	ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(traceID), SpanID: trace.SpanID(spanID), TraceFlags: trace.FlagsSampled,
	}))
	t.ProcessorLoopGuardFindings.Add(ctx, 1, findingLabels(f))
}

// Retracted counts a finding that the judgement at the end has withdrawn.
func (t *telemetry) Retracted(code string) {
	t.ProcessorLoopGuardFindingsRetracted.Add(context.Background(), 1,
		metric.WithAttributes(attribute.String("code", code)))
}

// Count adds what one batch brought.
func (t *telemetry) Count(c *runs.Counts) {
	ctx := context.Background()
	for kind, n := range c.Spans {
		t.ProcessorLoopGuardSpans.Add(ctx, n, t.spanKind(kind))
	}
	addTo(ctx, t.ProcessorLoopGuardTokens, c.InputTokens, attribute.String("type", "input"))
	addTo(ctx, t.ProcessorLoopGuardTokens, c.OutputTokens, attribute.String("type", "output"))
	addTo(ctx, t.ProcessorLoopGuardLateSpans, c.LateSpans)
	addTo(ctx, t.ProcessorLoopGuardDuplicateSpans, c.DuplicateSpans)
	addTo(ctx, t.ProcessorLoopGuardEvictedRuns, c.EvictedRuns)
}

func addTo(ctx context.Context, counter metric.Int64Counter, n int64, attrs ...attribute.KeyValue) {
	if n != 0 {
		counter.Add(ctx, n, metric.WithAttributes(attrs...))
	}
}

func (t *telemetry) spanKind(k runs.SpanKind) metric.MeasurementOption {
	if o, ok := t.spanKinds.Load(k); ok {
		return o.(metric.MeasurementOption)
	}
	o := metric.WithAttributeSet(attribute.NewSet(
		attribute.String("dialect", k.Dialect.String()),
		attribute.String("kind", k.Kind.String()),
	))
	t.spanKinds.Store(k, o)
	return o
}
