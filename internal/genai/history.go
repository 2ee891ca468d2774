// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// History returns the steps that a model span's own input tells of since the
// user's last message: each of the model's messages with the calls in it and
// the results that follow. It is nil for other spans and where the input is
// not captured, cut or longer than the limit. A result without a call stands
// for a call whose name and arguments are unknown.
func (r *Reader) History(scope pcommon.InstrumentationScope, span ptrace.Span) []guard.StepDigest {
	x := r.recognise(scope, span)
	if x == nil {
		return nil
	}
	defer x.release()
	m := &x.scratch
	if x.mark.kind != Model || !x.inputMessages(m, (*messages).read) || m.cut {
		return nil
	}
	h := history{reading: x}
	first := m.lastTurn() + 1
	for i := first; i < len(m.list); i++ {
		h.message(m, i)
	}
	if len(h.steps) > 0 {
		h.steps[0].Boundary = first > 0
	}
	return h.steps
}

// lastTurn returns the index of the user's last message, -1 if there is none.
func (m *messages) lastTurn() int {
	for i := len(m.list) - 1; i >= 0; i-- {
		if m.isUsers(i) {
			return i
		}
	}
	return -1
}

// history builds steps from messages.
type history struct {
	*reading
	steps []guard.StepDigest
	// pending are the last step's calls.
	pending pending
	// open says that the last step has no result yet, so that a further
	// message of the model's belongs to it (one item per call).
	open bool
}

func (h *history) message(m *messages, i int) {
	if m.list[i].role == roleAssistant {
		h.response(m.partsOf(i))
	}
	for j := range m.partsOf(i) {
		if p := &m.partsOf(i)[j]; p.kind == partResult {
			h.answer(p)
		}
	}
}

// response opens a step, or adds to one that is open.
func (h *history) response(parts []part) {
	if !h.open {
		h.begin()
	}
	step := &h.steps[len(h.steps)-1]
	said := messages{parts: parts}
	if text := said.said(); text != "" || step.Text.Print == 0 {
		step.Text = h.textDigest(text)
	}
	for j := range parts {
		if p := &parts[j]; p.kind == partCall {
			c := h.call(p)
			step.Calls = append(step.Calls, guard.CallDigest{Tool: c.Name, Args: c.Args})
			h.pending.call(c.ID, c.Name)
		}
	}
}

func (h *history) begin() {
	h.steps = append(h.steps, guard.StepDigest{})
	h.pending.begin()
	h.open = true
}

// answer gives a call its outcome, or adds a call of which nothing else is
// known.
func (h *history) answer(p *part) {
	if len(h.steps) == 0 {
		h.begin()
	}
	h.open = false
	res := h.reading.answer(p)
	step := &h.steps[len(h.steps)-1]
	if i := h.pending.answer(res.ID, res.Name); i >= 0 {
		step.Calls[i].Outcome = res.Outcome
		return
	}
	step.Calls = append(step.Calls, guard.CallDigest{Tool: res.Name, Outcome: res.Outcome})
	h.pending.lone()
}
