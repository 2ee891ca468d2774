// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "time"

// Options tunes a guard. The zero value is the rule set of the seed libraries
// to the letter; Retrospective is the one for finished runs read from
// telemetry. A zero number stands for its default.
type Options struct {
	FinishReason     FinishReason
	Budget           Budget
	MaxSteps         MaxSteps
	ToolLimit        ToolLimit
	RepeatedToolCall RepeatedToolCall
	Oscillation      Oscillation
	DelegationLoop   DelegationLoop
	RepeatedText     RepeatedText
	Stagnation       Stagnation
	NoProgress       NoProgress
	// The detectors from here on are for Retrospective only.
	RepeatedError RepeatedError
	RecurringCall RecurringCall
	ErrorStreak   ErrorStreak
	Burst         Burst
	Waiting       Waiting
	// Custom detectors run after all others, in order.
	Custom []Detector

	// Tools holds rules for tools by glob on their names (as path.Match).
	// When several match, one Ignore ignores, the smallest MaxCalls limits
	// and the longest glob with a Key gives the key.
	Tools map[string]Tool
	// NoOpTools are names of tools that are ignored. nil is none for the zero
	// Options and DefaultNoOpTools for Retrospective.
	NoOpTools []string
	// Sameness says what makes two values the same for Retrospective.
	Sameness Sameness
	// NoHistory keeps no steps, only digests. Custom detectors need them.
	NoHistory bool
	// NearMisses lets Retrospective tell what it has nearly found
	// (Guard.WhyNot). The run is then judged six times over.
	NearMisses bool
	// Now is the wall clock for the duration budget; nil is time.Now.
	// Retrospective takes the time from the steps and never asks for it.
	Now func() time.Time

	retrospective bool
}

// FinishReason judges how a response ended.
type FinishReason struct {
	Off      bool
	Severity Severity
	// Terminal are the reasons that stop (default stop, length,
	// content-filter, error; without stop for Retrospective).
	Terminal []string
	// OtherPolicy is for reasons that are neither terminal nor tool-calls
	// (default StopIfTextOnly).
	OtherPolicy OtherPolicy
}

// OtherPolicy says what an unfamiliar finish reason means.
type OtherPolicy string

// StopIfTextOnly stops when a step has text and no tool calls.
const (
	StopIfTextOnly OtherPolicy = "stop-if-text-only"
	StopOnOther    OtherPolicy = "stop"
	ContinueOther  OtherPolicy = "continue"
)

// Budget limits what a run may spend in sum. A limit is spent when it is
// reached. Limits of 0 are none.
type Budget struct {
	Off          bool
	Severity     Severity
	TotalTokens  Limit
	InputTokens  Limit
	OutputTokens Limit
	CostUSD      Limit
	// DurationMs is compared with the larger of the summed step durations
	// and the wall-clock time.
	DurationMs Limit
	// WarnAt is the default for the limits' own.
	WarnAt float64
}

// Limit is one budget.
type Limit struct {
	Max float64
	// WarnAt is the share of Max, above 0 and below 1, from which steps carry
	// a warning; 0 is never.
	WarnAt float64
}

// MaxSteps stops when Limit steps (default 50) are recorded.
type MaxSteps struct {
	Off      bool
	Severity Severity
	Limit    int
}

// ToolLimit enforces the MaxCalls of Options.Tools.
type ToolLimit struct {
	Off      bool
	Severity Severity
}

// RepeatedToolCall finds the same call made again and again.
type RepeatedToolCall struct {
	Off      bool
	Severity Severity
	// Threshold (default 3, at least 2) counts equal calls in a row.
	Threshold int
	// RequireIdenticalResults counts only calls with equal outcomes. It is
	// set by Retrospective.
	RequireIdenticalResults bool
	// IgnoreErrors leaves failed calls out.
	IgnoreErrors bool
	// ArgsOnlyThreshold counts calls whose outcomes are unknown, when
	// identical results are required. The default is 5 for Retrospective,
	// and never for the zero Options.
	ArgsOnlyThreshold int
	// ResultsOnlyThreshold counts equal informative outcomes of calls whose
	// arguments are unknown; defaults as before.
	ResultsOnlyThreshold int
}

// Oscillation finds cycles of calls.
type Oscillation struct {
	Off      bool
	Severity Severity
	// MaxPeriod is the longest cycle looked for, 2 to 32 (default 3; 32 for
	// Retrospective).
	MaxPeriod int
	// Repeats is the number of full cycles (default 3, at least 2).
	Repeats int
	// ArgsOnlyRepeats is for Retrospective when outcomes or arguments are
	// unknown (default 5).
	ArgsOnlyRepeats int
}

