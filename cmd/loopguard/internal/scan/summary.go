// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

// Summary adds up all files of a scan.
type Summary struct {
	Files   int `json:"files"`
	Skipped int `json:"skipped_files"` // Those of a directory that are no traces.
	// BadLines were skipped; Late spans came when the window had passed.
	BadLines int64 `json:"bad_lines"`
	Late     int64 `json:"spans_outside_window"`

	Spans      int64 `json:"spans"`
	AgentSpans int64 `json:"agent_spans"`
	Duplicates int64 `json:"duplicate_spans"`

	Runs int64 `json:"runs"`
	// Histories counts findings about model spans that tell of their run
	// themselves.
	Histories    int64            `json:"judged_by_history"`
	Verdicts     map[string]int64 `json:"verdicts"`
	Findings     map[string]int64 `json:"findings"`
	Coverage     map[string]int64 `json:"coverage"`            // Runs by what they showed.
	PoorCoverage int64            `json:"ok_on_poor_coverage"` // Runs.
	EvictedRuns  int64            `json:"evicted_runs"`

	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	// The waste of all runs.
	WasteSteps        int64   `json:"waste_steps"`
	WasteInputTokens  int64   `json:"waste_input_tokens"`
	WasteOutputTokens int64   `json:"waste_output_tokens"`
	WasteCost         float64 `json:"waste_cost,omitempty"`
}

func newSummary() Summary {
	return Summary{Verdicts: map[string]int64{}, Findings: map[string]int64{}, Coverage: map[string]int64{}}
}

// Worst is the worst verdict of all.
func (s *Summary) Worst() runs.Severity {
	switch {
	case s.Verdicts[runs.Stop.String()] > 0:
		return runs.Stop
	case s.Verdicts[runs.Warn.String()] > 0:
		return runs.Warn
	default:
		return runs.OK
	}
}

// Below counts the runs that showed less than this.
func (s *Summary) Below(c runs.Coverage) int64 {
	var n int64
	for less := runs.CoverageNone; less < c; less++ {
		n += s.Coverage[less.String()]
	}
	return n
}

func (s *Summary) run(r *runs.Run) {
	s.Runs++
	s.Coverage[r.Coverage.String()]++
	s.Verdicts[r.Severity.String()]++
	if r.Severity == runs.OK && r.Coverage != runs.CoverageFull {
		s.PoorCoverage++
	}
	for i := range r.Findings {
		s.Findings[r.Findings[i].Code]++
	}
	s.WasteSteps += r.Waste.Steps
	s.WasteInputTokens += r.Waste.InputTokens
	s.WasteOutputTokens += r.Waste.OutputTokens
	s.WasteCost += r.Waste.Cost
}

func (s *Summary) history(c *runs.Crossing) {
	s.Histories++
	s.Verdicts[c.Severity.String()]++
	s.Findings[c.Code]++
}

// sink hears what the tracker finds out.
type sink Scanner

var _ runs.Sink = (*sink)(nil)

// Run takes in a closed run.
func (s *sink) Run(r *runs.Run) {
	s.Summary.run(r)
	(*Scanner)(s).fail(s.options.Output.Run(s.file, r))
}

// Finding does nothing: runs come with their findings.
func (s *sink) Finding(pcommon.TraceID, pcommon.SpanID, *guard.Finding) {}

// Retracted does nothing: what is reported is final.
func (s *sink) Retracted(string) {}

// Count takes in what a batch brought.
func (s *sink) Count(c *runs.Counts) {
	for _, n := range c.Spans {
		s.Summary.AgentSpans += n
	}
	s.Summary.InputTokens += c.InputTokens
	s.Summary.OutputTokens += c.OutputTokens
	s.Summary.Duplicates += c.DuplicateSpans
	s.Summary.EvictedRuns += c.EvictedRuns
}
