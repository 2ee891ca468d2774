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
	// Ended is when all calls of the last response had come back, or it had
	// none; 0 is not known.
	Ended int64
	// Tempo counts the rounds.
	Tempo tempo
	// Begun is the idle time at the last round, Bare says that the round was
	// merely acknowledged.
	Begun int64
	Bare  bool
	// Rested is that part of Tempo.Rest which was over at the last round.
	Rested int32
}

func (p *pace) add(s *StepDigest) {
	lead := s.lead()
	start := s.Start
	if start == 0 {
		start = lead
	}
	p.Idle = min(p.Idle+between(p.Lead, start), math.MaxInt64/2)
	rested := p.Ended
	if p.Bare {
		rested = p.Lead // The call was the pause.
	}
	p.Tempo.rest(between(rested, s.Start))
	if lead != 0 {
		p.Lead = lead
	}
	p.Ended = s.ended()
}

// between is the time from a to b in nanoseconds, 0 if one is not known.
func between(a, b int64) int64 {
	if a == 0 || b <= a {
		return 0
	}
	// As unsigned numbers the difference of any two times fits.
	return int64(min(uint64(b)-uint64(a), math.MaxInt64/2))
}

// ended is when nothing of the step was under way any more.
func (s *StepDigest) ended() int64 {
	last := s.End
	for i := range s.Calls {
		if s.Calls[i].End == 0 {
			return 0
		}
		last = max(last, s.Calls[i].End)
	}
	return last
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
	if p.Tempo.Rounds > 0 && int64(p.Tempo.Rest-p.Rested) >= least/1e6 {
		p.Tempo.Longs++
	}
	p.Rested = p.Tempo.Rest
	p.Tempo.Rounds++
	p.Begun = p.Idle
}

// rounds counts those of the run.
func (g *Guard) rounds() int { return int(g.now.Pace.Tempo.Rounds) }

// tempo is how many rounds a run has had, and how many of them were slow.
type tempo struct {
	Rounds, Slows int32
	// Rest is the sum in milliseconds of the time in which neither a model nor
	// a tool was at work, but for tools that merely pass it.
	Rest int32
	// Longs counts the rounds ahead of which that was long.
	Longs int32
}

func (t *tempo) rest(ns int64) {
	t.Rest = int32(min(int64(t.Rest)+ns/1e6, math.MaxInt32))
}

// waits tells a poll from a loop by its gaps: those from one repetition to the
// next that are slow, and those that are not.
type waits struct {
	Slow, Fast int32
	// Backed counts those with a pause that is long, or longer than the last
	// one by half, Pressed those without. Pause is the last one in
	// milliseconds.
	Backed, Pressed int32
	Pause           int32
}

// leastPause is in milliseconds what makes a retry one after a pause.
const leastPause = 1000

// add takes the gap from a repetition to the next. It is slow if most rounds of
// it are.
func (w *waits) add(a, b tempo) {
	if 2*(b.Slows-a.Slows) > b.Rounds-a.Rounds {
		w.Slow++
	} else {
		w.Fast++
	}
	w.pause(b.Rest-a.Rest, b.Longs > a.Longs)
}

func (w *waits) pause(ms int32, long bool) {
	if long || ms >= leastPause && 2*int64(ms) >= 3*int64(w.Pause) {
		w.Backed++
	} else {
		w.Pressed++
	}
	w.Pause = ms
}

// backed reports whether what fails is tried again after a pause that is long or
// grows, more often than not.
func (w waits) backed() bool { return w.Backed > w.Pressed }

// slow reports whether the median gap is.
func (w waits) slow() bool { return w.Slow > w.Fast }
