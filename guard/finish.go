// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"fmt"
)

// plainStop is the finish reason of a model that is done, toolCalls that of one
// that waits for its tools.
const (
	plainStop = FinishStop
	toolCalls = FinishToolCalls
)

// Identities of what the finish reason can be found guilty of.
const (
	ended  mark = 1
	resent mark = 2
)

// ending is how a response ended.
type ending struct {
	Finish  string
	Text    mark
	HasText bool
	Calls   int
}

func (e ending) textOnly() bool { return e.HasText && e.Calls == 0 }

func endingOf(s *StepDigest) ending {
	return ending{
		Finish: clip(s.Finish), Text: mark(s.Text.Print),
		HasText: s.Text.Print != 0 && !s.Text.Blank, Calls: len(s.Calls),
	}
}

// finishReason judges how a response ended (agent-loopguard). Retrospective
// knows that a response is the last one only at End; before that it looks for
// runs that ask again for an answer that was final.
func finishReason(g *Guard) {
	before, e := g.now.Ending, g.ending
	if !g.rules.retrospective {
		if code := g.rules.finishCode(e); code != "" {
			g.report(g.rules.finishHit(e, ended, code))
		}
		return
	}
	again := e.textOnly() && before.textOnly() && e.Text == before.Text && !g.step.Boundary
	if code := g.rules.finishCode(before); code != "" && again {
		h := g.rules.finishHit(before, resent, code)
		h.detail += " The run went on and got the same answer."
		g.report(h)
	}
}

// lastFinish is the finding about the response that a finished run ended with.
func (g *Guard) lastFinish() (hit, bool) {
	by, code := g.rules.detector(ReasonFinish), g.rules.finishCode(g.now.Ending)
	if by == nil || code == "" || g.episodes.open(by.rank, resent) >= 0 {
		return hit{}, false
	}
	h := g.rules.finishHit(g.now.Ending, ended, code)
	h.by, h.severity = by, cmp.Or(g.rules.FinishReason.Severity, Warn)
	return h, true
}

// finishCode says what is wrong with an ending; "" is nothing.
func (r *rules) finishCode(e ending) string {
	policy := r.FinishReason.OtherPolicy
	switch {
	case e.Finish == "", r.retrospective && e.Finish == plainStop:
		return ""
	case r.terminal[e.Finish]:
		return CodeFinishTerminal
	case e.Finish == toolCalls:
		return ""
	case policy == StopOnOther:
		return CodeFinishOther
	case policy == StopIfTextOnly && e.textOnly():
		return CodeFinishOtherTextOnly
	default:
		return ""
	}
}

func (r *rules) finishHit(e ending, id mark, code string) hit {
	return hit{
		id: id, code: code, call: -1, count: 1,
		evidence: Evidence{
			"finish_reason": e.Finish, "normalized": e.Finish,
			"policy":   string(r.FinishReason.OtherPolicy),
			"has_text": e.HasText, "tool_call_count": e.Calls,
		},
		detail: fmt.Sprintf("The model's response ended with %s.", finishWords(e.Finish, code)),
	}
}

// finishWords spells the usual reasons only: an unfamiliar one is content.
func finishWords(finish, code string) string {
	if code == CodeFinishTerminal {
		return fmt.Sprintf("the final reason %q", finish)
	}
	return "a reason that is not known to be final"
}
