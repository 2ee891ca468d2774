// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	"fmt"
	"iter"
)

// Loop is an agent for Run.
type Loop struct {
	// Step makes step i, from 0: it calls the model and runs its tools.
	Step func(ctx context.Context, i int) (Step, error)
	// Done says whether a step was the agent's last. nil is: one without tool
	// calls.
	Done func(Step) bool
	// Guard judges the run; nil is one with the zero Options.
	Guard *Guard
	// OnVerdict, if any, gets every verdict.
	OnVerdict func(Verdict)
}

// Result is how Run ended.
type Result struct {
	Steps   []Step
	Verdict Verdict
	// Completed says that the agent ended the run itself, without a fault.
	Completed bool
	// Aborted says that the context was done before a step.
	Aborted bool
}

// Run makes steps until the agent is done, the guard says stop, a step fails or
// the context is done. The context is looked at before each step; a step that is
// under way has to look at it itself. The error is that of a step; the result
// then holds the steps before it.
func Run(ctx context.Context, l Loop) (Result, error) {
	var r Result
	if l.Guard == nil {
		// The zero options are valid.
		l.Guard, _ = New(Options{})
	}
	for i := 0; ; i++ {
		if ctx.Err() != nil {
			r.Aborted = true
			return r, nil
		}
		step, err := l.Step(ctx, i)
		if err != nil {
			return r, fmt.Errorf("step %d: %w", i, err)
		}
		r.Steps = append(r.Steps, step)
		r.Verdict = l.Guard.Check(step)
		if l.OnVerdict != nil {
			l.OnVerdict(r.Verdict)
		}
		if r.Verdict.Stop || l.done(step) {
			r.Completed = !IsFault(r.Verdict)
			return r, nil
		}
	}
}

func (l *Loop) done(s Step) bool {
	if l.Done != nil {
		return l.Done(s)
	}
	return len(s.Calls) == 0
}

// Watch passes steps on, each with its verdict, up to and including the one
// that the guard stops at: that one has happened already. The source is not
// asked for more.
func (g *Guard) Watch(steps iter.Seq[Step]) iter.Seq2[Step, Verdict] {
	return func(yield func(Step, Verdict) bool) {
		for s := range steps {
			if v := g.Check(s); !yield(s, v) || v.Stop {
				return
			}
		}
	}
}

// Replay judges a whole run afresh, whatever this guard has seen: the verdict is
// that of the last step. A limit on wall-clock time means little here.
func (g *Guard) Replay(steps []Step) Verdict {
	var v Verdict
	fresh := g.Fresh()
	for _, s := range steps {
		v = fresh.Check(s)
	}
	return v
}

// StopWhen makes a stop condition for frameworks that show all steps so far
// after each one. It replays them, so that it depends on nothing but the steps:
// asking twice, or for another run, changes nothing. onStop may be nil.
func StopWhen(o Options, onStop func(Verdict)) (func(steps []Step) bool, error) {
	g, err := New(o)
	if err != nil {
		return nil, err
	}
	return func(steps []Step) bool {
		v := g.Replay(steps)
		if v.Stop && onStop != nil {
			onStop(v)
		}
		return v.Stop
	}, nil
}
