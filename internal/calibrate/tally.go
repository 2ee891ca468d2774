// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"maps"
	"slices"
)

// counts is a number of runs for each class.
type counts [classes]int

// Sum is the number of all runs.
func (c counts) Sum() int { return c[other] + c[solved] + c[positive] }

// tally counts runs of a data set.
type tally struct {
	Set  dataset
	Runs counts
	// Steps and Calls are sums.
	Steps, Calls int
	// Alarms counts the runs that a judge, or a setting, calls loops, Findings those with at
	// least one finding of a kind.
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
	t := &tally{Set: d, Alarms: map[string]*counts{}, Findings: map[kind]*counts{}, Only: map[string]*counts{}}
	for _, name := range judgeNames {
		t.Alarms[name] = &counts{}
	}
	for _, s := range settings {
		t.Alarms[s.name] = &counts{}
	}
	return t
}

func (t *tally) add(j judgement) {
	t.Runs[j.class]++
	t.Steps += j.steps
	t.Calls += j.calls
	for name, alarm := range j.alarms {
		if alarm {
			t.Alarms[name][j.class]++
		}
	}
	for k := range j.kinds {
		count(t.Findings, k, j.class)
	}
	if code := j.onlyStop(); code != "" {
		count(t.Only, code, j.class)
	}
	stop := j.alarms[judgeStop]
	if j.class == solved && j.calls >= inARow {
		t.Long++
		if stop {
			t.LongStops++
		}
	}
	if j.class == positive && !stop {
		t.Missed[j.most]++
	}
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
	return rate{a[positive], a.Sum()}
}

// PrecisionSolved leaves the runs out that are neither positive nor solved.
func (t *tally) PrecisionSolved(judge string) rate {
	a := t.Alarms[judge]
	return rate{a[positive], a[positive] + a[solved]}
}
