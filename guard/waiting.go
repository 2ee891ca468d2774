// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"time"
)

// wait is the poll that a run is in.
type wait struct {
	ID mark
	// Tools are those that poll, Since the idle time at which that was seen
	// first, Count how often.
	Tools mark
	Since int64
	Count int
	Step  int
	Call  int
}

// polls reports whether outcomes that stay the same are those of a poll: work
// is still going on, or there is time between the looks. What fails is one if it
// says that it goes on, or is tried again after pauses.
func (r *rules) polls(progress, failed bool, gaps waits) bool {
	return !r.Waiting.Off && r.retrospective && (progress || !failed && gaps.slow() || failed && gaps.backed())
}

// waited notes that a poll has kept a detector from a finding.
func (g *Guard) waited(id, tools mark, call int) {
	w := &g.now.Wait
	if w.ID != id {
		*w = wait{ID: id, Tools: tools, Since: g.now.Pace.Idle}
	}
	w.Step, w.Call = g.index, call
	w.Count++
}

// waiting warns of polls that last longer than they may. A poll is no loop:
// without a bound it is never a finding.
func waiting(g *Guard) {
	w, most := &g.now.Wait, g.rules.Waiting.MaxDuration
	if g.step.Boundary && w.Step != g.index {
		*w = wait{}
	}
	lasted := time.Duration(g.now.Pace.Idle - w.Since)
	if w.ID == 0 || most == 0 || w.Step != g.index || lasted < most {
		return
	}
	g.report(hit{
		id: w.ID, code: CodeWaiting, grade: Confirmed, call: w.Call, count: w.Count,
		facts: facts{Tools: w.Tools, Value: lasted.Seconds(), Limit: most.Seconds()},
	})
}

func waitingWords(g *Guard, f *Finding, x *facts) (string, Evidence) {
	tool := g.label(x.Tools)
	return fmt.Sprintf("Tool %q was polled for %.0f s without a change; the bound is %.0f s.", tool, x.Value, x.Limit),
		Evidence{"tool": tool, "count": f.Count, "duration_s": x.Value, "limit_s": x.Limit}
}
