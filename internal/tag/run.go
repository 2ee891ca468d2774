// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package tag

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

func putRun(attrs pcommon.Map, run *runs.Run) {
	putVerdict(attrs, &run.Verdict)
	attrs.PutStr(Coverage, run.Coverage.String())
	if run.Agent != "" {
		attrs.PutStr(RunAgent, run.Agent)
	}
	if run.ClosedBy != runs.BySpan {
		attrs.PutStr(ClosedBy, run.ClosedBy.String())
	}
	if run.Partial {
		attrs.PutBool(RunPartial, true)
	}
	putTotals(attrs, run)
	if run.Severity <= runs.OK {
		return
	}
	if s := run.Fault.State; s != "" {
		attrs.PutStr(State, string(s))
	}
	putFindings(attrs, run.Findings)
	putWaste(attrs, &run.Waste)
}

func putVerdict(attrs pcommon.Map, v *runs.Verdict) {
	attrs.PutStr(Verdict, v.Severity.String())
	if v.Severity <= runs.OK {
		return
	}
	attrs.PutStr(Code, v.Fault.Code)
	if v.Fault.Grade != "" {
		attrs.PutStr(Grade, string(v.Fault.Grade))
	}
	attrs.PutInt(OnsetStep, int64(v.OnsetStep))
	if !v.OnsetSpan.IsEmpty() {
		attrs.PutStr(OnsetSpanID, v.OnsetSpan.String())
	}
}

func putTotals(attrs pcommon.Map, run *runs.Run) {
	attrs.PutInt(RunSteps, run.Steps)
	attrs.PutInt(RunToolCalls, run.ToolCalls)
	attrs.PutInt(RunToolErrors, run.ToolErrors)
	if run.HasTokens {
		attrs.PutInt(RunInputTokens, run.InputTokens)
		attrs.PutInt(RunOutputTokens, run.OutputTokens)
	}
	if run.HasCost {
		attrs.PutDouble(RunCost, run.Cost)
	}
}

// putFindings lists the codes in order of crossing when there is more to say
// than the verdict's own.
func putFindings(attrs pcommon.Map, findings []guard.Finding) {
	if len(findings) < 2 {
		return
	}
	list := attrs.PutEmptySlice(Findings)
	list.EnsureCapacity(len(findings))
	for i := range findings {
		list.AppendEmpty().SetStr(findings[i].Code)
	}
}

// putWaste leaves out what was not spent.
func putWaste(attrs pcommon.Map, w *runs.Waste) {
	putPositive(attrs, WasteSteps, w.Steps)
	putPositive(attrs, WasteToolCalls, w.ToolCalls)
	putPositive(attrs, WasteInputTokens, w.InputTokens)
	putPositive(attrs, WasteOutputTokens, w.OutputTokens)
	if w.Cost > 0 {
		attrs.PutDouble(WasteCost, w.Cost)
	}
	if w.DurationNS > 0 {
		attrs.PutDouble(WasteDurationMS, float64(w.DurationNS)/1e6)
	}
}

func putPositive(attrs pcommon.Map, key string, n int64) {
	if n > 0 {
		attrs.PutInt(key, n)
	}
}
