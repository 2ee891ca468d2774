// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"maps"
	"slices"
)

// maxEpisodes bounds the findings of a run; what comes after is not kept.
const maxEpisodes = 64

// episode is a finding as it grows. It is copied by value before a step changes
// it: nothing that it points to is ever changed, only appended to or replaced.
type episode struct {
	ID   mark
	Rank int
	Loop bool
	Open bool
	// Silenced has a bit for the rank of each weaker detector that it silenced.
	Silenced uint32
	// Bout is the step of the last crossing.
	Bout  int
	Facts facts
	Finding
}

// episodes are the findings so far and can take back what the last step did.
type episodes struct {
	list []episode
	// length is that before the step, changed what the step has changed.
	length  int
	changed []changedEpisode
}

type changedEpisode struct {
	At  int
	Was episode
}

func (l *episodes) begin() { l.length, l.changed = len(l.list), l.changed[:0] }

// edit is the i-th episode, to be changed.
func (l *episodes) edit(i int) *episode {
	if i < l.length && !slices.ContainsFunc(l.changed, func(c changedEpisode) bool { return c.At == i }) {
		l.changed = append(l.changed, changedEpisode{i, l.list[i]})
	}
	return &l.list[i]
}

func (l *episodes) rewind() {
	for i := len(l.changed) - 1; i >= 0; i-- {
		l.list[l.changed[i].At] = l.changed[i].Was
	}
	l.list, l.changed = l.list[:l.length], l.changed[:0]
}

// find is the index of an episode, or -1.
func (l *episodes) find(rank int, id mark) int {
	for i := range l.list {
		if e := &l.list[i]; e.ID == id && e.Rank == rank {
			return i
		}
	}
	return -1
}

// open is the index of an open episode, or -1.
func (l *episodes) open(rank int, id mark) int {
	if i := l.find(rank, id); i >= 0 && l.list[i].Open {
		return i
	}
	return -1
}

// stronger is the index of an open one that speaks for the hit too, or -1.
func (l *episodes) stronger(h *hit) int {
	for i := range l.list {
		e := &l.list[i]
		if h.by.loop() && e.Loop && e.Open && e.Rank < h.by.rank && e.Severity >= h.severity {
			return i
		}
	}
	return -1
}

// report takes a hit of the current detector.
func (g *Guard) report(h hit) {
	h.by = g.by
	if h.severity == OK {
		h.severity = h.by.rate(h.grade)
	}
	if g.rules.retrospective && !g.record(&h) {
		return
	}
	g.hits = append(g.hits, h)
}

// record opens, continues or reopens the episode of a hit. It returns false if
// a stronger detector speaks for the same steps.
func (g *Guard) record(h *hit) bool {
	l := &g.episodes
	at := l.find(h.by.rank, h.id)
	if at >= 0 && l.list[at].Open {
		l.edit(at).update(h, g.index)
		return true
	}
	if i := l.stronger(h); i >= 0 {
		if bit := uint32(1) << h.by.rank; l.list[i].Silenced&bit == 0 {
			l.edit(i).Silenced |= bit
		}
		return false
	}
	if at >= 0 {
		l.edit(at).reopen(h, g.index)
	} else if len(l.list) < maxEpisodes {
		g.open(h)
	}
	return true
}

func (g *Guard) open(h *hit) {
	e := g.newEpisode(h)
	g.retain(&e.Facts)
	g.episodes.list = append(g.episodes.list, e)
}

func (g *Guard) newEpisode(h *hit) episode {
	e := episode{
		ID: h.id, Rank: h.by.rank, Loop: h.by.loop(), Open: true, Bout: g.index,
		Facts: h.facts, Finding: h.finding(g.index),
	}
	if h.facts.Period > 0 {
		e.Facts.Cycle = g.cycles.tools(h.facts.Period)
	}
	return e
}

func (e *episode) update(h *hit, step int) {
	e.LastStep = step
	better := h.grade.over(e.Grade)
	if !better && (h.grade != e.Grade || h.count < e.Count) {
		return
	}
	e.Grade, e.Count, e.Detail, e.Evidence = h.grade, h.count, h.detail, h.evidence
	cycle := e.Facts.Cycle
	e.Facts, e.Facts.Cycle = h.facts, cycle
	if h.severity > e.Severity {
		e.raise(h, step)
	}
}

// raise makes a warning a stop: that begins here.
func (e *episode) raise(h *hit, step int) {
	e.Severity, e.Step, e.Call, e.Bout, e.Waste = h.severity, step, h.call, step, nil
}

func (e *episode) reopen(h *hit, step int) {
	e.Waste = e.waste()
	e.Open, e.State, e.Bout = true, "", step
	e.update(h, step)
}

// waste lists the steps after each crossing up to the last that repeated.
func (e *episode) waste() []Span { return e.wasteUpTo(e.LastStep) }

