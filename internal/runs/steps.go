// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// stepper walks over the entries of a run, one guard step at a time. A step is
// a model response and the tool calls up to the next one; calls before the
// first response are a step of their own.
type stepper struct {
	entries []entry
	// fromOutput takes the calls from what the models' output asks for: no
	// tool span of this run shows them.
	fromOutput bool
	// top says that all that is below the run has come.
	top bool

	step    guard.StepDigest
	callsAt []int32 // The entry of each call of the step.
	first   int     // The step's first entry.
	opener  int     // The entry that began the step.
	next    int     // The first entry of the step after it.
	failed  int64   // Calls of the step that failed.
	lastEnd int64
}

func (g *group) steps(s *stepper, from int) {
	lastEnd := int64(0)
	if from > 0 {
		lastEnd = g.entries[from-1].end
	}
	*s = stepper{
		entries: g.entries, fromOutput: g.tools == 0, top: g.top, next: from, lastEnd: lastEnd,
		step: guard.StepDigest{Calls: s.step.Calls[:0]}, callsAt: s.callsAt[:0],
	}
}

// scan moves on to the next step and reports whether there is one. What only
// adds to the totals goes to the step that it comes after, or to the first.
func (s *stepper) scan() bool {
	s.begin()
	for s.next = s.first; s.next < len(s.entries); s.next++ {
		e := &s.entries[s.next]
		if s.opener >= 0 && e.opens() {
			break
		}
		if s.opener < 0 && e.inStep() {
			s.opener, s.step.Start = s.next, e.start
		}
		s.take(s.next)
	}
	s.finish()
	return s.opener >= 0
}

// inStep reports whether an entry can begin a step: what only adds to the
// totals, or failed before anything was decided, cannot.
func (e *entry) inStep() bool { return e.opens() || e.kind == toolEntry || e.kind == delegationEntry }

func (s *stepper) begin() {
	s.first, s.opener = s.next, -1
	s.step = guard.StepDigest{Calls: s.step.Calls[:0]}
	s.callsAt = s.callsAt[:0]
	s.failed = 0
}

// take adds one entry to the step.
func (s *stepper) take(i int) {
	e := &s.entries[i]
	s.step.End = max(s.step.End, e.end)
	if e.model != nil {
		addUsage(&s.step.Usage, e.model.usage)
	}
	switch {
	case e.opens():
		s.step.Text, s.step.Finish = e.model.text, e.model.finish
		s.step.Echo, s.step.Asked = e.model.echo, len(e.model.calls) > 0
		s.step.Boundary = e.model.userTurn && !s.inTools(i)
		if s.fromOutput {
			s.outputCalls(i)
		}
	case e.kind == toolEntry, e.kind == delegationEntry:
		s.call(i)
	}
}

// inTools reports whether the step before entry i made calls. What a user says
// then is no new turn: agents that keep their notes in one growing user
// message send it after every call.
func (s *stepper) inTools(i int) bool {
	for i--; i >= 0; i-- {
		e := &s.entries[i]
		if e.kind == toolEntry || e.kind == delegationEntry {
			return true
		}
		if e.opens() {
			return s.fromOutput && len(e.model.calls) > 0
		}
	}
	return false
}

// call adds a tool span's call, unless it is another view of one that the step
// already has: same id, overlapping in time.
func (s *stepper) call(i int) {
	e := &s.entries[i]
	for c, at := range s.callsAt {
		other := &s.entries[at]
		if e.callID != 0 && other.callID == e.callID && other.kind == e.kind && e.start < other.end && other.start < e.end {
			fill(&s.step.Calls[c], e)
			return
		}
	}
	call := guard.CallDigest{
		Tool: e.name, Args: e.args, Outcome: e.outcome, Delegation: e.kind == delegationEntry,
		Handoff: e.handoff, Did: e.below.did, Start: e.start, End: e.end,
	}
	if s.top {
		call.Nested = e.below.nested()
	}
	s.step.Calls = append(s.step.Calls, call)
	s.callsAt = append(s.callsAt, int32(i))
	s.fillFromOutput(len(s.step.Calls)-1, e)
}

// fill adds what another view knows of a call.
func fill(c *guard.CallDigest, e *entry) {
	if !c.Args.Known() {
		c.Args = e.args
	}
	if !c.Outcome.Known() {
		c.Outcome = e.outcome
	}
}

// fillFromOutput takes arguments that the tool span does not show from the
// model's output.
func (s *stepper) fillFromOutput(c int, e *entry) {
	opener := &s.entries[s.opener]
	if e.args.Known() || e.callID == 0 || !opener.opens() {
		return
	}
	for _, asked := range opener.model.calls {
		if asked.ID == e.callID {
			s.step.Calls[c].Args = asked.Args
			return
		}
	}
}

// outputCalls adds the calls that a model's output asks for. Their outcomes
// are in the input of a later response.
func (s *stepper) outputCalls(i int) {
	for _, asked := range s.entries[i].model.calls {
		s.step.Calls = append(s.step.Calls, guard.CallDigest{
			Tool: asked.Name, Args: asked.Args, Outcome: s.answer(i, asked), Handoff: asked.Handoff,
			Start: s.entries[i].end, End: s.entries[i].end,
		})
		s.callsAt = append(s.callsAt, int32(i))
	}
}

// answer looks for a call's result in the next model input.
func (s *stepper) answer(i int, asked genai.Call) guard.Outcome {
	for j := i + 1; j < len(s.entries); j++ {
		e := &s.entries[j]
		if !e.opens() {
			continue
		}
		for _, r := range e.model.results {
			if asked.ID != 0 && r.ID == asked.ID {
				return r.Outcome
			}
		}
		break
	}
	return guard.Outcome{}
}

func (s *stepper) finish() {
	for i := range s.step.Calls {
		if s.step.Calls[i].Outcome.Failed && !s.step.Calls[i].Delegation {
			s.failed++
		}
	}
	since := s.lastEnd
	if since == 0 {
		since = s.step.Start
	}
	if s.step.End > since {
		s.step.DurationMs = float64(s.step.End-since) / 1e6
		s.lastEnd = s.step.End
	}
}

func addUsage(to *guard.Usage, u genai.Usage) {
	to.InputTokens += float64(u.Input)
	to.OutputTokens += float64(u.Output)
	to.CostUSD += u.Cost
	to.TotalTokens = to.InputTokens + to.OutputTokens
}
