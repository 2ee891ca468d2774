// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// counts is a number of runs for each class.
type counts [classes]int

func (c counts) all() int { return c[other] + c[solved] + c[positive] }

// kind is a row of the table of findings.
type kind struct {
	Reason   guard.Reason
	Code     string
	Grade    guard.Grade
	Severity guard.Severity
}

// The names of the judges, in the order of the tables.
const (
	judgeStop  = "this guard, `stop`"
	judgeWarn  = "this guard, `stop` or `warn`"
	judgeSeeds = "agent-loopguard's defaults"
	judgeSloth = "gaunt-sloth's rule"
	judgeInRow = "3 identical calls in a row"
)

var judgeNames = []string{judgeStop, judgeWarn, judgeSeeds, judgeSloth, judgeInRow}

// tally counts one half of a data set.
type tally struct {
	Set  dataset
	Runs counts
	// Steps and Calls are sums.
	Steps, Calls int
	// Alarms counts the runs that a judge calls loops, Findings those with at
	// least one finding of a kind, Also those with a finding of a code that a
	// stronger one over the same steps hides.
	Alarms   map[string]*counts
	Findings map[kind]*counts
	// Only counts the runs whose stop findings are all of one code.
	Only map[string]*counts
	// Long and LongStops are the solved runs of at least inARow calls, and
	// those of them that get stop: shorter ones cannot loop.
	Long, LongStops int
	// Missed says what repeats in the positive runs without stop.
	Missed [repetitions]int
}

func newTally(d dataset) *tally {
	t := &tally{
		Set: d, Alarms: map[string]*counts{}, Findings: map[kind]*counts{},
		Only: map[string]*counts{},
	}
	for _, name := range judgeNames {
		t.Alarms[name] = &counts{}
	}
	return t
}

func (t *tally) add(r *record, j *judges) {
	c, steps, calls := t.Set.class(r), r.steps(), r.calls()
	t.Runs[c]++
	t.Steps += len(steps)
	t.Calls += calls
	findings := j.retrospective(steps)
	worst := t.addFindings(c, findings)
	for name, alarm := range map[string]bool{
		judgeStop:  worst == guard.Stop,
		judgeWarn:  worst >= guard.Warn,
		judgeSeeds: j.agentLoopguard(steps),
		judgeSloth: j.gauntSloth(steps),
		judgeInRow: j.identicalInARow(steps),
	} {
		if alarm {
			t.Alarms[name][c]++
		}
	}
	if c == solved && calls >= inARow {
		t.Long++
		if worst == guard.Stop {
			t.LongStops++
		}
	}
	if c == positive && worst != guard.Stop {
		t.Missed[repetitionIn(steps)]++
	}
}

// addFindings counts each kind once, and gives the worst severity.
func (t *tally) addFindings(c class, findings []guard.Finding) guard.Severity {
	worst, kinds, stops := guard.OK, map[kind]bool{}, map[string]bool{}
	for _, f := range findings {
		worst = max(worst, f.Severity)
		kinds[kind{f.Reason, f.Code, f.Grade, f.Severity}] = true
		if f.Severity == guard.Stop {
			stops[f.Code] = true
		}
	}
	for k := range kinds {
		count(t.Findings, k, c)
	}
	if len(stops) == 1 {
		for code := range stops {
			count(t.Only, code, c)
		}
	}
	return worst
}

func count[K comparable](in map[K]*counts, key K, c class) {
	if in[key] == nil {
		in[key] = &counts{}
	}
	in[key][c]++
}

// kinds are those that were found, in the order of the tables.
func (t *tally) kinds() []kind {
	return slices.SortedFunc(maps.Keys(t.Findings), func(a, b kind) int {
		return cmp.Or(-cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Grade, b.Grade))
	})
}

func (t *tally) rate(c class, hits *counts) rate {
	return rate{hits[c], t.Runs[c]}
}

// Recall is the share of positive runs that the judge stops.
func (t *tally) Recall(judge string) rate { return t.rate(positive, t.Alarms[judge]) }

// SolvedRate is the share of solved runs that the judge stops.
func (t *tally) SolvedRate(judge string) rate { return t.rate(solved, t.Alarms[judge]) }

// Precision takes every run that is not positive for a negative one.
func (t *tally) Precision(judge string) rate {
	a := t.Alarms[judge]
	return rate{a[positive], a.all()}
}

// PrecisionSolved leaves the runs out that are neither positive nor solved.
func (t *tally) PrecisionSolved(judge string) rate {
	a := t.Alarms[judge]
	return rate{a[positive], a[positive] + a[solved]}
}

// measure runs all data sets of a directory through the judges. Runs with an
// even id may be tuned on, odd ones are reported.
func measure(dir string) ([]set, error) {
	j, err := newJudges()
	if err != nil {
		return nil, err
	}
	var list []set
	for _, d := range datasets {
		halves := [2]*tally{newTally(d), newTally(d)}
		for r, err := range records(d.path(dir)) {
			if err != nil {
				return nil, fmt.Errorf("data set %s: %w", d.Name, err)
			}
			halves[r.half()].add(r, j)
		}
		list = append(list, set{Tune: halves[0], Report: halves[1]})
	}
	return list, nil
}
