// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package tag

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

var repeated = guard.Finding{
	Reason: "repeated-tool-call", Code: "REPEATED_TOOL_CALL", Severity: guard.Stop, Grade: guard.Confirmed,
	State: guard.EndedInLoop, Step: 2, LastStep: 4, Detail: "search was called 5 times.",
	Evidence: guard.Evidence{
		"tool": strings.Repeat("x", 100), "count": 5, "ratio": float32(0.5), "identical_results": true,
		"step_indexes": []int{0, 1, 2}, "cycle": []string{"a", "b"}, "args_preview": `{"q":"secret"}`, "n": uint8(3),
	},
}

func stopped() *runs.Mark {
	return &runs.Mark{
		Run: &runs.Run{
			Verdict: runs.Verdict{Severity: runs.Stop, Fault: repeated, OnsetStep: 2, OnsetSpan: pcommon.SpanID{1}},
			Agent:   "main", Coverage: runs.CoverageFull, ClosedBy: runs.ByIdle, Partial: true,
			Spent: runs.Spent{Steps: 5, ToolCalls: 5, InputTokens: 100, OutputTokens: 10, Cost: 1}, HasTokens: true, HasCost: true,
			Findings: []guard.Finding{repeated, {Code: "BURST"}},
			Waste:    runs.Waste{Spent: runs.Spent{Steps: 2, ToolCalls: 2, InputTokens: 40, OutputTokens: 4, Cost: 0.5}, DurationNS: 1_500_000},
		},
		Nested:    runs.Nested{Severity: runs.Warn, Run: pcommon.SpanID{2}},
		Crossings: []runs.Crossing{{Finding: repeated, Run: "0100000000000000", At: 7}},
	}
}

func ok() *runs.Mark {
	return &runs.Mark{Run: &runs.Run{
		Verdict: runs.Verdict{Severity: runs.OK}, Coverage: runs.CoverageNone, Spent: runs.Spent{Steps: 1},
	}}
}

func newSpan() ptrace.Span {
	s := ptrace.NewSpan()
	s.SetName("invoke_agent main")
	s.SetEndTimestamp(9)
	s.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
	s.Events().AppendEmpty().SetName("exception")
	return s
}

var noScope = pcommon.NewInstrumentationScope()

func TestRunSpanSaysAllOfTheContract(t *testing.T) {
	s := newSpan()
	New(Options{}).Write(noScope, s, stopped())
	assert.Equal(t, map[string]any{
		"gen_ai.operation.name":          "invoke_agent",
		"loop_guard.verdict":             "stop",
		"loop_guard.code":                "REPEATED_TOOL_CALL",
		"loop_guard.grade":               "confirmed",
		"loop_guard.state":               "ended_in_loop",
		"loop_guard.onset.step":          int64(2),
		"loop_guard.onset.span_id":       "0100000000000000",
		"loop_guard.coverage":            "full",
		"loop_guard.run.agent":           "main",
		"loop_guard.closed_by":           "idle",
		"loop_guard.run.partial":         true,
		"loop_guard.run.steps":           int64(5),
		"loop_guard.run.tool_calls":      int64(5),
		"loop_guard.run.tool_errors":     int64(0),
		"loop_guard.run.input_tokens":    int64(100),
		"loop_guard.run.output_tokens":   int64(10),
		"loop_guard.run.cost":            1.0,
		"loop_guard.findings":            []any{"REPEATED_TOOL_CALL", "BURST"},
		"loop_guard.waste.steps":         int64(2),
		"loop_guard.waste.tool_calls":    int64(2),
		"loop_guard.waste.input_tokens":  int64(40),
		"loop_guard.waste.output_tokens": int64(4),
		"loop_guard.waste.cost":          0.5,
		"loop_guard.waste.duration_ms":   1.5,
		"loop_guard.nested.verdict":      "warn",
		"loop_guard.nested.run_id":       "0200000000000000",
		"loop_guard.finding.code":        "REPEATED_TOOL_CALL",
		"loop_guard.finding.severity":    "stop",
		"loop_guard.finding.grade":       "confirmed",
	}, s.Attributes().AsRaw())
}

func TestHealthyRunSaysLittle(t *testing.T) {
	s := newSpan()
	New(Options{}).Write(noScope, s, ok())
	assert.Equal(t, map[string]any{
		"gen_ai.operation.name": "invoke_agent", "loop_guard.verdict": "ok", "loop_guard.coverage": "none",
		"loop_guard.run.steps": int64(1), "loop_guard.run.tool_calls": int64(0), "loop_guard.run.tool_errors": int64(0),
	}, s.Attributes().AsRaw(), "what is not reported is absent, not 0")
}

