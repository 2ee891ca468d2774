// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"bytes"
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// Mark is everything we have to say on one span.
type Mark struct {
	// Run is set on a run's own span.
	Run *Run
	// Container is set on a container that is, for all we know, the span of a
	// run that has a finding, and on a model span whose own history has one.
	Container *Verdict
	// Nested is the worst verdict among the runs below, if there are any.
	Nested Nested
	// Crossings are the findings whose threshold was reached at this span.
	Crossings []Crossing
	// Call is set on the calls of a loop, if Settings.MarkCalls asks for it.
	Call *LoopCall
}

// LoopCall says of a call that it is part of a loop.
type LoopCall struct {
	// Run is as in Crossing.
	Run string
	// Repeat counts the calls of the loop that are like this one, from 1.
	Repeat int64
}

// Crossing is a finding said at the span where its threshold was reached.
type Crossing struct {
	guard.Finding
	// Run is the span id of the run's span or of the still open span above,
	// hexadecimal.
	Run string
	// At is when the crossing ended; 0 if that is not known any more.
	At pcommon.Timestamp
}

// Verdict is the judgement on a run.
type Verdict struct {
	Severity Severity
	// Fault is the finding that made the verdict; its Code is empty when the
	// run is ok.
	Fault guard.Finding
	// OnsetStep and OnsetSpan say where the guard would have stopped.
	OnsetStep int
	OnsetSpan pcommon.SpanID
}

// Severity of a verdict. The zero value says that there is none.
type Severity uint8

// The verdicts, in rising order.
const (
	None Severity = iota
	OK
	Warn
	Stop
)

// String is the spelling of loop_guard.verdict.
func (s Severity) String() string {
	return [...]string{"", "ok", "warn", "stop"}[s&3]
}

// Nested names the worst run below another, the earliest of several.
type Nested struct {
	Severity Severity
	Run      pcommon.SpanID
	start    int64
}

func (n Nested) worse(other Nested) Nested {
	rank := cmp.Or(
		cmp.Compare(other.Severity, n.Severity),
		cmp.Compare(n.start, other.start),
		bytes.Compare(n.Run[:], other.Run[:]),
	)
	if rank > 0 {
		return other
	}
	return n
}

// Coverage says what the calls of a run showed.
type Coverage uint8

// The coverages. A part is covered when it is known for every call.
const (
	CoverageNone Coverage = iota // No calls, and neither messages nor finish reasons.
	CoverageNamesOnly
	CoverageNoArguments
	CoverageNoResults
	CoverageFull
	coverages
)

// String is the spelling of loop_guard.coverage.
func (c Coverage) String() string {
	return [...]string{"none", "names_only", "no_arguments", "no_results", "full"}[c%coverages]
}

func coverageOf(args, results bool) Coverage {
	switch {
	case args && results:
		return CoverageFull
	case args:
		return CoverageNoResults
	case results:
		return CoverageNoArguments
	default:
		return CoverageNamesOnly
	}
}

// ClosedBy says what ended a run.
type ClosedBy uint8

// The ends of a run.
const (
	BySpan ClosedBy = iota // Its own span arrived.
	ByIdle
	ByLimit
	ByShutdown
)

// String is the spelling of loop_guard.closed_by.
func (c ClosedBy) String() string {
	return [...]string{"span", "idle", "limit", "shutdown"}[c&3]
}

// Run is a closed run. Its totals are its own: nested runs are not in them.
type Run struct {
	Verdict

	Trace    pcommon.TraceID
	Span     pcommon.SpanID // Empty when the run has no span of its own.
	Agent    string
	Coverage Coverage
	ClosedBy ClosedBy
	Partial  bool // It had begun before we saw it.
	Nested   Nested
	Start    int64 // Unix nanoseconds.

	Spent
	ToolErrors int64
	HasTokens  bool
	HasCost    bool
	// Calls counts the tool calls by what each of them showed.
	Calls      [coverages]int64
	DurationNS int64

	// Findings are all findings in order of crossing; Waste has one entry for
	// each of them, zero for warnings.
	Findings []guard.Finding
	Waste    Waste
	// NearMisses is what was nearly found, if the guard's options ask for it.
	NearMisses []guard.NearMiss
}

// Spent is what a run, or a part of it, used up.
type Spent struct {
	Steps        int64
	ToolCalls    int64
	InputTokens  int64
	OutputTokens int64
	Cost         float64
}

// Waste is what a run spent after its stop findings.
type Waste struct {
	Spent
	DurationNS int64
	// ByCode shares the same spending out among the codes; overlaps go to the
	// finding that crossed first.
	ByCode []CodeWaste
}

// CodeWaste is the waste of one code.
type CodeWaste struct {
	Code string
	Spent
}
