// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// Reason names the detector that spoke.
type Reason string

// The reasons, in order of priority.
const (
	ReasonFinish      Reason = "finish-reason"
	ReasonBudget      Reason = "budget"
	ReasonMaxSteps    Reason = "max-steps"
	ReasonToolLimit   Reason = "tool-limit"
	ReasonRepeated    Reason = "repeated-tool-call"
	ReasonOscillation Reason = "oscillation"
	ReasonError       Reason = "repeated-error"
	ReasonRecurring   Reason = "recurring-call"
	ReasonDelegation  Reason = "delegation-loop"
	ReasonText        Reason = "repeated-text"
	ReasonStagnation  Reason = "stagnation"
	ReasonNoProgress  Reason = "no-progress"
	ReasonErrorStreak Reason = "error-streak"
	ReasonBurst       Reason = "burst"
	ReasonWaiting     Reason = "waiting"
	ReasonCustom      Reason = "custom"
)

// The codes of the findings, finer than reasons and as stable.
const (
	CodeFinishTerminal      = "FINISH_TERMINAL"
	CodeFinishOther         = "FINISH_OTHER"
	CodeFinishOtherTextOnly = "FINISH_OTHER_TEXT_ONLY"
	CodeBudgetTotalTokens   = "BUDGET_TOTAL_TOKENS"
	CodeBudgetInputTokens   = "BUDGET_INPUT_TOKENS"
	CodeBudgetOutputTokens  = "BUDGET_OUTPUT_TOKENS"
	CodeBudgetCostUSD       = "BUDGET_COST_USD"
	CodeBudgetDurationMs    = "BUDGET_DURATION_MS"
	CodeBudgetWarning       = "BUDGET_WARNING"
	CodeMaxSteps            = "MAX_STEPS"
	CodeToolCallLimit       = "TOOL_CALL_LIMIT"
	CodeRepeatedToolCall    = "REPEATED_TOOL_CALL"
	CodeOscillation         = "OSCILLATION"
	CodeRepeatedError       = "REPEATED_ERROR"
	CodeRecurringCall       = "RECURRING_CALL"
	CodeDelegationLoop      = "DELEGATION_LOOP"
	CodeRepeatedText        = "REPEATED_TEXT"
	CodeStagnation          = "STAGNATION"
	CodeSelfAppend          = "SELF_APPEND"
	CodeSweep               = "SWEEP"
	CodeNoProgress          = "NO_PROGRESS"
	CodeErrorStreak         = "TOOL_ERROR_STREAK"
	CodeBurst               = "BURST"
	CodeWaiting             = "WAITING"
	CodeCustom              = "CUSTOM"
)

// Evidence holds what a verdict rests on, by the names of the detector's
// table: numbers, strings, booleans and short lists of these.
type Evidence map[string]any

// Verdict is the answer to one step. It is plain JSON.
type Verdict struct {
	Stop bool `json:"stop"`
	// Reason to Evidence are set when Stop is.
	Reason   Reason    `json:"reason,omitempty"`
	Code     string    `json:"code,omitempty"`
	Detail   string    `json:"detail,omitempty"`
	Evidence Evidence  `json:"evidence,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
}

// Warning is something to know that is no reason to stop. Metric to Ratio are
// set for budget warnings.
type Warning struct {
	Code   string  `json:"code"`
	Metric string  `json:"metric,omitempty"`
	Value  float64 `json:"value,omitempty"`
	Limit  float64 `json:"limit,omitempty"`
	// Ratio is value / limit.
	Ratio  float64 `json:"ratio,omitempty"`
	Detail string  `json:"detail"`
}

// IsFault reports whether a verdict stops the run for anything but a model
// that finished normally, with a plain "stop".
func IsFault(v Verdict) bool {
	return v.Stop && (v.Reason != ReasonFinish || v.Evidence["normalized"] != plainStop)
}
