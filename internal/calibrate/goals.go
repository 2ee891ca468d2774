// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

// The targets that thresholds have to meet.
const (
	maxSolved    = 0.01
	minPrecision = 0.95
	recallFactor = 2
)

// goal is a target, the figure that it is about, and whether it is met.
type goal struct {
	text   string
	figure func(*tally) string
	met    func(*tally) bool
}

func (s set) goals() (goals []goal) {
	if s.Report.Set.Solved != "" {
		goals = append(goals, goal{
			fmt.Sprintf("at most %g %% of solved runs get `stop`", 100*maxSolved),
			func(t *tally) string { return t.SolvedRate(judgeStop).String() },
			func(t *tally) bool { return t.SolvedRate(judgeStop).share() <= maxSolved },
		})
	}
	if !s.Labelled() {
		return goals
	}
	for _, judge := range []string{judgeStop, judgeWarn} {
		goals = append(goals, goal{
			fmt.Sprintf("precision at least %g: %s", minPrecision, judge),
			func(t *tally) string { return t.Precision(judge).String() },
			func(t *tally) bool { return t.Precision(judge).share() >= minPrecision },
		}, goal{
			fmt.Sprintf("recall at least %d times that of %s: %s", recallFactor, judgeInRow, judge),
			func(t *tally) string { return t.Gain(judge) },
			func(t *tally) bool { return t.factor(judge) >= recallFactor },
		})
	}
	return goals
}

func yes(met bool) string {
	if met {
		return "yes"
	}
	return "**no**"
}

// factor compares recall with the simplest rule's.
func (t *tally) factor(judge string) float64 {
	return t.Recall(judge).share() / t.Recall(judgeInRow).share()
}

// Gain is the factor with what it compares.
func (t *tally) Gain(judge string) string {
	return fmt.Sprintf("%.2f times (%s against %s)", t.factor(judge), t.Recall(judge).Percent(), t.Recall(judgeInRow).Percent())
}

// Twice is the recall that the target asks for.
func (t *tally) Twice() string {
	return fmt.Sprintf("%.0f %%", 100*recallFactor*t.Recall(judgeInRow).share())
}
