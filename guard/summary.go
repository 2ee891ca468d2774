// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Summary is what a guard has seen. It is plain JSON and holds nothing that
// depends on the clock: durations are the sums of what the steps report.
type Summary struct {
	Steps      int `json:"steps"`
	ToolCalls  int `json:"tool_calls"`
	ToolErrors int `json:"tool_errors"`
	// Tools counts the calls of each tool; of a run's tools, the first 1024.
	Tools  map[string]int `json:"tools"`
	Totals Totals         `json:"totals"`
	State  Streaks        `json:"state"`
	// Findings are those of Guard.Findings, never nil.
	Findings []Finding `json:"findings"`
}

// Totals are the sums of a run.
type Totals struct {
	InputTokens  float64 `json:"input_tokens"`
	OutputTokens float64 `json:"output_tokens"`
	TotalTokens  float64 `json:"total_tokens"`
	CostUSD      float64 `json:"cost_usd"`
	DurationMs   float64 `json:"duration_ms"`
}

// Streaks say how far the detectors of repetition have counted.
type Streaks struct {
	// RepeatedTool is the tool, or the tools, called last, RepeatedCalls how
	// often in a row with the same arguments.
	RepeatedTool  string `json:"repeated_tool,omitempty"`
	RepeatedCalls int    `json:"repeated_calls"`
	// CyclePeriod is the length of the cycle that the run is in; 0 is none.
	CyclePeriod int `json:"cycle_period"`
	// StalledSteps are those in a row without anything new.
	StalledSteps int `json:"stalled_steps"`
}

// Summary sums the run up.
func (g *Guard) Summary() Summary {
	t, s := g.now.Totals, Summary{
		Steps: g.now.Steps, ToolCalls: g.now.Calls, ToolErrors: g.now.Errors,
		Tools: g.toolCounts(), Findings: append([]Finding{}, g.Findings()...),
	}
	s.Totals = Totals{t.Input, t.Output, t.Total, t.Cost, t.StepMs}
	s.State = Streaks{
		RepeatedCalls: g.now.Repeats.Calls.Count, CyclePeriod: g.now.Cycle.Period,
		StalledSteps: g.now.Stall.Count,
	}
	if s.State.RepeatedCalls > 0 {
		s.State.RepeatedTool = g.label(g.now.Repeats.Calls.Ref.Tools)
	}
	return s
}

func (g *Guard) toolCounts() map[string]int {
	counts := map[string]int{}
	for tool, info := range g.tools {
		if n, ok := g.counts.get(tool); ok {
			counts[info.name] += n
		}
	}
	return counts
}

// Report is the summary as a short text, for people and for the context of a
// model. It names tools and counts, no content.
func (g *Guard) Report() string {
	s := g.Summary()
	var b strings.Builder
	fmt.Fprintf(&b, "Steps: %d. Tool calls: %d, of which %d failed.\n", s.Steps, s.ToolCalls, s.ToolErrors)
	for _, tool := range slices.Sorted(maps.Keys(s.Tools)) {
		fmt.Fprintf(&b, "- %s: %d\n", tool, s.Tools[tool])
	}
	if t := s.Totals; t.TotalTokens > 0 || t.CostUSD > 0 {
		fmt.Fprintf(&b, "Tokens: %g in, %g out, %g in all. Cost: %g USD.\n",
			t.InputTokens, t.OutputTokens, t.TotalTokens, t.CostUSD)
	}
	if len(s.Findings) == 0 {
		b.WriteString("Nothing found.\n")
	}
	for _, f := range s.Findings {
		fmt.Fprintf(&b, "%s [%s] from step %d: %s\n", f.Severity, f.Code, f.Step+1, f.Detail)
	}
	return b.String()
}
