// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "fmt"

// failures is the state of the error streak detector.
type failures struct {
	Count  int
	Recent recent
}

// failingRun is the identity of the one error streak that a run can be in.
const failingRun mark = 1

// errorStreak finds rounds in a row in which all calls fail, of whatever tools
// and with whatever errors (gaunt-sloth has the rule for calls).
func errorStreak(g *Guard) {
	s := &g.now.Failures
	if g.step.Boundary {
		*s = failures{}
	}
	switch failed, worked := g.outcome(); {
	case worked:
		*s = failures{}
		g.resumed(failingRun)
	case failed >= 0:
		s.Count++
		s.Recent.note(g.index, g.rules.wanted)
		if threshold := g.rules.ErrorStreak.Threshold; s.Count >= threshold {
			g.report(hit{
				id: failingRun, code: CodeErrorStreak, grade: Confirmed, call: failed, count: s.Count,
				facts: facts{Threshold: threshold, Recent: s.Recent},
			})
		}
	}
}

// outcome is the last call of the round that has failed, or -1, and whether
// one is known to have worked.
func (g *Guard) outcome() (failed int, worked bool) {
	failed = -1
	for i := range g.calls {
		switch c := &g.calls[i]; {
		case !c.counts():
		case c.failed:
			failed = c.index
		case c.out != 0:
			worked = true
		}
	}
	return failed, worked
}

func errorStreakWords(_ *Guard, f *Finding, x *facts) (string, Evidence) {
	return fmt.Sprintf("All tool calls failed, %d times in a row.", f.Count),
		Evidence{"count": f.Count, "threshold": x.Threshold, "step_indexes": x.Recent.list()}
}