func TestEventIsTheConventionForVerdicts(t *testing.T) {
	s := newSpan()
	New(Options{Events: true}).Write(noScope, s, stopped())
	e := s.Events().At(1)
	assert.Equal(t, "gen_ai.evaluation.result", e.Name())
	assert.EqualValues(t, 7, e.Timestamp(), "the end of the crossing")
	assert.Equal(t, map[string]any{
		"gen_ai.evaluation.name":                "loop_guard.repeated_tool_call",
		"gen_ai.evaluation.score.label":         "stop",
		"gen_ai.evaluation.explanation":         "search was called 5 times.",
		"loop_guard.code":                       "REPEATED_TOOL_CALL",
		"loop_guard.reason":                     "repeated-tool-call",
		"loop_guard.grade":                      "confirmed",
		"loop_guard.run.id":                     "0100000000000000",
		"loop_guard.evidence.tool":              strings.Repeat("x", 64),
		"loop_guard.evidence.count":             5.0,
		"loop_guard.evidence.ratio":             0.5,
		"loop_guard.evidence.n":                 3.0,
		"loop_guard.evidence.identical_results": "true",
		"loop_guard.evidence.step_indexes":      "0,1,2",
		"loop_guard.evidence.cycle":             "a,b",
	}, e.Attributes().AsRaw(), "no content without evidence_previews")
}

func TestPreviewsAreCutAtACharacter(t *testing.T) {
	s := newSpan()
	preview := func(pcommon.InstrumentationScope, ptrace.Span) (string, string) { return strings.Repeat("é", 200), "" }
	New(Options{Events: true, Preview: preview}).Write(noScope, s, stopped())
	v, found := s.Events().At(1).Attributes().Get("loop_guard.evidence.args_preview")
	assert.True(t, found)
	assert.Equal(t, strings.Repeat("é", 128), v.Str())
	_, found = s.Events().At(1).Attributes().Get("loop_guard.evidence.result_preview")
	assert.False(t, found)
}

func TestWritingTwiceIsWritingOnce(t *testing.T) {
	w := New(Options{Events: true})
	for _, m := range []*runs.Mark{stopped(), ok()} {
		once, twice := newSpan(), newSpan()
		w.Write(noScope, once, m)
		w.Write(noScope, twice, stopped())
		w.Write(noScope, twice, m)
		assert.Equal(t, once.Attributes().AsRaw(), twice.Attributes().AsRaw())
		assert.Equal(t, once.Events().Len(), twice.Events().Len())
	}
}

func TestNothingElseChanges(t *testing.T) {
	s := newSpan()
	s.Events().AppendEmpty().SetName("gen_ai.evaluation.result") // Somebody else's.
	New(Options{Events: true}).Write(noScope, s, ok())
	assert.Equal(t, 2, s.Events().Len())
	assert.Equal(t, "invoke_agent main", s.Name())
	assert.EqualValues(t, 9, s.EndTimestamp())
	assert.Equal(t, ptrace.StatusCodeUnset, s.Status().Code())
}

func TestFaultsOnly(t *testing.T) {
	w := New(Options{FaultsOnly: true})
	s := newSpan()
	w.Write(noScope, s, ok())
	assert.Equal(t, 1, s.Attributes().Len())
	w.Write(noScope, s, &runs.Mark{Container: &runs.Verdict{Severity: runs.Warn, Fault: guard.Finding{Code: "BURST"}}})
	v, _ := s.Attributes().Get(Verdict)
	assert.Equal(t, "warn", v.Str())
	_, found := s.Attributes().Get(RunSteps)
	assert.False(t, found, "containers carry no totals")
}

func TestSeverestOfSeveralFindings(t *testing.T) {
	s := newSpan()
	warn := runs.Crossing{Finding: guard.Finding{Code: "BURST", Severity: guard.Warn}}
	New(Options{Events: true}).Write(noScope, s, &runs.Mark{Crossings: []runs.Crossing{warn, {Finding: repeated}}})
	v, _ := s.Attributes().Get(FindingCode)
	assert.Equal(t, "REPEATED_TOOL_CALL", v.Str())
	assert.Equal(t, 3, s.Events().Len(), "an event for each")
	assert.EqualValues(t, 9, s.Events().At(1).Timestamp(), "the span's end where the crossing's is not known")
}

func TestACallOfALoopSaysItsRunAndItsRepeat(t *testing.T) {
	s := newSpan()
	m := &runs.Mark{Call: &runs.LoopCall{Run: "0100000000000000", Repeat: 4}}
	New(Options{FaultsOnly: true}).Write(noScope, s, m)
	run, _ := s.Attributes().Get("loop_guard.run.id")
	assert.Equal(t, "0100000000000000", run.Str())
	repeat, _ := s.Attributes().Get("loop_guard.call.repeat")
	assert.Equal(t, int64(4), repeat.Int())
}
