// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// detector is one entry of the list below.
type detector struct {
	reason Reason
	// look sees the current step and reports what it finds.
	look func(*Guard)
	// options tells whether it is off, and its severity (OK: the default).
	options func(*Options) (off bool, severity Severity)
	// code is set for detectors of one and the same fault, repetition: over
	// the same steps the first in the list speaks for all.
	code string
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
	{reason: ReasonRepeated, look: repeatedToolCall, code: CodeRepeatedToolCall,
		options: func(o *Options) (bool, Severity) { return o.RepeatedToolCall.Off, o.RepeatedToolCall.Severity }},
	{reason: ReasonOscillation, look: oscillation, code: CodeOscillation,
		options: func(o *Options) (bool, Severity) { return o.Oscillation.Off, o.Oscillation.Severity }},
	{reason: ReasonNoProgress, look: noProgress, code: CodeNoProgress,
		options: func(o *Options) (bool, Severity) { return o.NoProgress.Off, o.NoProgress.Severity }},
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
	call     int
	count    int
	toEnd    bool
	detail   string
	evidence Evidence
}

// warning is the hit as a verdict that does not stop carries it.
func (h *hit) warning() Warning {
	w := Warning{Code: h.code, Detail: h.detail}
	w.Metric, _ = h.evidence["metric"].(string)
	w.Value, _ = h.evidence["value"].(float64)
	w.Limit, _ = h.evidence["limit"].(float64)
	w.Ratio, _ = h.evidence["ratio"].(float64)
	return w
}

// finding turns a hit at a step into a finding that begins there.
func (h *hit) finding(step int) Finding {
	return Finding{
		Reason: h.by.reason, Code: h.code, Severity: h.severity, Grade: h.grade,
		Step: step, Call: h.call, LastStep: step, ToEnd: h.toEnd, Count: h.count,
		Detail: h.detail, Evidence: h.evidence,
	}
}
