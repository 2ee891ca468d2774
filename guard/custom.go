// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"slices"
)

// Detector is a rule of your own. It gets all steps so far, the current one
// last, and must not change them. nil means go on. Guard.Check does not recover
// a panic in it: the panic reaches the caller.
type Detector func(history []Step, step Step) *CustomStop

// CustomStop is what a Detector found.
type CustomStop struct {
	// Code is the verdict's code (default CUSTOM).
	Code     string
	Detail   string
	Evidence Evidence
}

// custom asks the user's detectors, in order (agent-loopguard). A step that
// came as a digest has nothing to show them.
func custom(g *Guard) {
	if g.shown == nil {
		return
	}
	for i, d := range g.rules.Custom {
		if s := d(slices.Clip(g.history), *g.shown); s != nil {
			g.report(hit{
				id: mark(i + 1), code: cmp.Or(s.Code, CodeCustom), call: -1, count: 1,
				evidence: s.Evidence, detail: cmp.Or(s.Detail, "A custom detector stopped the run."),
			})
		}
	}
}
