// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/scan"
	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
	"github.com/agentloopguard/loopguardprocessor/internal/tag"
)

// record is a run, or a span that was judged by its own history, as JSON: what
// its attributes say under their names, dots being levels, and more.
type record map[string]any

func runRecord(file string, run *runs.Run) record {
	r := record{}
	for key, v := range tag.Attributes(run).All() {
		r.put(strings.TrimPrefix(key, tag.Namespace), v)
	}
	r.locate(file, run.Trace, run.Span)
	r["start_time"] = time.Unix(0, run.Start).UTC().Format(time.RFC3339Nano)
	r["duration_ms"] = float64(run.DurationNS) / 1e6
	if len(run.Findings) > 0 {
		r["findings"] = run.Findings
	}
	if len(run.NearMisses) > 0 {
		r["near_misses"] = run.NearMisses
	}
	return r
}

func historyRecord(file string, span ptrace.Span, c *runs.Crossing) record {
	r := record{
		"verdict": c.Severity.String(), "code": c.Code, "judged_by": "history",
		"start_time": span.StartTimestamp().AsTime().Format(time.RFC3339Nano),
		"findings":   []guard.Finding{c.Finding},
	}
	if c.Grade != "" {
		r["grade"] = c.Grade
	}
	r.locate(file, span.TraceID(), span.SpanID())
	return r
}

func (r record) locate(file string, trace pcommon.TraceID, span pcommon.SpanID) {
	r["file"], r["trace_id"] = file, trace.String()
	if !span.IsEmpty() {
		r["span_id"] = span.String()
	}
}

// put sets a value under a path with dots.
func (r record) put(path string, v pcommon.Value) {
	at := map[string]any(r)
	for {
		head, rest, deeper := strings.Cut(path, ".")
		if !deeper {
			at[head] = v.AsRaw()
			return
		}
		next, ok := at[head].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[head] = next
		}
		at, path = next, rest
	}
}

// linesReport writes a run a line.
type linesReport struct {
	*notes
	w io.Writer
}

var _ Report = (*linesReport)(nil)

// Run writes a run.
func (l *linesReport) Run(file string, run *runs.Run) error {
	return l.write(runRecord(file, run))
}

// History writes a span that was judged by its history.
func (l *linesReport) History(file string, span ptrace.Span, c *runs.Crossing) error {
	return l.write(historyRecord(file, span, c))
}

func (l *linesReport) write(r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("marshal run: %w", err)
	}
	_, err = l.w.Write(append(b, '\n'))
	return err
}

// Spans is not called.
func (l *linesReport) Spans(ptrace.Traces) error { return nil }

// Close writes nothing: a line is a run.
func (l *linesReport) Close(*scan.Summary) error { return nil }

// jsonReport writes one document: {"runs": […], "summary": {…}}.
type jsonReport struct {
	*notes
	w     io.Writer
	begun bool
}

var _ Report = (*jsonReport)(nil)

// Run writes a run.
func (j *jsonReport) Run(file string, run *runs.Run) error {
	return j.write(runRecord(file, run))
}

// History writes a span that was judged by its history.
func (j *jsonReport) History(file string, span ptrace.Span, c *runs.Crossing) error {
	return j.write(historyRecord(file, span, c))
}

func (j *jsonReport) write(r record) error {
	b, err := json.MarshalIndent(r, "  ", " ")
	if err != nil {
		return fmt.Errorf("marshal run: %w", err)
	}
	before := ",\n  "
	if !j.begun {
		before = "{\"runs\": [\n  "
	}
	j.begun = true
	_, err = fmt.Fprintf(j.w, "%s%s", before, b)
	return err
}

// Spans is not called.
func (j *jsonReport) Spans(ptrace.Traces) error { return nil }

// Close writes the summary.
func (j *jsonReport) Close(s *scan.Summary) error {
	b, err := json.MarshalIndent(s, " ", " ")
	if err != nil {
		return fmt.Errorf("marshal summary: %w", err)
	}
	if !j.begun {
		if _, err := io.WriteString(j.w, `{"runs": [`); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(j.w, "\n],\n\"summary\": %s}\n", b)
	return err
}
