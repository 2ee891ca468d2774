// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"slices"
	"time"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// stepper walks over the entries of a run, one guard step at a time. A step is
// a model response and the tool calls up to the next one; calls before the
// first response are a step of their own. Where one model span stands for many
// requests, each round of calls is a step.
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
	called  int64   // When the last of the step's calls ended.
	lastEnd int64
	// By the hash of a call's id: the step's calls, what its opener asks for,
	// and what the next response is told.
	calls, asked, answers idIndex
}

// steps sets s to begin at an entry; lastEnd is when the steps before it ended.
func (g *group) steps(s *stepper, from int, lastEnd int64) {
	*s = stepper{
		entries: g.entries, fromOutput: g.tools == 0, top: g.top, next: from, lastEnd: lastEnd,
		step: guard.StepDigest{Calls: s.step.Calls[:0]}, callsAt: s.callsAt[:0],
		calls: s.calls, asked: s.asked, answers: s.answers,
	}
}

// scan moves on to the next step and reports whether there is one. What only
// adds to the totals goes to the step that it comes after, or to the first.
func (s *stepper) scan() bool {
	s.begin()
	for s.next = s.first; s.next < len(s.entries); s.next++ {
		e := &s.entries[s.next]
		if s.opener >= 0 && (e.opens() || s.asksAnew(e)) {
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
	s.failed, s.called = 0, 0
	s.calls.reset()
	s.asked.reset()
	s.answers.reset()
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
		s.opened(i)
	case e.kind == toolEntry, e.kind == delegationEntry:
		s.called = max(s.called, e.end)
		s.call(i)
	}
}

// requestGap is the shortest time between two rounds of calls: no model answers
// faster, and clocks of one millisecond can set parallel calls apart by one.
const requestGap = int64(10 * time.Millisecond)

// asksAnew reports whether a call belongs to a request that came after the
// step's calls, where requests have no spans of their own.
func (s *stepper) asksAnew(e *entry) bool {
	return e.unled && s.called > 0 && e.start >= s.called+requestGap
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
	if c, ok := s.calls.get(e.callID); ok {
		if other := &s.entries[s.callsAt[c]]; other.kind == e.kind && overlap(e, other) {
			fill(&s.step.Calls[c], e)
			return
		}
	}
	s.calls.set(e.callID, len(s.step.Calls))
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
	if e.args.Known() {
		return
	}
	if at, ok := s.asked.get(e.callID); ok {
		s.step.Calls[c].Args = s.entries[s.opener].model.calls[at].Args
	}
}

// opened enters what the opener's output asks for. The outcomes are in the
// input of the next response.
func (s *stepper) opened(i int) {
	e := &s.entries[i]
	for c := len(e.model.calls) - 1; c >= 0; c-- {
		s.asked.set(e.model.calls[c].ID, c)
	}
	if !s.fromOutput || len(e.model.calls) == 0 {
		return
	}
	results := s.nextResults(i)
	for r := len(results) - 1; r >= 0; r-- {
		s.answers.set(results[r].ID, r)
	}
	for _, asked := range e.model.calls {
		call := guard.CallDigest{Tool: asked.Name, Args: asked.Args, Handoff: asked.Handoff, Start: e.end, End: e.end}
		if r, ok := s.answers.get(asked.ID); ok {
			call.Outcome = results[r].Outcome
		}
		s.step.Calls = append(s.step.Calls, call)
		s.callsAt = append(s.callsAt, int32(i))
	}
}

// answerWindow is in how many responses after a call its result is looked for:
// those of a sub-agent whose spans lie beside its caller's come between.
const answerWindow = 16

// nextResults are the results that a response was told of the calls which the
// response at i asks for, nil if none of the next ones was.
func (s *stepper) nextResults(i int) []genai.Result {
	asks := func(r genai.Result) bool {
		_, ok := s.asked.get(r.ID)
		return ok
	}
	for i, left := i+1, answerWindow; i < len(s.entries) && left > 0; i++ {
		e := &s.entries[i]
		if !e.opens() {
			continue
		}
		if slices.ContainsFunc(e.model.results, asks) {
			return e.model.results
		}
		left--
	}
	return nil
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
	if u.Priced {
		to.PricedUSD += u.Cost
	}
	to.TotalTokens = to.InputTokens + to.OutputTokens
}
