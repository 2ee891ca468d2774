// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/template"
)

//go:embed report.md.tmpl
var reportText string

var reportTemplate = template.Must(template.New("report").Parse(reportText))

// report is what the template sees.
type report struct {
	Date string
	Sets []set
}

// Name is that of the data set.
func (s set) Name() string { return s.Report.Set.Name }

// Labelled says whether precision and recall mean anything.
func (s set) Labelled() bool { return s.Report.Set.Positive != "" }

func write(out io.Writer, r report) error {
	if err := reportTemplate.Execute(out, r); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// Set finds a data set by its name.
func (r report) Set(name string) (set, error) {
	i := slices.IndexFunc(r.Sets, func(s set) bool { return s.Name() == name })
	if i < 0 {
		return set{}, fmt.Errorf("no data set %q", name)
	}
	return r.Sets[i], nil
}

// Meaning is what the labels mean, as two cells.
func (s set) Meaning() string {
	d := s.Report.Set
	return cmp.Or(d.Positive, "-") + " | " + cmp.Or(d.Solved, "-")
}

// Runs is the table of the data sets.
func (r report) Runs() string {
	t := newTable("data set", "part", "runs", "positive", "solved", "neither", "steps", "tool calls")
	for _, s := range r.Sets {
		for _, p := range s.Parts() {
			t.add(s.Name(), p.Name, p.Runs.Sum(), p.Runs[positive], p.Runs[solved], p.Runs[other], p.Steps, p.Calls)
		}
	}
	return t.String()
}

// part is a tally with its name.
type part struct {
	Name string
	*tally
}

// Parts are those of the data set, the headline first.
func (s set) Parts() []part {
	return []part{{"report half", s.Report}, {"tune half", s.Tune}, {"each once", s.Once}, {"fresh", s.Fresh}}
}

// Targets is the table of what was asked for, and what came out.
func (r report) Targets() string {
	t := newTable("data set", "target", "report half", "met", "tune half", "each once", "fresh")
	for _, s := range r.Sets {
		for _, g := range s.goals() {
			t.add(s.Name(), g.text, g.figure(s.Report), yes(g.met(s.Report)),
				g.figure(s.Tune), g.figure(s.Once), g.figure(s.Fresh))
		}
	}
	return t.String()
}

// Alarmed is the number of runs that a judge stops.
func (t *tally) Alarmed(judge string) int { return t.Alarms[judge].Sum() }

// False is the number of those that are not positive.
func (t *tally) False(judge string) int { return t.Alarmed(judge) - t.Alarms[judge][positive] }

// Judges is the table of this guard and the simpler rules on one half.
func (t *tally) Judges() string {
	out := newTable("judge", "positive runs (recall)", "solved runs", "precision", "precision without \"neither\"")
	for _, name := range judgeNames {
		out.add(name, t.Recall(name), t.SolvedRate(name), t.Precision(name), t.PrecisionSolved(name))
	}
	return out.String()
}

// Settings is the table of other settings, by what gets stop.
func (r report) Settings() string {
	t := newTable("setting", "data set", "positive runs (recall)", "solved runs", "precision", "precision, tune half")
	for _, name := range append([]string{judgeStop}, settingNames()...) {
		for _, s := range r.Sets {
			if s.Report.Set.Solved != "" {
				t.add(name, s.Name(), s.Report.Recall(name), s.Report.SolvedRate(name), s.precision(s.Report, name), s.precision(s.Tune, name))
			}
		}
	}
	return t.String()
}

// precision is nothing where no run is positive.
func (s set) precision(t *tally, judge string) rate {
	if !s.Labelled() {
		return rate{}
	}
	return t.Precision(judge)
}

func settingNames() (names []string) {
	for _, s := range settings {
		names = append(names, s.name)
	}
	return names
}

// Rates is the table of the judges where no run is positive.
func (t *tally) Rates() string {
	out := newTable("judge", "solved runs", "all runs")
	for _, name := range judgeNames {
		out.add(name, t.SolvedRate(name), rate{t.Alarms[name].Sum(), t.Runs.Sum()})
	}
	return out.String()
}

// Kinds is the table of the findings on one half.
func (t *tally) Kinds() string {
	out := newTable("finding", "grade", "severity", "positive runs", "solved runs", "neither")
	for _, k := range t.kinds() {
		c := t.Findings[k]
		out.add(k.Code, k.Grade, k.Severity, t.rate(positive, c), t.rate(solved, c), t.rate(other, c))
	}
	return out.String()
}

// OnlyCodes is the table of the runs that one code alone stops.
func (t *tally) OnlyCodes() string {
	out := newTable("finding", "positive runs", "solved runs", "neither", "precision")
	for _, code := range slices.Sorted(maps.Keys(t.Only)) {
		c := t.Only[code]
		out.add(code, c[positive], c[solved], c[other], rate{c[positive], c.Sum()})
	}
	return out.String()
}

// Misses is the table of what the positive runs without stop repeat.
func (t *tally) Misses() string {
	missed := t.Runs[positive] - t.Alarms[judgeStop][positive]
	out := newTable("the most that comes again", "missed runs")
	for r := repetitions - 1; r >= 0; r-- {
		out.add(r, rate{t.Missed[r], missed})
	}
	return out.String()
}

// Ceiling is the share of positive runs in which anything comes again.
func (t *tally) Ceiling() rate {
	return rate{t.Runs[positive] - t.Missed[nothingRepeats], t.Runs[positive]}
}

// LongRate is the rate of stop among solved runs that are long enough to loop.
func (t *tally) LongRate() rate { return rate{t.LongStops, t.Long} }
