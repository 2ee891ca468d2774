// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// snapshotVersion changes whenever an older guard could not read the snapshot.
const snapshotVersion = 2

// snapshot is the saved state of a guard: digests, totals and names of tools.
type snapshot struct {
	Version       int                  `json:"version"`
	Retrospective bool                 `json:"retrospective"`
	MaxPeriod     int                  `json:"max_period"`
	ElapsedMs     float64              `json:"elapsed_ms"`
	Ended         bool                 `json:"ended"`
	Now           state                `json:"now"`
	Counts        tableImage[int]      `json:"counts"`
	Outcomes      tableImage[int]      `json:"outcomes"`
	Seen          tableImage[sighting] `json:"seen"`
	Errors        tableImage[errorRun] `json:"errors"`
	Streams       tableImage[stream]   `json:"streams"`
	Sweeps        tableImage[reads]    `json:"sweeps"`
	Relay         relay                `json:"relay"`
	Ring          []beat               `json:"ring"`
	Next          int                  `json:"next"`
	Lags          []lag                `json:"lags"`
	Tools         []savedTool          `json:"tools"`
	Episodes      []episode            `json:"episodes"`
	Before        snapshotState        `json:"before"`
}

// snapshotState is what Amend goes back to.
type snapshotState struct {
	State  state  `json:"state"`
	Lost   []beat `json:"lost"`
	Length int    `json:"length"`
	Start  int    `json:"start"`
	Lags   []lag  `json:"lags"`
	Relay  relay  `json:"relay"`
	// Findings is how many there were, Changed those that have changed since.
	Findings int              `json:"findings"`
	Changed  []changedEpisode `json:"changed"`
}

type tableImage[V any] struct {
	Young map[mark]V   `json:"young"`
	Old   map[mark]V   `json:"old"`
	Undo  []written[V] `json:"undo"`
}

type savedTool struct {
	Mark mark   `json:"mark"`
	Name string `json:"name"`
	Set  bool   `json:"set,omitempty"`
	// Cut names match no glob any more, so that what these said is kept.
	Cut      bool `json:"cut,omitempty"`
	Ignored  bool `json:"ignored,omitempty"`
	MaxCalls int  `json:"max_calls,omitempty"`
}

func (t savedTool) info(r *rules) toolInfo {
	if t.Set || t.Cut {
		return toolInfo{
			name: t.Name, set: t.Set, cut: t.Cut, ignored: t.Ignored, acts: makesChanges(t.Name), maxCalls: t.MaxCalls,
		}
	}
	return r.tool(t.Name)
}

func imageOf[V any](t *table[V]) tableImage[V] { return tableImage[V]{t.young, t.old, t.undo} }

func (i tableImage[V]) load(t *table[V]) { t.young, t.old, t.undo = i.Young, i.Old, i.Undo }

// Snapshot saves the run as JSON, for Restore. It has digests, totals and names
// of tools, but neither history nor content. It fails only if a custom detector
// has given evidence that JSON cannot hold.
func (g *Guard) Snapshot() ([]byte, error) {
	s := snapshot{
		Version: snapshotVersion, Retrospective: g.rules.retrospective,
		MaxPeriod: g.cycles.ring.limit, Ended: g.ended,
		Now: g.now, Counts: imageOf(&g.counts), Outcomes: imageOf(&g.outcomes),
		Seen: imageOf(&g.seen), Errors: imageOf(&g.errors),
		Streams: imageOf(&g.streams), Sweeps: imageOf(&g.sweeps), Relay: g.relay.now,
		Ring: g.cycles.ring.beats, Next: g.cycles.ring.next, Lags: g.cycles.lags,
		Episodes: g.episodes.list,
		Before: snapshotState{
			State: g.before, Lost: g.cycles.ring.lost, Length: g.cycles.ring.length,
			Start: g.cycles.ring.start, Lags: g.cycles.before, Relay: g.relay.last(),
			Findings: g.episodes.length, Changed: g.episodes.changed,
		},
	}
	if !g.rules.retrospective {
		s.ElapsedMs = max(0, g.clockMs())
	}
	for m, info := range g.tools {
		s.Tools = append(s.Tools, savedTool{m, info.name, info.set, info.cut, info.ignored, info.maxCalls})
	}
	slices.SortFunc(s.Tools, func(a, b savedTool) int { return cmp.Compare(a.Mark, b.Mark) })
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("guard: snapshot: %w", err)
	}
	return data, nil
}

// Restore replaces the run by a saved one. The options stay those of this guard;
// only the profile and the longest period must be the same. The time between
// Snapshot and Restore does not count, and the history starts empty. On error
// nothing changes.
func (g *Guard) Restore(data []byte) error {
	var s snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("guard: restore: %w", err)
	}
	if err := errors.Join(s.fits(g.rules), s.validate()); err != nil {
		return fmt.Errorf("guard: restore: %w", err)
	}
	fresh := start(g.rules)
	fresh.load(&s)
	*g = *fresh
	return nil
}

