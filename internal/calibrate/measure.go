// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
)

// set is what came out for a data set.
type set struct {
	// Tune has the runs with an even id, which thresholds may be tuned on,
	// Report those with an odd one.
	Tune, Report *tally
	// Fresh has the runs of Report that Tune does not hold under another id,
	// each once.
	Fresh *tally
	// Once has all runs, those of one content once.
	Once *tally
}

// measure runs all data sets of a directory through the judges.
func measure(dir string) ([]set, error) {
	j, err := newJudges()
	if err != nil {
		return nil, err
	}
	var list []set
	for _, d := range datasets {
		s, err := j.measureSet(d, dir)
		if err != nil {
			return nil, fmt.Errorf("data set %s: %w", d.Name, err)
		}
		list = append(list, s)
	}
	return list, nil
}

func (j *judges) measureSet(d dataset, dir string) (set, error) {
	halves := [2]*tally{newTally(d), newTally(d)}
	seen := [2]map[content]judgement{{}, {}}
	for r, err := range records(d.path(dir)) {
		if err != nil {
			return set{}, err
		}
		key, err := contentOf(r)
		if err != nil {
			return set{}, fmt.Errorf("run %s: %w", r.ID, err)
		}
		judged := j.judge(r, d.class(r))
		halves[r.half()].add(judged)
		seen[r.half()][key] = judged
	}
	return set{
		Tune: halves[0], Report: halves[1],
		Fresh: tallyOf(d, seen[1], seen[0]), Once: tallyOf(d, merged(seen), nil),
	}, nil
}

func merged(seen [2]map[content]judgement) map[content]judgement {
	all := maps.Clone(seen[0])
	maps.Copy(all, seen[1])
	return all
}

func tallyOf(d dataset, runs, without map[content]judgement) *tally {
	t := newTally(d)
	for key, judged := range runs {
		if _, out := without[key]; !out {
			t.add(judged)
		}
	}
	return t
}
