// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/scan"
	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

// maxRows bounds the table: all of it is held until the end.
const maxRows = 10_000

// textReport writes a summary and a table with a row for each run.
type textReport struct {
	*notes
	w       io.Writer
	options Options
	rows    []row
	left    int // Rows that the table had no room for.
	misses  []string
}

var _ Report = (*textReport)(nil)

type row struct {
	file, verdict, code, grade, agent string
	steps, calls, tokens, waste       string
	coverage, when, trace             string
}

// Run adds a row.
func (t *textReport) Run(file string, run *runs.Run) error {
	t.nearMisses(run)
	if run.Severity <= runs.OK && !t.options.All {
		return nil
	}
	r := row{
		file: file, verdict: run.Severity.String(), code: run.Fault.Code, grade: string(run.Fault.Grade),
		agent: printable(run.Agent), steps: fmt.Sprint(run.Steps), calls: fmt.Sprint(run.ToolCalls),
		waste: wasteOf(&run.Waste), coverage: run.Coverage.String(),
		when: when(run.Start), trace: run.Trace.String(),
	}
	if run.HasTokens {
		r.tokens = fmt.Sprintf("%d / %d", run.InputTokens, run.OutputTokens)
	}
	t.add(r)
	return nil
}

// vetoes say what kept a near miss from being found.
var vetoes = map[guard.Veto]string{
	guard.VetoExempt:    "the tool is ignored",
	guard.VetoPoll:      "the run was waiting",
	guard.VetoOutcome:   "an outcome changed",
	guard.VetoBoundary:  "a user's message came in between",
	guard.VetoThreshold: "it was one short of the threshold",
}

// nearMisses adds a line for each near miss of a run.
func (t *textReport) nearMisses(run *runs.Run) {
	for i := range run.NearMisses {
		m := &run.NearMisses[i]
		if len(t.misses) < maxRows {
			t.misses = append(t.misses, fmt.Sprintf(" %s step %d: %s, but %s. (%s)", run.Trace, m.Step, m.Code,
				cmp.Or(vetoes[m.Veto], string(m.Veto)), printable(strings.TrimSuffix(m.Detail, "."))))
		}
	}
}

// History adds a row for a span that was judged by its history.
func (t *textReport) History(file string, span ptrace.Span, c *runs.Crossing) error {
	t.add(row{
		file: file, verdict: c.Severity.String(), code: c.Code, grade: string(c.Grade),
		when: when(int64(span.StartTimestamp())), trace: span.TraceID().String(),
	})
	return nil
}

func (t *textReport) add(r row) {
	if len(t.rows) < maxRows {
		t.rows = append(t.rows, r)
	} else {
		t.left++
	}
}

// Spans is not called.
func (t *textReport) Spans(ptrace.Traces) error { return nil }

func wasteOf(w *runs.Waste) string {
	var parts []string
	if w.Steps > 0 {
		parts = append(parts, count(w.Steps, "step"))
	}
	if n := w.InputTokens + w.OutputTokens; n > 0 {
		parts = append(parts, count(n, "token"))
	}
	if w.Cost > 0 {
		parts = append(parts, fmt.Sprintf("cost %.4g", w.Cost))
	}
	return strings.Join(parts, ", ")
}

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func when(ns int64) string {
	if ns <= 0 {
		return ""
	}
	return time.Unix(0, ns).UTC().Format(time.DateTime)
}

// printable leaves out what could do something to a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

// Close writes all of it.
func (t *textReport) Close(s *scan.Summary) error {
	if err := writeSummary(t.w, s); err != nil {
		return err
	}
	if err := t.writeTable(); err != nil || len(t.misses) == 0 {
		return err
	}
	_, err := fmt.Fprintf(t.w, "\nNearly found:\n%s\n", strings.Join(t.misses, "\n"))
	return err
}

func (t *textReport) writeTable() error {
	if len(t.rows) == 0 {
		return nil
	}
	slices.SortStableFunc(t.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.when, b.when), cmp.Compare(a.trace, b.trace))
	})
	if _, err := fmt.Fprintf(t.w, "\n%s\n", t.table()); err != nil || t.left == 0 {
		return err
	}
	_, err := fmt.Fprintf(t.w, "and %d more; --format jsonl has them all\n", t.left)
	return err
}