func (e *episode) wasteUpTo(last int) []Span {
	if last == e.Bout {
		return e.Waste
	}
	return append(e.Waste, Span{e.Bout + 1, last})
}

// over orders grades by strength.
func (g Grade) over(h Grade) bool { return g.strength() > h.strength() }

func (g Grade) strength() int {
	switch g {
	case Confirmed:
		return 3
	case ArgsOnly:
		return 2
	case ResultsOnly:
		return 1
	default:
		return 0
	}
}

// resumed closes the current detector's episode: the run has got on.
func (g *Guard) resumed(id mark) {
	if i := g.episodes.open(g.by.rank, id); i >= 0 && g.rules.retrospective {
		e := g.episodes.edit(i)
		e.Open, e.State = false, Recovered
	}
}

// lapse closes the current detector's episodes that are overdue: other rounds
// may lie between their repetitions, but by now too many have passed.
func (g *Guard) lapse() {
	for i := range g.episodes.list {
		e := &g.episodes.list[i]
		if e.Open && e.Rank == g.by.rank && g.rounds()-e.Facts.Round > max(e.Facts.Interval, 1) {
			e = g.episodes.edit(i)
			e.Open, e.State = false, Recovered
		}
	}
}

// endTurn closes all loops when a user takes over.
func (g *Guard) endTurn() {
	for i := range g.episodes.list {
		if e := &g.episodes.list[i]; e.Open && e.Loop {
			e = g.episodes.edit(i)
			e.Open, e.State = false, g.lastState(e, g.index-1)
		}
	}
}

// lastState is that of a loop that nothing has followed but the last response,
// which is a way out of it if it has an end and is not of the loop itself.
func (g *Guard) lastState(e *episode, last int) State {
	if e.LastStep < last && g.now.Ending.Calls == 0 && g.now.Ending.Finish == plainStop {
		return Recovered
	}
	return EndedInLoop
}

// Findings are the episodes so far, in order of crossing: all of them for
// Retrospective, else the first stop. Those that are still open change with the
// steps to come; End settles their state.
func (g *Guard) Findings() []Finding {
	var list []Finding
	for i := range g.episodes.list {
		list = append(list, g.settled(&g.episodes.list[i]))
	}
	// A warning that has become a stop crosses later than it began.
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(a.Step, b.Step) })
	if f, ok := g.lastFinding(); ok {
		list = append(list, f)
	}
	return list
}

// Unsaid are the findings whose keys have not been said, in the same order.
// Episodes that have been said cost nothing but the question.
func (g *Guard) Unsaid(said func(key uint64) bool) []Finding {
	var list []Finding
	for i := range g.episodes.list {
		if e := &g.episodes.list[i]; !said(e.Reason.key(e.ID)) {
			list = append(list, g.settled(e))
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(a.Step, b.Step) })
	if f, ok := g.lastFinding(); ok && !said(f.Key) {
		list = append(list, f)
	}
	return list
}

// lastFinding is about the finish reason of a run that has ended.
func (g *Guard) lastFinding() (Finding, bool) {
	if !g.rules.retrospective || !g.ended {
		return Finding{}, false
	}
	h, ok := g.lastFinish()
	if !ok {
		return Finding{}, false
	}
	return h.finding(g.now.Steps - 1), true
}

// settled is the finding of an episode as it stands.
func (g *Guard) settled(e *episode) Finding {
	f := e.Finding
	f.Key = f.Reason.key(e.ID)
	if e.Open && e.ToEnd {
		f.LastStep = g.now.Steps - 1
	}
	if g.ended && e.Open && e.Loop {
		f.State = g.lastState(e, g.now.Steps-1)
	}
	if e.Depth > 0 {
		f.State = EndedInLoop // Nothing down there went on from it.
	}
	f.Waste = slices.Clone(e.wasteUpTo(f.LastStep))
	f.Evidence = maps.Clone(f.Evidence)
	g.spell(&f, detectors[e.Rank].words, &e.Facts)
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
	var worst *episode
	for i := range g.episodes.list {
		if e := &g.episodes.list[i]; worst == nil || e.before(worst) {
			worst = e
		}
	}
	last, ended := g.lastFinding()
	switch {
	case worst != nil && (!ended || worst.Severity >= last.Severity):
		return g.settled(worst)
	default:
		return last
	}
}

// before says whether an episode stands for the run rather than another.
func (e *episode) before(f *episode) bool {
	if e.Severity != f.Severity {
		return e.Severity > f.Severity
	}
	return e.Step < f.Step || e.Step == f.Step && e.Rank < f.Rank
}

// extent estimates the bytes that an episode points to.
func (e *episode) extent() int {
	const evidence = 1024 // a map, lists and a sentence
	size := 8*cap(e.Facts.Cycle) + 16*cap(e.Waste) + 4*cap(e.Facts.Recent.Older)
	if e.Evidence != nil {
		size += evidence
	}
	return size
}
