// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"io"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/scan"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

// otlpReport writes the spans as they came, with their tags, as OTLP/JSON, a
// request a line and a trace a request.
type otlpReport struct {
	*notes
	w io.Writer
}

var _ Report = (*otlpReport)(nil)

// Run writes nothing: the run's span has it.
func (o *otlpReport) Run(string, *runs.Run) error { return nil }

// History writes nothing: the span has it.
func (o *otlpReport) History(string, ptrace.Span, *runs.Crossing) error { return nil }

// Spans writes a request.
func (o *otlpReport) Spans(td ptrace.Traces) error {
	b, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	if err != nil {
		return fmt.Errorf("marshal spans: %w", err)
	}
	_, err = o.w.Write(append(b, '\n'))
	return err
}

// Close has the summary said beside the spans.
func (o *otlpReport) Close(s *scan.Summary) error {
	return writeSummary(o.notes.w, s)
}