func (g *Guard) load(s *snapshot) {
	g.now, g.before, g.ended = s.Now, s.Before.State, s.Ended
	s.Counts.load(&g.counts)
	s.Outcomes.load(&g.outcomes)
	s.Seen.load(&g.seen)
	s.Errors.load(&g.errors)
	s.Streams.load(&g.streams)
	s.Sweeps.load(&g.sweeps)
	g.relay = relays{now: s.Relay, before: s.Before.Relay, dirty: true}
	g.cycles = cycles{
		ring: ring{
			limit: s.MaxPeriod, beats: s.Ring, next: s.Next,
			lost: s.Before.Lost, length: s.Before.Length, start: s.Before.Start,
		},
		lags: s.Lags, before: s.Before.Lags,
	}
	g.episodes = episodes{s.Episodes, s.Before.Findings, s.Before.Changed}
	g.started = g.started.Add(-time.Duration(s.ElapsedMs * 1e6))
	for _, t := range s.Tools {
		g.remember(t.Mark, t.info(g.rules))
	}
}

func (s *snapshot) fits(r *rules) error {
	switch {
	case s.Version != snapshotVersion:
		return fmt.Errorf("version %d: allowed is %d", s.Version, snapshotVersion)
	case s.Retrospective != r.retrospective:
		return fmt.Errorf("retrospective %t: the guard's is %t", s.Retrospective, r.retrospective)
	case s.ElapsedMs < 0 || s.ElapsedMs > float64(math.MaxInt64/1e6):
		return fmt.Errorf("elapsed %g ms", s.ElapsedMs)
	case s.MaxPeriod != r.Oscillation.MaxPeriod:
		return fmt.Errorf("max period %d: the guard's is %d", s.MaxPeriod, r.Oscillation.MaxPeriod)
	}
	return nil
}

// validate checks all that the guard relies on.
func (s *snapshot) validate() error {
	b := &s.Before
	return errors.Join(
		s.validateRing(),
		s.Relay.validate(),
		b.Relay.validate(),
		s.Now.validate(len(s.Ring), s.MaxPeriod),
		b.State.validate(b.Length, s.MaxPeriod),
		validateEpisodes(s.Episodes),
		b.validateChanges(len(s.Episodes)),
	)
}

func (s *snapshot) validateRing() error {
	b := &s.Before
	n := len(s.Ring)
	within := func(i int) bool { return i >= 0 && i < s.MaxPeriod }
	switch {
	case n > s.MaxPeriod, !within(s.Next), n < s.MaxPeriod && s.Next != n:
		return fmt.Errorf("ring of %d beats, the next at %d", n, s.Next)
	case b.Length < 0, b.Length > n, !within(b.Start), b.Length < s.MaxPeriod && b.Start != b.Length:
		return fmt.Errorf("ring of %d beats before the last step, the next at %d", b.Length, b.Start)
	case len(s.Lags) > n, len(b.Lags) > b.Length:
		return errors.New("more lags than beats")
	}
	return nil
}

func (s *state) validate(beats, period int) error {
	switch {
	case s.Steps < 0, s.Calls < 0, s.Errors < 0, s.Turn < 0, s.Turn > s.Steps:
		return fmt.Errorf("%d steps, %d calls, %d errors", s.Steps, s.Calls, s.Errors)
	case s.Live < 0, min(s.Live, period) > beats:
		return fmt.Errorf("%d beats, %d in the ring", s.Live, beats)
	case s.Repeats.Calls.Recent.Distinct < 0, s.Repeats.Results.Recent.Distinct < 0, s.Failures.Recent.Distinct < 0:
		return errors.New("a streak over less than no steps")
	case s.Totals.Input < 0, s.Totals.Output < 0, s.Totals.Total < 0, s.Totals.Cost < 0, s.Totals.StepMs < 0:
		return errors.New("negative totals")
	}
	return nil
}

func (b *snapshotState) validateChanges(episodes int) error {
	if b.Findings < 0 || b.Findings > episodes {
		return fmt.Errorf("%d findings before the last step, %d after it", b.Findings, episodes)
	}
	for i := range b.Changed {
		c := &b.Changed[i]
		if c.At < 0 || c.At >= b.Findings {
			return fmt.Errorf("a change of finding %d of %d", c.At, b.Findings)
		}
		if err := c.Was.validate(); err != nil {
			return err
		}
	}
	return nil
}

func validateEpisodes(list []episode) error {
	if len(list) > maxEpisodes {
		return fmt.Errorf("%d findings: allowed are %d", len(list), maxEpisodes)
	}
	for i := range list {
		if err := list[i].validate(); err != nil {
			return err
		}
	}
	return nil
}

func (e *episode) validate() error {
	switch {
	case e.Rank < 0, e.Rank >= len(detectors), detectors[e.Rank].reason != e.Reason:
		return fmt.Errorf("finding of an unknown detector %q", e.Reason)
	case e.Loop != detectors[e.Rank].loop(), e.Step < 0, e.LastStep < e.Step, e.Bout < e.Step:
		return fmt.Errorf("finding %q at steps %d to %d", e.Reason, e.Step, e.LastStep)
	case e.Facts.Recent.Distinct < 0:
		return fmt.Errorf("finding %q over less than no steps", e.Reason)
	}
	return nil
}

func (r *relay) validate() error {
	if r.Live < 0 || r.Cycle.Period < 0 || r.Cycle.Period > relayPeriod {
		return fmt.Errorf("%d passes in a circle of %d", r.Live, r.Cycle.Period)
	}
	return nil
}