// DelegationLoop finds agents that pass a task round in a circle, or down to
// themselves. It is for Retrospective only.
type DelegationLoop struct {
	Off      bool
	Severity Severity
	// Repeats (default 3, at least 2) counts the laps of the circle, or the
	// nested runs with the same task, if it is known what the agents did, or
	// what they were asked for.
	Repeats int
	// NamesOnlyRepeats (default 5) is for agents of which only the names are
	// known: whoever writes and reviews in turn does the same.
	NamesOnlyRepeats int
}

// RepeatedText finds models that say the same again and again and call no
// tool. It is for Retrospective only.
type RepeatedText struct {
	Off      bool
	Severity Severity
	// Threshold (default 3, at least 2) counts equal responses in a row.
	Threshold int
	// MinWords (default 20) is the length from which equal texts count by
	// themselves; shorter ones have to be in the next input, or to make that
	// grow.
	MinWords int
}

// Stagnation finds tools that are called in ever new ways to the same end. It
// warns. It is for Retrospective only.
type Stagnation struct {
	Off      bool
	Severity Severity
	// Threshold (default 5, at least 2) counts calls of a tool with different
	// or unknown arguments and one informative outcome; see
	// Sameness.MinResultChars.
	Threshold int
	// SelfAppendThreshold (default 6, at least 2) counts inputs of which each
	// goes on where the last one ended.
	SelfAppendThreshold int
	// SweepThreshold (default 6, at least 2) counts ranges that are covered
	// once more after the tool went back to the start.
	SweepThreshold int
}

// NoProgress finds steps in a row that say the same and learn nothing new.
type NoProgress struct {
	Off      bool
	Severity Severity
	// Threshold counts such steps (default 3, at least 2).
	Threshold int
}

// RepeatedError finds a tool that fails with one and the same error, whatever
// its arguments and whatever lies between.
type RepeatedError struct {
	Off      bool
	Severity Severity
	// Threshold counts such rounds of the tool (default 3, at least 2).
	Threshold int
}

// RecurringCall finds calls that come again with the outcome they had, with
// other calls between or beside them.
type RecurringCall struct {
	Off bool
	// Severity is that of both rules (default Stop for many calls, Warn for
	// one).
	Severity Severity
	// Seen of the last Window calls (defaults 5 and 8, at most 64) that were
	// seen before are many.
	Window, Seen int
	// Threshold counts one call since the last boundary (default 3, at least
	// 2).
	Threshold int
}

// ErrorStreak finds rounds in a row in which all calls fail.
type ErrorStreak struct {
	Off bool
	// Severity is Warn by default.
	Severity Severity
	// Threshold counts such rounds (default 5, at least 2).
	Threshold int
}

// Burst finds one response that makes the same call many times.
type Burst struct {
	Off bool
	// Severity is Warn by default.
	Severity Severity
	// Threshold counts identical calls (default 5, at least 2).
	Threshold int
}

// Waiting tells polls, which are no loops: an outcome names work that goes on
// ("pending"), or the tools and the time between the calls take so long. Off
// takes polls for the loops that they look like.
type Waiting struct {
	Off bool
	// Severity is Warn by default.
	Severity Severity
	// MinGap (default 10 s) is the median time from the start of a call to the
	// model's next request, from which a repetition is a poll.
	MinGap time.Duration
	// MaxDuration is how long a poll may last until it is a finding; 0 is for
	// ever.
	MaxDuration time.Duration
}

// Tool is a rule for the tools that a glob matches.
type Tool struct {
	// Ignore leaves the calls out of every detector but the call limit.
	Ignore bool
	// Key names the only top-level arguments that tell two calls apart.
	Key []string
	// MaxCalls is how often each such tool may be called in a run; 0 is as
	// often as it likes.
	MaxCalls int
}

// Retrospective are the options for judging runs after the fact, from
// telemetry in which parts may be missing: rounds instead of calls, outcomes
// that must repeat, a grade on every finding. MaxSteps is off.
func Retrospective() Options {
	return Options{
		MaxSteps:         MaxSteps{Off: true},
		RepeatedToolCall: RepeatedToolCall{RequireIdenticalResults: true},
		NoHistory:        true,
		retrospective:    true,
	}
}