func (t *textReport) table() string {
	w := table.NewWriter()
	w.SetStyle(table.StyleDefault)
	w.Style().Options = table.OptionsNoBordersAndSeparators
	w.Style().Format.Header = text.FormatDefault
	header := table.Row{"VERDICT", "CODE", "GRADE", "AGENT", "STEPS", "CALLS", "TOKENS IN / OUT", "WASTE", "COVERAGE", "WHEN (UTC)", "TRACE"}
	if t.options.Files {
		header = append(header, "FILE")
	}
	w.AppendHeader(header)
	for _, r := range t.rows {
		line := table.Row{t.coloured(r.verdict), r.code, r.grade, r.agent, r.steps, r.calls, r.tokens, r.waste, r.coverage, r.when, r.trace}
		if t.options.Files {
			line = append(line, printable(r.file))
		}
		w.AppendRow(line)
	}
	var lines []string
	for line := range strings.Lines(w.Render()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n")
}

var colours = map[string]text.Color{"ok": text.FgGreen, "warn": text.FgYellow, "stop": text.FgRed}

func (t *textReport) coloured(verdict string) string {
	if !t.options.Colour {
		return verdict
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colours[verdict], verdict)
}

// writeSummary writes the figures of a scan and what is to be known about them.
func writeSummary(w io.Writer, s *scan.Summary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %d of them from agents.\n", count(int64(s.Files), "file"), count(s.Spans, "span"), s.AgentSpans)
	b.WriteString(count(s.Runs, "run"))
	if s.Histories > 0 {
		fmt.Fprintf(&b, ", and %s judged by their message history", count(s.Histories, "model span"))
	}
	fmt.Fprintf(&b, ": %d stop, %d warn, %d ok", s.Verdicts["stop"], s.Verdicts["warn"], s.Verdicts["ok"])
	if s.PoorCoverage > 0 {
		fmt.Fprintf(&b, " (%d of these with poor coverage: no clean bill)", s.PoorCoverage)
	}
	b.WriteString(".\n")
	if len(s.Findings) > 0 {
		var codes []string
		for _, code := range slices.Sorted(maps.Keys(s.Findings)) {
			codes = append(codes, fmt.Sprintf("%s %d", code, s.Findings[code]))
		}
		fmt.Fprintf(&b, "Findings: %s.\n", strings.Join(codes, ", "))
	}
	if s.WasteSteps > 0 {
		fmt.Fprintf(&b, "Spent after a guard would have stopped: %s, %d tokens in, %d out", count(s.WasteSteps, "step"), s.WasteInputTokens, s.WasteOutputTokens)
		if s.WasteCost > 0 {
			fmt.Fprintf(&b, ", cost %.4g", s.WasteCost)
		}
		b.WriteString(".\n")
	}
	writeCaveats(&b, s)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeCaveats says what may be wrong with the figures.
func writeCaveats(b *strings.Builder, s *scan.Summary) {
	if s.Skipped > 0 {
		fmt.Fprintf(b, "Skipped: %s without traces.\n", count(int64(s.Skipped), "file"))
	}
	if s.BadLines > 0 {
		fmt.Fprintf(b, "Skipped: %s that could not be read.\n", count(s.BadLines, "line"))
	}
	if s.Duplicates > 0 {
		fmt.Fprintf(b, "Ignored: %s that came twice.\n", count(s.Duplicates, "span"))
	}
	if s.Late > 0 {
		fmt.Fprintf(b, "Outside the window: %s came too late in the file; their runs may be judged in parts. Give a longer --window, or more --max-memory.\n",
			count(s.Late, "span"))
	}
	if s.EvictedRuns > 0 {
		fmt.Fprintf(b, "Judged early at a limit: %s. Give more --max-memory, or higher limits in the configuration.\n", count(s.EvictedRuns, "run"))
	}
	if s.Spans > 0 && s.AgentSpans == 0 {
		b.WriteString("No span was recognised as an agent's, a model's or a tool's.\n")
	}
}
