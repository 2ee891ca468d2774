// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package tag

// Namespace begins every attribute of ours. It is a name of our own, as the
// naming rules of the semantic conventions ask of what they do not define.
const Namespace = "loop_guard."

// What is written on the span of a run.
const (
	Verdict           = Namespace + "verdict"
	Coverage          = Namespace + "coverage"
	Code              = Namespace + "code"
	Grade             = Namespace + "grade"
	State             = Namespace + "state"
	Findings          = Namespace + "findings"
	ClosedBy          = Namespace + "closed_by"
	OnsetStep         = Namespace + "onset.step"
	OnsetSpanID       = Namespace + "onset.span_id"
	NestedVerdict     = Namespace + "nested.verdict"
	NestedRunID       = Namespace + "nested.run_id"
	RunAgent          = Namespace + "run.agent"
	RunPartial        = Namespace + "run.partial"
	RunSteps          = Namespace + "run.steps"
	RunToolCalls      = Namespace + "run.tool_calls"
	RunToolErrors     = Namespace + "run.tool_errors"
	RunInputTokens    = Namespace + "run.input_tokens"
	RunOutputTokens   = Namespace + "run.output_tokens"
	RunCost           = Namespace + "run.cost"
	WasteSteps        = Namespace + "waste.steps"
	WasteToolCalls    = Namespace + "waste.tool_calls"
	WasteInputTokens  = Namespace + "waste.input_tokens"
	WasteOutputTokens = Namespace + "waste.output_tokens"
	WasteCost         = Namespace + "waste.cost"
	WasteDurationMS   = Namespace + "waste.duration_ms"
)

// What is written on the span at which a threshold was reached.
const (
	FindingCode     = Namespace + "finding.code"
	FindingSeverity = Namespace + "finding.severity"
	FindingGrade    = Namespace + "finding.grade"
)

// The event that says a finding: the convention for verdicts since semantic
// conventions v1.38.0, and what we add to it.
const (
	EvaluationEvent       = "gen_ai.evaluation.result"
	EvaluationName        = "gen_ai.evaluation.name"
	EvaluationLabel       = "gen_ai.evaluation.score.label"
	EvaluationExplanation = "gen_ai.evaluation.explanation"

	Reason         = Namespace + "reason"
	RunID          = Namespace + "run.id"
	EvidencePrefix = Namespace + "evidence."
)

// What the scanner of stored traces, which has whole runs in hand, writes on
// every call of a loop, beside RunID: how many calls of the loop were like this
// one so far, from 1.
const CallRepeat = Namespace + "call.repeat"
