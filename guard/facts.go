// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "slices"

// facts are what a detector keeps of a hit. The words of a finding, its detail
// and evidence, are made of them when somebody asks (detector.words): inside a
// loop every step is a hit, and few of them are ever read.
type facts struct {
	// Tools is a tool or a set of tools.
	Tools     mark
	Threshold int
	Period    int
	// Known counts those of the hit's count whose outcomes are known; Differ
	// says that outcomes differed.
	Known  int
	Differ bool
	// Renamed says that arguments differed in identifiers.
	Renamed bool
	// Value and Limit are seconds. Window is that of recurring calls.
	Value, Limit float64
	Window       int
	// Round is the round of the hit and Interval that since the repetition
	// before, where other rounds may lie between (lapse).
	Round, Interval int
	// Varied has the kinds of parts that made no difference and differed.
	Varied uint64
	Recent recent
	// Cycle are the tools of a cycle, Period of them.
	Cycle []mark
	// Form tells the faults of a detector apart that has several, Measures
	// are what it counts besides.
	Form     uint8
	Measures [2]int
}

// words makes the detail and the evidence of a finding.
type words func(*Guard, *Finding, *facts) (string, Evidence)

// stepsKept is how many steps a finding's evidence names, if the threshold is
// not higher.
const stepsKept = 16

// recent is a ring of the last steps that counted, Distinct their number. Older
// has those before them that a high threshold asks for.
type recent struct {
	Steps    [stepsKept]int32
	Older    []int32 `json:",omitempty"`
	Distinct int
}

// note keeps a step, and as many of the last ones as wanted.
func (r *recent) note(step, wanted int) {
	if r.Distinct > 0 && r.Steps[(r.Distinct-1)%stepsKept] == int32(step) {
		return
	}
	at := &r.Steps[r.Distinct%stepsKept]
	if r.Distinct >= stepsKept && wanted > stepsKept {
		r.Older = append(r.Older, *at)
		r.Older = r.Older[max(0, len(r.Older)-(wanted-stepsKept)):]
	}
	*at = int32(step)
	r.Distinct++
}

// list has the steps, oldest first.
func (r *recent) list() []int {
	var list []int
	for _, step := range r.Older {
		list = append(list, int(step))
	}
	for i := max(0, r.Distinct-stepsKept); i < r.Distinct; i++ {
		list = append(list, int(r.Steps[i%stepsKept]))
	}
	return list
}

// spell gives a finding its words.
func (g *Guard) spell(f *Finding, words words, x *facts) {
	if words != nil {
		f.Detail, f.Evidence = words(g, f, x)
	}
}

// varied names the keys that varied, as evidence.
func (g *Guard) varied(e Evidence, bits uint64) {
	if names := g.rules.digester.VariedNames(bits); len(names) > 0 {
		e["varied_keys"] = slices.Clone(names)
	}
}
