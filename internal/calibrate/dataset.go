// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import "path/filepath"

// class is what the labels say about a run.
type class int

// other is neither: unsolved, but given up before the cap.
const (
	other class = iota
	solved
	positive
	classes
)

// dataset says where runs are and what their labels mean. All that is specific
// to a data set stands in the list below.
type dataset struct {
	Name string
	// Positive and Solved say in words what class decides.
	Positive, Solved string
	class            func(r *record) class
}

var datasets = []dataset{
	{"intercode", "all allowed turns taken (7 or more), reward below 1", "reward 1", func(r *record) class {
		switch {
		case r.Labels.MaxReward == 1:
			return solved
		case r.Labels.TurnsMax > 1 && r.calls() >= r.Labels.TurnsMax:
			return positive
		default:
			return other
		}
	}},
	{"reflexion_hotpot", "HALTED (step cap)", "CORRECT", func(r *record) class {
		switch r.Labels.Group {
		case "CORRECT":
			return solved
		case "HALTED":
			return positive
		default:
			return other
		}
	}},
	{"taubench", "", "reward 1", func(r *record) class {
		if r.Labels.Reward == 1 {
			return solved
		}
		return other
	}},
	{"whowhen", "", "", func(*record) class { return other }},
}

func (d *dataset) path(dir string) string { return filepath.Join(dir, d.Name+".jsonl.gz") }
