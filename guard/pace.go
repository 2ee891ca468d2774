// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "math"

// pace measures how long a run has waited, for its tools and for nothing at
// all. The time that its models took does not count: a slow model is no wait.
type pace struct {
	// Idle is the sum in nanoseconds.
	Idle int64
	// Lead is when the last response had its first call under way, or else was
	// complete; 0 is not known.
	Lead int64
	// Tempo counts the rounds.
	Tempo tempo
	// Begun is the idle time at the last round, Bare says that the round was
	// merely acknowledged.
	Begun int64
	Bare  bool
}

func (p *pace) add(s *StepDigest) {
	lead := s.lead()
	start := s.Start
	if start == 0 {
		start = lead
	}
	if p.Lead != 0 && start > p.Lead {
		// As unsigned numbers the difference of any two times fits.
		wait := min(uint64(start)-uint64(p.Lead), math.MaxInt64/2)
		p.Idle = min(p.Idle+int64(wait), math.MaxInt64/2)
	}
	if lead != 0 {
		p.Lead = lead
	}
}

// lead is when the model had nothing more to do with the step.
func (s *StepDigest) lead() int64 {
	var first int64
	for i := range s.Calls {
		if at := s.Calls[i].Start; at != 0 && (first == 0 || at < first) {
			first = at
		}
	}
	switch {
	case first != 0:
		return first
	case s.End != 0:
		return s.End
	default:
		return s.Start
	}
}

// round counts a round, and whether it is slow: it began so long after the one
// before. A pause is a call too, such as "sleep": the short way into it does not
// make a poll any faster, so that the slow way out of it counts twice.
func (p *pace) round(least int64) {
	if p.Tempo.Rounds > 0 && p.Idle-p.Begun >= least {
		p.Tempo.Slows++
		if p.Bare {
			p.Tempo.Slows++
		}
	}
	p.Tempo.Rounds++
	p.Begun = p.Idle
}

// rounds counts those of the run.
func (g *Guard) rounds() int { return int(g.now.Pace.Tempo.Rounds) }

// tempo is how many rounds a run has had, and how many of them were slow.
type tempo struct {
	Rounds, Slows int32
}

// waits tells a poll from a loop by its gaps: those from one repetition to the
// next that are slow, and those that are not.
type waits struct {
	Slow, Fast int32
}

// add takes the gap from a repetition to the next. It is slow if most rounds of
// it are.
func (w *waits) add(a, b tempo) {
	if 2*(b.Slows-a.Slows) > b.Rounds-a.Rounds {
		w.Slow++
	} else {
		w.Fast++
	}
}

// slow reports whether the median gap is.
func (w waits) slow() bool { return w.Slow > w.Fast }
