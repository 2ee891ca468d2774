// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/json"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// judgement is what all judges say about one run.
type judgement struct {
	class        class
	steps, calls int
	alarms       map[string]bool
	kinds        map[kind]bool
	most         repetition
}

// kind is a row of the table of findings.
type kind struct {
	Reason   guard.Reason
	Code     string
	Grade    guard.Grade
	Severity guard.Severity
}

// The names of the judges, in the order of the tables.
const (
	judgeStop    = "this guard, `stop`"
	judgeWarn    = "this guard, `stop` or `warn`"
	judgeSeeds   = "agent-loopguard's defaults"
	judgeSloth   = "gaunt-sloth's rule"
	judgeInRow   = "3 identical calls in a row"
	judgeSimilar = "3 similar calls in a row"
)

var judgeNames = []string{judgeStop, judgeWarn, judgeSeeds, judgeSloth, judgeInRow, judgeSimilar}

func (j *judges) judge(r *record, c class) judgement {
	steps := r.steps()
	out := judgement{
		class: c, steps: len(steps), calls: r.calls(),
		kinds: map[kind]bool{}, most: repetitionIn(steps),
	}
	digests := j.digest(steps)
	findings := j.retrospective(judgeStop, digests)
	for _, f := range findings {
		out.kinds[kind{f.Reason, f.Code, f.Grade, f.Severity}] = true
	}
	out.alarms = map[string]bool{
		judgeStop:    worst(findings) == guard.Stop,
		judgeWarn:    worst(findings) >= guard.Warn,
		judgeSeeds:   j.agentLoopguard(steps),
		judgeSloth:   j.gauntSloth(steps),
		judgeInRow:   j.identicalInARow(steps),
		judgeSimilar: j.similarInARow(steps),
	}
	for _, s := range settings {
		out.alarms[s.name] = worst(j.retrospective(s.name, digests)) == guard.Stop
	}
	return out
}

// onlyStop is the code of all stop findings, if they have one in common.
func (j *judgement) onlyStop() string {
	only := ""
	for k := range j.kinds {
		switch {
		case k.Severity != guard.Stop:
		case only != "" && only != k.Code:
			return ""
		default:
			only = k.Code
		}
	}
	return only
}

// content tells runs apart that were recorded more than once, under another id.
type content [sha256.Size]byte

func contentOf(r *record) (content, error) {
	data, err := json.Marshal(r.Steps)
	return sha256.Sum256(data), err
}
