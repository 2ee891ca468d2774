// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Output is what the file exporter wrote, by trace.
type Output map[pcommon.TraceID][]ptrace.Span

// ReadOutput reads the file exporter's output, one OTLP/JSON message a line.
func ReadOutput(path string) (Output, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the file exporter's output: %w", err)
	}
	defer file.Close()
	_, written, err := readLines(file)
	if err != nil {
		return nil, fmt.Errorf("read the file exporter's output %s: %w", path, err)
	}
	output := Output{}
	for _, td := range written {
		for _, span := range spans(td) {
			output[span.TraceID()] = append(output[span.TraceID()], span)
		}
	}
	return output, nil
}

// Spans returns the spans of the given traces.
func (o Output) Spans(traces ...pcommon.TraceID) []ptrace.Span {
	var all []ptrace.Span
	for _, id := range traces {
		all = append(all, o[id]...)
	}
	return all
}

// Run is what loop_guard wrote on the span of an agent run.
type Run struct {
	Span     ptrace.Span
	Agent    string
	Verdict  string // ok, warn or stop
	Code     string // such as REPEATED_TOOL_CALL; empty if the verdict is ok
	Grade    string
	State    string
	Coverage string

	Steps        int64
	ToolCalls    int64
	InputTokens  int64
	OutputTokens int64

	Onset *Onset // nil if the verdict is ok
	Waste Waste
}

// Onset is the place at which the guard would have stopped the run.
type Onset struct {
	Step   int64 // 0-based
	SpanID string
}

// Waste is what the run spent after the onset.
type Waste struct {
	Steps        int64
	ToolCalls    int64
	InputTokens  int64
	OutputTokens int64
	Duration     time.Duration
}

// Runs returns the runs whose span is among the given ones. A container that stands in for a run's span has no totals and is none.
func Runs(spans []ptrace.Span) []Run {
	var runs []Run
	for _, span := range spans {
		if a := attributes(span.Attributes()); a.has("loop_guard.run.steps") {
			runs = append(runs, run(span, a))
		}
	}
	return runs
}

func run(span ptrace.Span, a attributes) Run {
	r := Run{
		Span:         span,
		Agent:        a.str("loop_guard.run.agent"),
		Verdict:      a.str("loop_guard.verdict"),
		Code:         a.str("loop_guard.code"),
		Grade:        a.str("loop_guard.grade"),
		State:        a.str("loop_guard.state"),
		Coverage:     a.str("loop_guard.coverage"),
		Steps:        a.int("loop_guard.run.steps"),
		ToolCalls:    a.int("loop_guard.run.tool_calls"),
		InputTokens:  a.int("loop_guard.run.input_tokens"),
		OutputTokens: a.int("loop_guard.run.output_tokens"),
		Waste: Waste{
			Steps:        a.int("loop_guard.waste.steps"),
			ToolCalls:    a.int("loop_guard.waste.tool_calls"),
			InputTokens:  a.int("loop_guard.waste.input_tokens"),
			OutputTokens: a.int("loop_guard.waste.output_tokens"),
			Duration:     a.milliseconds("loop_guard.waste.duration_ms"),
		},
	}
	if a.has("loop_guard.onset.step") {
		r.Onset = &Onset{Step: a.int("loop_guard.onset.step"), SpanID: a.str("loop_guard.onset.span_id")}
	}
	return r
}

// Finding is a span at which a run crossed a threshold.
type Finding struct {
	Span        ptrace.Span
	Code        string
	Severity    string // warn or stop
	Grade       string
	Reason      string // from the span event, as is Explanation
	Explanation string
}

// Findings returns the crossings among the given spans. A crossing whose event is missing has no reason.
func Findings(spans []ptrace.Span) []Finding {
	var findings []Finding
	for _, span := range spans {
		a := attributes(span.Attributes())
		if !a.has("loop_guard.finding.code") {
			continue
		}
		f := Finding{
			Span:     span,
			Code:     a.str("loop_guard.finding.code"),
			Severity: a.str("loop_guard.finding.severity"),
			Grade:    a.str("loop_guard.finding.grade"),
		}
		for _, event := range span.Events().All() {
			if e := attributes(event.Attributes()); event.Name() == "gen_ai.evaluation.result" && e.str("loop_guard.code") == f.Code {
				f.Reason, f.Explanation = e.str("loop_guard.reason"), e.str("gen_ai.evaluation.explanation")
			}
		}
		findings = append(findings, f)
	}
	return findings
}

// attributes reads values that may be absent; absent is empty or zero.
type attributes pcommon.Map

func (a attributes) has(key string) bool {
	_, ok := pcommon.Map(a).Get(key)
	return ok
}

func (a attributes) str(key string) string {
	v, ok := pcommon.Map(a).Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

func (a attributes) int(key string) int64 {
	v, ok := pcommon.Map(a).Get(key)
	if !ok {
		return 0
	}
	return v.Int()
}

func (a attributes) milliseconds(key string) time.Duration {
	v, ok := pcommon.Map(a).Get(key)
	if !ok {
		return 0
	}
	return time.Duration(v.Double() * float64(time.Millisecond))
}
