// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "fmt"

// repeats is the state of the repeated tool call detector.
type repeats struct {
	// Calls is the streak of equal calls, Results that of equal outcomes of
	// calls whose arguments are unknown.
	Calls, Results streak
}

// repetition is a streak that has reached a threshold.
type repetition struct {
	streak
	at        beat
	grade     Grade
	threshold int
}

// repeatedToolCall finds the same call made again and again (detection.md 1 and
// 2; both seeds have the rule). A round of several calls that comes again is a
// cycle of these: oscillation has it. A streak that ends within the step still counts.
func repeatedToolCall(g *Guard) {
	o, s := &g.rules.RepeatedToolCall, &g.now.Repeats
	if g.step.Boundary {
		*s = repeats{}
	}
	beats := g.beats
	if o.IgnoreErrors {
		beats = g.beatsOf(nil, true)
	}
	var found repetition
	for i := range beats {
		b := &beats[i]
		calls, results := s.Calls.Ref.identity(), s.Results.Ref.identity()
		if s.Calls.addCalls(b, g.rules, g.index) {
			g.resumed(calls)
		}
		if s.Results.addResults(b, g.rules, g.index) {
			g.resumed(results)
		}
		r := s.reached(b, o)
		switch {
		case r.Count <= found.Count:
		case r.polls(g.rules):
			g.waited(b.identity(), b.Tools, b.Call)
		default:
			found = r
		}
	}
	if found.Count > 0 {
		h := found.hit()
		if found.Alike > 0 && h.grade == ResultsOnly {
			h.severity = g.by.warning()
		}
		g.report(h)
	}
}

// reached is what the streaks amount to after beat b; a Count of 0 is nothing.
func (s *repeats) reached(b *beat, o *RepeatedToolCall) repetition {
	calls, results := s.Calls.Count, s.Results.Count
	switch {
	case b.Delegated, b.Several:
		return repetition{}
	case b.Calls != 0 && s.Calls.Known >= o.Threshold:
		return repetition{s.Calls, *b, Confirmed, o.Threshold}
	case b.Calls != 0 && !o.RequireIdenticalResults && calls >= o.Threshold:
		return repetition{s.Calls, *b, ArgsOnly, o.Threshold}
	case b.Calls != 0 && passed(calls, o.ArgsOnlyThreshold):
		return repetition{s.Calls, *b, s.Calls.thin(), o.ArgsOnlyThreshold}
	case b.Results != 0 && passed(results, o.ResultsOnlyThreshold):
		return repetition{s.Results, *b, ResultsOnly, o.ResultsOnlyThreshold}
	default:
		return repetition{}
	}
}

// thin is the grade of equal calls that are not confirmed: where all outcomes
// are the same it is the arguments that differ, in identifiers.
func (s *streak) thin() Grade {
	if s.Alike > 0 && !s.Ref.Hollow {
		return ResultsOnly
	}
	return ArgsOnly
}

// passed compares with a threshold that may be 0, for never.
func passed(n, threshold int) bool { return threshold > 0 && n >= threshold }

func (r *repetition) hit() hit {
	return hit{
		id: r.at.identity(), code: CodeRepeatedToolCall, grade: r.grade, call: r.at.Call, count: r.Count,
		facts: facts{
			Tools: r.at.Tools, Threshold: r.threshold, Known: r.Known, Differ: r.Differ,
			Varied: r.Varied, Recent: r.Recent, Renamed: r.Alike > 0 && r.grade == ResultsOnly,
		},
	}
}

func repeatedWords(g *Guard, f *Finding, x *facts) (string, Evidence) {
	tool := g.label(x.Tools)
	e := Evidence{
		"tool": tool, "count": f.Count, "threshold": x.Threshold,
		"step_indexes": x.Recent.list(), "identical_results": x.identical(f.Count),
	}
	g.varied(e, x.Varied)
	return fmt.Sprintf("Tool %q was called %d times in a row with %s.", tool, f.Count, x.alike(f)), e
}

// identical says whether the outcomes were: true, false or "unknown".
func (x *facts) identical(count int) any {
	switch {
	case x.Differ:
		return false
	case x.Known == count, x.Renamed:
		return true
	default:
		return "unknown"
	}
}

func (x *facts) alike(f *Finding) string {
	switch {
	case x.Renamed:
		return "the same outcome and with arguments that differ in an identifier or a time"
	case f.Grade == ResultsOnly:
		return "the same outcome (arguments unknown)"
	case x.Differ:
		return "the same arguments"
	case x.Known == f.Count:
		return "the same arguments and the same outcome"
	default:
		return "the same arguments (not every outcome is known)"
	}
}
