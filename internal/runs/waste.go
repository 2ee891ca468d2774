// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"slices"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// wasteSum adds up what a run spent in the steps that its stop findings call
// wasted. A step that several findings claim counts once, for the one that
// crossed first.
type wasteSum struct {
	findings []guard.Finding
	byCode   []Spent // Parallel to findings.
	open     bool    // The previous step was the crossing or part of the waste.
	since    int64   // When the steps of the current stretch began to be waste.
	until    int64   // When the last of them ended.
	duration int64
}

func newWaste(findings []guard.Finding) *wasteSum {
	return &wasteSum{findings: findings, byCode: make([]Spent, len(findings))}
}

// step adds step number n, whose calls have been counted.
func (w *wasteSum) step(n int, s *stepper, calls int64) {
	owner := w.owner(n)
	if owner < 0 {
		w.close()
		w.until = max(w.until, s.step.End)
		return
	}
	if !w.open {
		w.open, w.since = true, w.until
	}
	w.until = max(w.until, s.step.End)
	spent := &w.byCode[owner]
	spent.Steps++
	spent.ToolCalls += calls
	spent.InputTokens += int64(s.step.Usage.InputTokens)
	spent.OutputTokens += int64(s.step.Usage.OutputTokens)
	spent.Cost += s.step.Usage.CostUSD
}

// owner returns the first stop finding that claims step n, -1 if none does.
func (w *wasteSum) owner(n int) int {
	for i := range w.findings {
		f := &w.findings[i]
		if f.Severity == guard.Stop && slices.ContainsFunc(f.Waste, func(s guard.Span) bool { return s.First <= n && n <= s.Last }) {
			return i
		}
	}
	return -1
}

// close ends a stretch of wasted steps.
func (w *wasteSum) close() {
	if w.open && w.since > 0 && w.until > w.since {
		w.duration += w.until - w.since
	}
	w.open = false
}

func (w *wasteSum) sum() Waste {
	w.close()
	out := Waste{DurationNS: w.duration}
	for i, spent := range w.byCode {
		if spent == (Spent{}) {
			continue
		}
		out.Spent.add(spent)
		out.ByCode = append(out.ByCode, CodeWaste{Code: w.findings[i].Code, Spent: spent})
	}
	return out
}

func (s *Spent) add(o Spent) {
	s.Steps += o.Steps
	s.ToolCalls += o.ToolCalls
	s.InputTokens += o.InputTokens
	s.OutputTokens += o.OutputTokens
	s.Cost += o.Cost
}
