// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"maps"
	"slices"
)

// maxEpisodes bounds the findings of a run; what comes after is not kept.
const maxEpisodes = 64

// episode is a finding as it grows. It is copied by value when a step begins:
// nothing that it points to is ever changed, only appended to or replaced.
type episode struct {
	ID   mark
	Rank int
	Loop bool
	Open bool
	// Silenced has a bit for the rank of each weaker detector that it silenced.
	Silenced uint32
	// Bout is the step of the last crossing.
	Bout int
	Finding
}

// report takes a hit of the current detector.
func (g *Guard) report(h hit) {
	h.by = g.by
	if h.severity == OK {
		h.severity = h.by.severity
	}
	if g.rules.retrospective && !g.record(&h) {
		return
	}
	g.hits = append(g.hits, h)
}

// record opens, continues or reopens the episode of a hit. It returns false if
// a stronger detector speaks for the same steps.
func (g *Guard) record(h *hit) bool {
	if e := g.openEpisode(h.by.reason, h.id); e != nil {
		e.update(h, g.index)
		return true
	}
	if e := g.strongerEpisode(h); e != nil {
		e.Silenced |= 1 << h.by.rank
		return false
	}
	if i := g.episode(h.by.reason, h.id); i >= 0 {
		g.episodes[i].reopen(h, g.index)
	} else if len(g.episodes) < maxEpisodes {
		g.episodes = append(g.episodes, newEpisode(h, g.index))
	}
	return true
}

func newEpisode(h *hit, step int) episode {
	return episode{
		ID: h.id, Rank: h.by.rank, Loop: h.by.loop(), Open: true, Bout: step,
		Finding: h.finding(step),
	}
}

func (e *episode) update(h *hit, step int) {
	e.LastStep = step
	if better := h.grade.over(e.Grade); better || h.grade == e.Grade && h.count >= e.Count {
		e.Grade, e.Count, e.Detail, e.Evidence = h.grade, h.count, h.detail, h.evidence
	}
}

func (e *episode) reopen(h *hit, step int) {
	e.Waste = e.waste()
	e.Open, e.State, e.Bout = true, "", step
	e.update(h, step)
}

// waste lists the steps after each crossing up to the last that repeated.
func (e *episode) waste() []Span {
	if e.LastStep == e.Bout {
		return e.Waste
	}
	return append(e.Waste, Span{e.Bout + 1, e.LastStep})
}

// over orders grades by strength.
func (g Grade) over(h Grade) bool {
	order := []Grade{"", ResultsOnly, ArgsOnly, Confirmed}
	return slices.Index(order, g) > slices.Index(order, h)
}

func (g *Guard) episode(reason Reason, id mark) int {
	return slices.IndexFunc(g.episodes, func(e episode) bool { return e.Reason == reason && e.ID == id })
}

func (g *Guard) openEpisode(reason Reason, id mark) *episode {
	if i := g.episode(reason, id); i >= 0 && g.episodes[i].Open {
		return &g.episodes[i]
	}
	return nil
}

// strongerEpisode is an open one whose detector stands before that of the hit.
func (g *Guard) strongerEpisode(h *hit) *episode {
	for i := range g.episodes {
		e := &g.episodes[i]
		if h.by.loop() && e.Loop && e.Open && e.Rank < h.by.rank && e.Severity >= h.severity {
			return e
		}
	}
	return nil
}

// resumed closes the current detector's episode: the run has got on.
func (g *Guard) resumed(id mark) {
	if !g.rules.retrospective {
		return
	}
	if e := g.openEpisode(g.by.reason, id); e != nil {
		e.Open, e.State = false, Recovered
	}
}

// endTurn closes all loops when a user takes over.
func (g *Guard) endTurn() {
	for i := range g.episodes {
		if e := &g.episodes[i]; e.Open && e.Loop {
			e.Open, e.State = false, g.lastState()
		}
	}
}

// lastState is that of a loop that nothing has followed but the last response.
func (g *Guard) lastState() State {
	if g.now.Ending.Calls == 0 && g.now.Ending.Finish == plainStop {
		return Recovered
	}
	return EndedInLoop
}

// Findings are the episodes so far, in order of crossing: all of them for
// Retrospective, else the first stop. Those that are still open change with the
// steps to come; End settles their state.
func (g *Guard) Findings() []Finding {
	var list []Finding
	for i := range g.episodes {
		list = append(list, g.settled(g.episodes[i]))
	}
	if g.rules.retrospective && g.ended {
		if h, ok := g.lastFinish(); ok {
			list = append(list, h.finding(g.now.Steps-1))
		}
	}
	return list
}

func (g *Guard) settled(e episode) Finding {
	if e.Open && e.ToEnd {
		e.LastStep = g.now.Steps - 1
	}
	if g.ended && e.Open && e.Loop {
		e.State = g.lastState()
	}
	f := e.Finding
	f.Waste = slices.Clone(e.waste())
	f.Evidence = maps.Clone(f.Evidence)
	for i := range detectors {
		if e.Silenced&(1<<i) != 0 {
			f.Also = append(f.Also, detectors[i].code)
		}
	}
	return f
}

// Verdict is the finding that stands for the run: the earliest stop, else the
// earliest warning, else the zero Finding with severity OK.
func (g *Guard) Verdict() Finding {
	var worst Finding
	for _, f := range g.Findings() {
		if f.Severity > worst.Severity {
			worst = f
		}
	}
	return worst
}
