// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"math"
	"time"
)

// Step is one model response and the tool calls it decided. Nothing in it is
// required, and nothing odd in it is an error: what cannot be used is ignored.
type Step struct {
	// Calls beyond the 4096th are not judged.
	Calls []ToolCall `json:"tool_calls,omitempty"`
	// Text is what the model said; "" counts as a text.
	Text string `json:"text,omitempty"`
	// FinishReason is any spelling of the provider's reason; "" says nothing.
	FinishReason string `json:"finish_reason,omitempty"`
	Usage        Usage  `json:"usage,omitzero"`
	// DurationMs is the step's own time in milliseconds.
	DurationMs float64 `json:"duration_ms,omitempty"`
	// Boundary says that a user message opened this step: streaks start
	// afresh.
	Boundary bool `json:"boundary,omitempty"`
	// Start and End are kept in the history. No detector of the zero Options
	// looks at them.
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
}

// ToolCall is one call that the model decided. Each part may be Unknown. A nil
// Result with a nil Error is an outcome of its own ("nothing given") to the
// zero Options, and unknown to Retrospective.
type ToolCall struct {
	Name   string `json:"name"`
	Args   any    `json:"args,omitempty"`
	Result any    `json:"result,omitempty"`
	// Error is what the call failed with; nil, and whatever else is null in
	// JSON, means that it did not fail.
	Error any       `json:"error,omitempty"`
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
}

// Usage is what one step spent. 0 means "not reported"; numbers that are
// negative or not finite are ignored.
type Usage struct {
	InputTokens  float64 `json:"input_tokens,omitempty"`
	OutputTokens float64 `json:"output_tokens,omitempty"`
	// TotalTokens falls back to input plus output.
	TotalTokens float64 `json:"total_tokens,omitempty"`
	CostUSD     float64 `json:"cost_usd,omitempty"`
	// PricedUSD is the part of CostUSD that comes from a price list and not
	// from who ran the model.
	PricedUSD float64 `json:"priced_usd,omitempty"`
}

// CallDigest is a ToolCall without its content.
type CallDigest struct {
	Tool string
	// Args is unknown when zero.
	Args Fingerprint
	// Outcome is unknown when zero.
	Outcome Outcome
	// Delegation marks a nested run that no tool span wraps. It is no tool
	// call; Tool is the agent's name.
	Delegation bool
	// Handoff marks a call that passes control to another agent, which its
	// name or its arguments say. What it returns means nothing.
	Handoff bool
	// Did identifies what a nested run did, its calls and its answer; 0 means
	// not known.
	Did uint64
	// Nested are the runs below this call, from its own inwards, each within
	// the one before it. It may be left out.
	Nested []NestedRun
	// Start and End are unix nanoseconds; 0 means not known.
	Start, End int64
}

// NestedRun is a run below a call.
type NestedRun struct {
	Agent string
	// Task identifies what it was asked for and Did what it did itself,
	// without the runs below it; 0 means not known.
	Task, Did uint64
}

// StepDigest is a Step without its content: all that a detector ever sees.
type StepDigest struct {
	Calls []CallDigest
	// Text is not captured when its Print is 0.
	Text TextDigest
	// Echo is the Print of what the model had said last, as the input of this
	// step holds it; 0 is not known.
	Echo uint64
	// Asked says that the response asks for tools which Calls do not show.
	Asked bool
	// Finish is trimmed, in lower case and has '-' for '_'; "" means not
	// reported. Retrospective takes it for what NormalFinish makes of it.
	Finish     string
	Usage      Usage
	DurationMs float64
	// Boundary says that a user message opened this step.
	Boundary bool
	// Start and End are unix nanoseconds; 0 means not known.
	Start, End int64
}

// nothingGiven is the outcome of a call with neither result nor error.
var nothingGiven = Outcome{Fingerprint: FingerprintOf("\x00nothing given")}

// Step digests a step: what Guard.Check does first.
func (d *Digester) Step(s Step) StepDigest {
	return d.step(s, func(string) []string { return nil })
}

// step digests a step; keys names the arguments that identify a call of a tool
// (nil: all of them).
func (d *Digester) step(s Step, keys func(tool string) []string) StepDigest {
	out := StepDigest{
		Text: d.Text(s.Text), Finish: normalFinish(s.FinishReason),
		Usage: s.Usage, DurationMs: s.DurationMs, Boundary: s.Boundary,
		Start: nanos(s.Start), End: nanos(s.End),
	}
	if len(s.Calls) == 0 {
		return out
	}
	out.Calls = make([]CallDigest, len(s.Calls))
	for i, c := range s.Calls {
		out.Calls[i] = CallDigest{
			Tool: c.Name, Args: d.ArgsValue(c.Args, keys(c.Name)...), Outcome: d.outcome(c),
			Start: nanos(c.Start), End: nanos(c.End),
		}
	}
	return out
}

func (d *Digester) outcome(c ToolCall) Outcome {
	if c.Error != nil {
		if o := d.ErrorValue(c.Error); o.Exact != nullNode.exact {
			return o
		}
	}
	if c.Result != nil {
		return d.ResultValue(c.Result)
	}
	return nothingGiven
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// usable is the number if a total may count it, else 0.
func usable(v float64) float64 {
	if v > 0 && !math.IsInf(v, 1) {
		return v
	}
	return 0
}
