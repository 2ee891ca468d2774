// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func snapshotOf(t *testing.T, o Options, run string) ([]byte, *Guard) {
	g := mustNew(t, o)
	for _, s := range scene(run) {
		g.Check(s)
	}
	data, err := g.Snapshot()
	require.NoError(t, err)
	return data, g
}

func TestASnapshotHoldsNoContent(t *testing.T) {
	g := mustNew(t, Options{})
	for range 3 {
		g.Check(Step{Text: "secret", Calls: []ToolCall{{Name: "a", Args: "secret", Result: "secret"}}})
	}
	data, err := g.Snapshot()
	require.NoError(t, err)
	assert.NotContains(t, string(data), "secret")
}

func TestAResumedRunTripsWhereItWouldHave(t *testing.T) {
	data, _ := snapshotOf(t, Options{}, "a a")
	g := mustNew(t, Options{})
	require.NoError(t, g.Restore(data))
	assert.Equal(t, CodeRepeatedToolCall, g.Check(stepOf("a")).Code)
}

func TestRestoreKeepsTheGuardsOwnOptions(t *testing.T) {
	data, _ := snapshotOf(t, Options{Tools: map[string]Tool{"a": {MaxCalls: 9}}}, "a=1 b=1 a=2")
	g := mustNew(t, Options{Tools: map[string]Tool{"a": {MaxCalls: 2}}})
	require.NoError(t, g.Restore(data))
	assert.Equal(t, CodeToolCallLimit, g.Check(stepOf("a=3")).Code)
}

func TestTheClockStandsStillBetweenSnapshotAndRestore(t *testing.T) {
	clock := time.Unix(0, 0)
	o := Options{Budget: Budget{DurationMs: Limit{Max: 1000}}, Now: func() time.Time { return clock }}
	g := mustNew(t, o)
	clock = clock.Add(900 * time.Millisecond)
	data, err := g.Snapshot()
	require.NoError(t, err)
	clock = clock.Add(time.Hour)
	require.NoError(t, g.Restore(data))
	assert.False(t, g.Check(stepOf("a")).Stop)
	clock = clock.Add(100 * time.Millisecond)
	assert.True(t, g.Check(stepOf("b")).Stop)
}

func TestLongToolNamesKeepTheirRules(t *testing.T) {
	name := strings.Repeat("x", 100) + "_end"
	o := Options{Tools: map[string]Tool{"*_end": {MaxCalls: 1}}}
	data, _ := snapshotOf(t, o, name+"=1")
	g := mustNew(t, o)
	require.NoError(t, g.Restore(data))
	assert.Equal(t, CodeToolCallLimit, g.Check(stepOf(name+"=2")).Code)
}

func TestRestoreRefusesWhatDoesNotFit(t *testing.T) {
	data, _ := snapshotOf(t, Options{}, "a b a b c a a a")
	tests := map[string]func(*snapshot){
		"version 7":      func(s *snapshot) { s.Version = 7 },
		"retrospective":  func(s *snapshot) { s.Retrospective = true },
		"max period 5":   func(s *snapshot) { s.MaxPeriod = 5 },
		"elapsed":        func(s *snapshot) { s.ElapsedMs = -1 },
		"-1 steps":       func(s *snapshot) { s.Now.Steps = -1 },
		"beats, 1 in":    func(s *snapshot) { s.Before.State.Live, s.Before.Length, s.Before.Start, s.Before.Lags = 3, 1, 1, nil },
		"the next at 9":  func(s *snapshot) { s.Next = 9 },
		"next at -1":     func(s *snapshot) { s.Before.Start = -1 },
		"more lags":      func(s *snapshot) { s.Lags = make([]lag, 9) },
		"less than no":   func(s *snapshot) { s.Now.Repeats.Calls.Recent.Distinct = -1 },
		"negative":       func(s *snapshot) { s.Before.State.Totals.Cost = -1 },
		"unknown detect": func(s *snapshot) { s.Episodes[0].Rank = 99 },
		"at steps 7 to":  func(s *snapshot) { s.Episodes[0].LastStep = 0 },
		"65 findings":    func(s *snapshot) { s.Episodes = make([]episode, 65) },
		"-1 findings":    func(s *snapshot) { s.Before.Findings = -1 },
		"a change of":    func(s *snapshot) { s.Before.Changed = make([]changedEpisode, 1) },
	}
	for want, spoil := range tests {
		t.Run(want, func(t *testing.T) {
			var s snapshot
			require.NoError(t, json.Unmarshal(data, &s))
			require.NotEmpty(t, s.Episodes)
			spoil(&s)
			spoilt, err := json.Marshal(s)
			require.NoError(t, err)
			g := mustNew(t, Options{})
			assert.ErrorContains(t, g.Restore(spoilt), want)
			assert.Zero(t, g.Summary().Steps)
		})
	}
	assert.Error(t, mustNew(t, Options{}).Restore([]byte("{")))
}

func TestSnapshotFailsOnEvidenceThatJSONCannotHold(t *testing.T) {
	g := mustNew(t, Options{Custom: []Detector{func([]Step, Step) *CustomStop {
		return &CustomStop{Evidence: Evidence{"x": make(chan int)}}
	}}})
	g.Check(stepOf("a"))
	_, err := g.Snapshot()
	assert.ErrorContains(t, err, "guard: snapshot")
}
