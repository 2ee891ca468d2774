// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "fmt"

// errorTools bounds a generation of the table of tools that have failed.
const errorTools = 128

// errorRun counts the rounds in a row in which a tool failed with one error,
// whatever lies between its calls.
type errorRun struct {
	Error mark
	Count int
	// Turn is the step of the boundary, Round the last round that counted,
	// Interval the number of rounds since the one before.
	Turn, Round, Interval int
	Recent                recent
	// Last is the tempo of that round, Gaps are those since the first.
	Last tempo
	Gaps waits
	// Args is the call that failed last, Strict that with its identifiers.
	// Renamed counts those that differed from the one before in these alone.
	Args, Strict mark
	Renamed      int
}

// noSuchTool stands for all tools that do not exist, and for the error about
// them: the names that a model makes up differ, its fault does not.
const noSuchTool mark = 0x6e6f2073756368

// repeatedError finds a tool that fails again and again with one error,
// whatever the arguments (detection.md 2; openclaw#117637). Texts are compared
// with digits and quoted names: an error about another name is another error.
func repeatedError(g *Guard) {
	g.lapse()
	for i := range g.calls {
		if c := &g.calls[i]; c.counts() {
			g.countError(c)
		}
	}
	for i := range g.calls {
		if c := &g.calls[i]; c.counts() && (c.failed || c.noTool) {
			g.reportError(c)
		}
	}
}

// errorOf is the tool and the error that a call counts for; an error of 0 is
// none, or one that says nothing.
func (c *call) errorOf() (tool, err mark) {
	switch {
	case c.noTool:
		return noSuchTool, noSuchTool
	case c.failed && !c.bare && !c.progress:
		return c.tool, c.out
	default:
		return c.tool, 0
	}
}

func (g *Guard) countError(c *call) {
	tool, err := c.errorOf()
	r, known := g.errors.get(tool)
	if r.Turn != g.now.Turn {
		r, known = errorRun{}, false
	}
	switch {
	case err == 0 && c.failed, err == 0 && c.out == 0:
		return // it says too little to count or to break
	case err == 0:
		g.worked(tool, r, known)
		return
	case err != r.Error:
		if known && r.Count > 0 {
			g.resumed(tool.with(r.Error))
		}
		r = errorRun{Error: err, Turn: g.now.Turn, Last: g.now.Pace.Tempo}
	case r.Round == g.rounds():
		return // one decision
	}
	if r.Count > 0 {
		r.Gaps.add(r.Last, g.now.Pace.Tempo)
		if c.args == r.Args && c.strict != r.Strict {
			r.Renamed++
		}
	}
	r.Last, r.Args, r.Strict = g.now.Pace.Tempo, c.args, c.strict
	r.Count++
	r.Interval, r.Round = g.rounds()-r.Round, g.rounds()
	r.Recent.note(g.index, g.rules.wanted)
	g.errors.set(tool, r)
}

// worked is for a call that has not failed.
func (g *Guard) worked(tool mark, r errorRun, known bool) {
	if known && r.Count > 0 {
		g.resumed(tool.with(r.Error))
		g.errors.set(tool, errorRun{Turn: g.now.Turn})
	}
	// A tool that works ends the search for one that exists.
	if r, known = g.errors.get(noSuchTool); known && r.Count > 0 {
		g.resumed(noSuchTool.with(r.Error))
		g.errors.set(noSuchTool, errorRun{Turn: g.now.Turn})
	}
}

func (g *Guard) reportError(c *call) {
	tool, err := c.errorOf()
	r, _ := g.errors.get(tool)
	if err == 0 || r.Error != err || r.Round != g.rounds() || r.Count < g.rules.RepeatedError.Threshold {
		return
	}
	if g.rules.polls(false, true, r.Gaps) {
		g.waited(tool.with(err), c.tool, c.index)
		return
	}
	h := hit{
		id: tool.with(err), code: CodeRepeatedError, grade: Confirmed, call: c.index, count: r.Count,
		facts: facts{
			Tools: c.tool, Threshold: g.rules.RepeatedError.Threshold, Differ: c.noTool,
			Recent: r.Recent, Round: r.Round, Interval: r.Interval,
		},
	}
	if r.Renamed == r.Count-1 {
		// Each was about another thing, and may have had a reason of its own.
		h.severity, h.grade = g.by.warning(), ResultsOnly
	}
	g.report(h)
}

func repeatedErrorWords(g *Guard, f *Finding, x *facts) (string, Evidence) {
	tool := g.label(x.Tools)
	e := Evidence{"tool": tool, "count": f.Count, "threshold": x.Threshold, "step_indexes": x.Recent.list()}
	if x.Differ {
		return fmt.Sprintf("%d times a tool was called that does not exist, %q the last.", f.Count, tool), e
	}
	return fmt.Sprintf("Tool %q failed %d times with the same error.", tool, f.Count), e
}
