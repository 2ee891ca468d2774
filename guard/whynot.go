// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zeebo/xxh3"
)

// Veto is the fact that has kept a fault from being found.
type Veto string

// The vetoes, in the order in which one explains a near miss rather than the
// next.
const (
	// VetoExempt: the tool is ignored.
	VetoExempt Veto = "exempt-tool"
	// VetoPoll: the run was waiting.
	VetoPoll Veto = "poll"
	// VetoOutcome: the calls came back with something else.
	VetoOutcome Veto = "outcome-changed"
	// VetoBoundary: a user's message came in between.
	VetoBoundary Veto = "boundary"
	// VetoThreshold: it was one short of the threshold.
	VetoThreshold Veto = "threshold"
)

// NearMiss is a loop that has nearly been found.
type NearMiss struct {
	// Veto is what made the difference.
	Veto   Veto   `json:"veto"`
	Reason Reason `json:"reason"`
	Code   string `json:"code"`
	// Step is where the loop would have been found, Call and LastStep as in
	// Finding.
	Step     int `json:"step"`
	Call     int `json:"call"`
	LastStep int `json:"last_step"`
	Count    int `json:"count"`
	// Detail is a sentence made of code, tool and counts, never of content.
	Detail string `json:"detail"`
}

// variant is the same rule set but for one veto.
type variant struct {
	veto  Veto
	rules *rules
	// change shows a step as if the veto were not there; nil changes nothing.
	change func(StepDigest) StepDigest
}

// shadow is a guard that judges the run by a variant.
type shadow struct {
	*variant
	guard *Guard
}

// variants are compiled for Options.NearMisses.
func variants(o Options) ([]variant, error) {
	o.NearMisses = false
	exempt, poll, short := o, o, o
	exempt.NoOpTools, exempt.Tools = []string{}, maps.Clone(o.Tools)
	for glob, t := range exempt.Tools {
		t.Ignore = false
		exempt.Tools[glob] = t
	}
	poll.Waiting.Off = true
	short.lower()
	list := []variant{
		{veto: VetoExempt}, {veto: VetoPoll}, {veto: VetoOutcome, change: sameOutcomes},
		{veto: VetoBoundary, change: noBoundary}, {veto: VetoThreshold},
	}
	for i, v := range []Options{exempt, poll, o, o, short} {
		var err error
		if list[i].rules, err = compile(v); err != nil {
			return nil, fmt.Errorf("near misses by %s: %w", list[i].veto, err)
		}
	}
	return list, nil
}

// lower takes one from each threshold that can do with less.
func (o *Options) lower() {
	for _, threshold := range []*int{
		&o.RepeatedToolCall.Threshold, &o.RepeatedToolCall.ArgsOnlyThreshold, &o.RepeatedToolCall.ResultsOnlyThreshold,
		&o.Oscillation.Repeats, &o.Oscillation.ArgsOnlyRepeats, &o.RepeatedError.Threshold, &o.RecurringCall.Seen,
		&o.RecurringCall.Threshold, &o.DelegationLoop.Repeats, &o.RepeatedText.Threshold, &o.Stagnation.Threshold,
		&o.Stagnation.SelfAppendThreshold, &o.Stagnation.SweepThreshold, &o.NoProgress.Threshold,
		&o.ErrorStreak.Threshold, &o.Burst.Threshold,
	} {
		if *threshold > 2 {
			*threshold--
		}
	}
}

func noBoundary(s StepDigest) StepDigest {
	s.Boundary = false
	return s
}

// sameOutcomes lets a call come back with the same whenever it is made, and all
// errors of a tool be one.
func sameOutcomes(s StepDigest) StepDigest {
	s.Calls = slices.Clone(s.Calls)
	for i := range s.Calls {
		c := &s.Calls[i]
		switch {
		case !c.Outcome.Known():
		case c.Outcome.Failed:
			c.Outcome.Fingerprint = FingerprintOf(c.Tool)
		case c.Args.Known():
			print := nonZero(join(c.Args.Normal, xxh3.HashString(c.Tool)))
			c.Outcome.Fingerprint = Fingerprint{Exact: print, Normal: print}
		}
	}
	return s
}

func (r *rules) newShadows() []shadow {
	var list []shadow
	for i := range r.variants {
		list = append(list, shadow{&r.variants[i], start(r.variants[i].rules)})
	}
	return list
}

// follow shows a step to the shadows.
func (g *Guard) follow(s StepDigest, judge func(*Guard, StepDigest) Verdict) {
	for _, sh := range g.shadows {
		if sh.change == nil {
			judge(sh.guard, s)
		} else {
			judge(sh.guard, sh.change(s))
		}
	}
}

// WhyNot lists the loops that were nearly found, each with the fact that has
// kept it from being one. It needs Options.NearMisses and Retrospective, and is
// nil without. A restored guard knows those of the steps since.
func (g *Guard) WhyNot() []NearMiss {
	var list []NearMiss
	found := g.Findings()
	for _, sh := range g.shadows {
		for _, f := range sh.guard.Findings() {
			if f.loop() && !slices.ContainsFunc(found, f.overlaps) && !slices.ContainsFunc(list, f.overlapsMiss) {
				list = append(list, sh.miss(f))
			}
		}
	}
	return list
}

func (f Finding) loop() bool {
	return slices.ContainsFunc(detectors[:], func(d detector) bool { return d.reason == f.Reason && d.loop() })
}

// overlaps reports whether another finding of a loop covers a step of this one.
func (f Finding) overlaps(o Finding) bool {
	return o.loop() && o.Step <= f.LastStep && f.Step <= o.LastStep
}

func (f Finding) overlapsMiss(o NearMiss) bool { return o.Step <= f.LastStep && f.Step <= o.LastStep }

func (v *variant) miss(f Finding) NearMiss {
	return NearMiss{
		Veto: v.veto, Reason: f.Reason, Code: f.Code, Step: f.Step, Call: f.Call,
		LastStep: f.LastStep, Count: f.Count, Detail: f.Detail + " " + vetoWords[v.veto],
	}
}

var vetoWords = map[Veto]string{
	VetoExempt:    "Calls of this tool are ignored.",
	VetoPoll:      "The run was waiting for a change.",
	VetoOutcome:   "But the outcomes differed: that is progress.",
	VetoBoundary:  "But the user spoke in between.",
	VetoThreshold: "That is one short of the threshold.",
}
