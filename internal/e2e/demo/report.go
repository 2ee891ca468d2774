// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/internal/e2e"
)

// report prints verdicts for people.
type report struct {
	out    io.Writer
	colour bool
}

func (r report) line(text string) { fmt.Fprintln(r.out, text) }

func (r report) field(name, value string) { fmt.Fprintf(r.out, "  %-8s %s\n", name, value) }

// sample prints the verdicts among the spans that came out for s.
func (r report) sample(s sample, spans []ptrace.Span) error {
	runs := e2e.Runs(spans)
	if len(runs) == 0 {
		return fmt.Errorf("none of the %d spans that came out for %s has a verdict", len(spans), s.file)
	}
	fmt.Fprintf(r.out, "\n%s (testdata/traces/%s)\n", s.title, s.file)
	for _, run := range runs {
		r.run(run, spans)
	}
	return nil
}

func (r report) run(run e2e.Run, spans []ptrace.Span) {
	r.field("agent", run.Agent)
	r.field("verdict", r.verdict(run))
	r.field("run", list(
		count(run.Steps, "step"),
		count(run.ToolCalls, "tool call"),
		tokens(run.InputTokens, run.OutputTokens),
	))
	if run.Onset == nil {
		return
	}
	r.field("stop at", fmt.Sprintf("step %d, counting from 0: %s", run.Onset.Step, place(run.Onset.SpanID, spans)))
	if why := explanation(run, spans); why != "" {
		r.field("because", why)
	}
	r.field("waste", waste(run.Waste))
}

// verdict is the verdict with its code, and the strength of the evidence if the code has one.
func (r report) verdict(run e2e.Run) string {
	words := []string{run.Verdict}
	if run.Code != "" {
		words = append(words, run.Code)
	}
	verdict := r.paint(run.Verdict, strings.Join(words, " "))
	if run.Grade != "" {
		verdict += " (" + strings.ReplaceAll(run.Grade, "_", " ") + ")"
	}
	return verdict
}

// paint colours text by the verdict: red, yellow and green.
func (r report) paint(verdict, text string) string {
	colour, known := map[string]string{"stop": "31", "warn": "33", "ok": "32"}[verdict]
	if !r.colour || !known {
		return text
	}
	return "\x1b[1;" + colour + "m" + text + "\x1b[0m"
}

// place names the span at which the guard would have stopped the run.
func place(spanID string, spans []ptrace.Span) string {
	for _, span := range spans {
		if span.SpanID().String() == spanID {
			return fmt.Sprintf("%s (span %s)", span.Name(), spanID)
		}
	}
	return "span " + spanID
}

// explanation is what the span event at the crossing says about the run's verdict.
func explanation(run e2e.Run, spans []ptrace.Span) string {
	for _, finding := range e2e.Findings(spans) {
		if finding.Code == run.Code {
			return finding.Explanation
		}
	}
	return ""
}

func waste(w e2e.Waste) string {
	if w == (e2e.Waste{}) {
		return "nothing"
	}
	return list(
		count(w.Steps, "step"),
		count(w.ToolCalls, "tool call"),
		tokens(w.InputTokens, w.OutputTokens),
		w.Duration.Round(time.Millisecond).String(),
	) + " after that"
}

func count(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.FormatInt(n, 10) + " " + unit + "s"
}

func tokens(input, output int64) string {
	return fmt.Sprintf("%d tokens in, %d out", input, output)
}

func list(parts ...string) string { return strings.Join(parts, ", ") }
