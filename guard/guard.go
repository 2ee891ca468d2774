// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// Guard judges one run, step by step. It is not safe for concurrent use.
type Guard struct {
}

// New checks the options and starts a guard for one run.
func New(o Options) (*Guard, error) { return &Guard{}, nil }

// Fresh is a guard for another run with the same options; it shares all that
// does not change, so it costs little.
func (g *Guard) Fresh() *Guard { return &Guard{} }

// Check records a step and judges it.
func (g *Guard) Check(s Step) Verdict { return Verdict{} }

// CheckDigest is Check for a step that is digested already.
func (g *Guard) CheckDigest(s StepDigest) Verdict { return Verdict{} }

// Amend replaces the last step, which has grown, and judges it again, as if
// the step had been so from the start.
func (g *Guard) Amend(s StepDigest) Verdict { return Verdict{} }

// End says that the run is over.
func (g *Guard) End() {}

// Reset forgets the run and keeps the options.
func (g *Guard) Reset() {}

// Findings are the episodes so far in order of crossing.
func (g *Guard) Findings() []Finding { return nil }

// Verdict is the finding that stands for the run: the earliest stop, else the
// earliest warning, else the zero Finding with severity OK.
func (g *Guard) Verdict() Finding { return Finding{} }

// Size estimates the bytes of state that the guard holds.
func (g *Guard) Size() int { return 0 }
