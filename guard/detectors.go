// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "github.com/zeebo/xxh3"

// detector is one entry of the list below.
type detector struct {
	reason Reason
	// look sees the current step and reports what it finds.
	look func(*Guard)
	// options tells whether it is off, and its severity (OK: the default).
	options func(*Options) (off bool, severity Severity)
	// words spell a finding when it is asked for; nil if the detector, which
	// then speaks seldom, has said all at once.
	words words
	// code is set for detectors of one and the same fault, repetition: over
	// the same steps the first in the list speaks for all.
	code string
	// weak detectors warn unless they are asked to stop.
	weak bool
}

// detectors are in the order of priority.
var detectors = [...]detector{
	{reason: ReasonFinish, look: finishReason,
		options: func(o *Options) (bool, Severity) { return o.FinishReason.Off, o.FinishReason.Severity }},
	{reason: ReasonBudget, look: budget,
		options: func(o *Options) (bool, Severity) { return o.Budget.Off, o.Budget.Severity }},
	{reason: ReasonMaxSteps, look: maxSteps,
		options: func(o *Options) (bool, Severity) { return o.MaxSteps.Off, o.MaxSteps.Severity }},
	{reason: ReasonToolLimit, look: toolLimit,
		options: func(o *Options) (bool, Severity) { return o.ToolLimit.Off, o.ToolLimit.Severity }},
	{reason: ReasonRepeated, look: repeatedToolCall, words: repeatedWords, code: CodeRepeatedToolCall,
		options: func(o *Options) (bool, Severity) { return o.RepeatedToolCall.Off, o.RepeatedToolCall.Severity }},
	{reason: ReasonOscillation, look: oscillation, words: oscillationWords, code: CodeOscillation,
		options: func(o *Options) (bool, Severity) { return o.Oscillation.Off, o.Oscillation.Severity }},
	{reason: ReasonError, look: repeatedError, words: repeatedErrorWords, code: CodeRepeatedError,
		options: func(o *Options) (bool, Severity) {
			return o.RepeatedError.Off || !o.retrospective, o.RepeatedError.Severity
		}},
	{reason: ReasonRecurring, look: recurringCall, words: recurringWords, code: CodeRecurringCall,
		options: func(o *Options) (bool, Severity) {
			return o.RecurringCall.Off || !o.retrospective, o.RecurringCall.Severity
		}},
	{reason: ReasonDelegation, look: delegationLoop, words: delegationWords, code: CodeDelegationLoop,
		options: func(o *Options) (bool, Severity) {
			return o.DelegationLoop.Off || !o.retrospective, o.DelegationLoop.Severity
		}},
	{reason: ReasonText, look: repeatedText, words: repeatedTextWords, code: CodeRepeatedText,
		options: func(o *Options) (bool, Severity) {
			return o.RepeatedText.Off || !o.retrospective, o.RepeatedText.Severity
		}},
	{reason: ReasonStagnation, look: stagnation, words: stagnationWords, code: CodeStagnation, weak: true,
		options: func(o *Options) (bool, Severity) {
			return o.Stagnation.Off || !o.retrospective, o.Stagnation.Severity
		}},
	{reason: ReasonNoProgress, look: noProgress, words: noProgressWords, code: CodeNoProgress,
		options: func(o *Options) (bool, Severity) { return o.NoProgress.Off, o.NoProgress.Severity }},
	{reason: ReasonErrorStreak, look: errorStreak, words: errorStreakWords, code: CodeErrorStreak, weak: true,
		options: func(o *Options) (bool, Severity) {
			return o.ErrorStreak.Off || !o.retrospective, o.ErrorStreak.Severity
		}},
	{reason: ReasonBurst, look: burst, words: burstWords, code: CodeBurst, weak: true,
		options: func(o *Options) (bool, Severity) { return o.Burst.Off || !o.retrospective, o.Burst.Severity }},
	{reason: ReasonWaiting, look: waiting, words: waitingWords, code: CodeWaiting, weak: true,
		options: func(o *Options) (bool, Severity) { return o.Waiting.Off || !o.retrospective, o.Waiting.Severity }},
	{reason: ReasonCustom, look: custom,
		options: func(o *Options) (bool, Severity) { return false, OK }},
}

// loop reports whether the detector's fault is repetition.
func (d *detector) loop() bool { return d.code != "" }

// hit is what a detector says about the current step.
type hit struct {
	by *active
	// id tells the episodes of one detector apart.
	id   mark
	code string
	// severity is that of the detector when it is OK.
	severity Severity
	grade    Grade
	// call indexes the call in its step; -1 is the model response.
	call  int
	depth int
	count int
	toEnd bool
	facts facts
	// detail and evidence are set where the detector has no words.
	detail   string
	evidence Evidence
}

// warning is the hit as a verdict that does not stop carries it.
func (h *hit) warning(g *Guard) Warning {
	f := g.worded(h)
	w := Warning{Code: h.code, Detail: f.Detail}
	w.Metric, _ = f.Evidence["metric"].(string)
	w.Value, _ = f.Evidence["value"].(float64)
	w.Limit, _ = f.Evidence["limit"].(float64)
	w.Ratio, _ = f.Evidence["ratio"].(float64)
	return w
}

// key is the same for an episode wherever it is met, and never 0.
func (r Reason) key(id mark) uint64 {
	return nonZero(join(xxh3.HashString(string(r)), uint64(id)))
}

// finding turns a hit at a step into a finding that begins there.
func (h *hit) finding(step int) Finding {
	return Finding{
		Key: h.by.reason.key(h.id), Reason: h.by.reason, Code: h.code, Severity: h.severity, Grade: h.grade,
		Step: step, Call: h.call, Depth: h.depth, LastStep: step, ToEnd: h.toEnd, Count: h.count,
		Detail: h.detail, Evidence: h.evidence,
	}
}
