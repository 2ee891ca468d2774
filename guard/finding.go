// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "fmt"

// Severity says what a finding asks for.
type Severity int

// OK is the severity of no finding; in options it stands for the default.
const (
	OK Severity = iota
	Warn
	Stop
)

// String is "ok", "warn" or "stop".
func (s Severity) String() string {
	switch s {
	case Warn:
		return "warn"
	case Stop:
		return "stop"
	default:
		return "ok"
	}
}

// MarshalText makes a severity a word in JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads such a word.
func (s *Severity) UnmarshalText(text []byte) error {
	for _, k := range []Severity{OK, Warn, Stop} {
		if k.String() == string(text) {
			*s = k
			return nil
		}
	}
	return fmt.Errorf("severity %q: allowed are ok, warn and stop", text)
}

// Grade is the strength of a finding's evidence.
type Grade string

// Confirmed: known outcomes repeat. ArgsOnly: arguments known, outcomes not.
// ResultsOnly: outcomes known, arguments not. Findings about finish reasons,
// budgets and limits have no grade.
const (
	Confirmed   Grade = "confirmed"
	ArgsOnly    Grade = "args_only"
	ResultsOnly Grade = "results_only"
)

// State says how an episode ended; it is empty while the episode is open.
type State string

// Recovered: progress resumed. EndedInLoop: the run ended inside the episode.
const (
	Recovered   State = "recovered"
	EndedInLoop State = "ended_in_loop"
)

// Finding is one episode of one fault in a run.
type Finding struct {
	// Key tells one episode of a run from another: the detector and the
	// identity of what repeats, hashed. It is the same however often, and in
	// whatever portions, the run is judged.
	Key      uint64   `json:"-"`
	Reason   Reason   `json:"reason"`
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Grade    Grade    `json:"grade,omitempty"`
	State    State    `json:"state,omitempty"`
	// Step is the crossing: the step, from 0, at which the threshold was
	// reached.
	Step int `json:"step"`
	// Call indexes the crossing call in its step; -1 is the model response.
	Call int `json:"call"`
	// Depth indexes the crossing call's Nested, if it is one of these runs at
	// which the threshold was reached; 0 is the call itself.
	Depth int `json:"depth,omitempty"`
	// LastStep is the last step that repeated, at least Step.
	LastStep int `json:"last_step"`
	// ToEnd says that waste runs to the run's end (budgets and limits).
	ToEnd bool `json:"to_end,omitempty"`
	Count int  `json:"count"`
	// Waste lists the steps that were spent on the fault after the crossing,
	// up to the last that repeated. A loop that stopped and came back has
	// more than one span.
	Waste []Span `json:"waste,omitempty"`
	// Also lists the codes of weaker findings over the same steps.
	Also []string `json:"also,omitempty"`
	// Detail is a sentence made of code, tool and counts, never of content.
	Detail   string   `json:"detail"`
	Evidence Evidence `json:"evidence,omitempty"`
}

// Span is a stretch of steps, First to Last, both included.
type Span struct {
	First int `json:"first"`
	Last  int `json:"last"`
}
