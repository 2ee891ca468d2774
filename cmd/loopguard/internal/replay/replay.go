// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// Run is one run and what was found in it.
type Run struct {
	Name     string          `json:"run,omitempty"`
	Steps    int             `json:"steps"`
	Verdict  guard.Severity  `json:"verdict"`
	Code     string          `json:"code,omitempty"`
	Findings []guard.Finding `json:"findings,omitempty"`

	guard *guard.Guard
	over  bool
}

// Options says by which rules to judge.
type Options struct {
	Guard guard.Options
	// Live judges as the agent's own loop would: a step at a time, and the
	// first stop ends the run. Otherwise the run is judged in hindsight, and
	// what a call leaves out is unknown.
	Live bool
}

// maxLine bounds a line, in bytes.
const maxLine = 32 << 20

// Judge reads steps, one a line. Those with different values of "run" are of
// different runs. The runs come back in the order of their first steps. An error
// names the line.
func Judge(r io.Reader, o Options) ([]*Run, error) {
	pattern, err := guard.New(o.Guard)
	if err != nil {
		return nil, err
	}
	j := &judgement{options: o, pattern: pattern, byName: map[string]*Run{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan() && lines.Err() == nil; n++ { // After an error comes half a line.
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := j.take(lines.Bytes()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	if len(j.runs) == 0 {
		return nil, errors.New("no steps; expected one a line, such as {\"toolCalls\":[{\"name\":\"search\",\"args\":{}}]}")
	}
	for _, run := range j.runs {
		run.end()
	}
	return j.runs, nil
}

type judgement struct {
	options Options
	pattern *guard.Guard
	byName  map[string]*Run
	runs    []*Run
}

func (j *judgement) take(text []byte) error {
	var absent any = guard.Unknown
	if j.options.Live {
		absent = nil
	}
	name, step, err := parse(text, absent)
	if err != nil {
		return err
	}
	run := j.byName[name]
	if run == nil {
		run = &Run{Name: name, guard: j.pattern.Fresh()}
		j.byName[name] = run
		j.runs = append(j.runs, run)
	}
	run.Steps++
	if run.over {
		return nil
	}
	v := run.guard.Check(step)
	if j.options.Live && v.Stop {
		run.over = true
		if !guard.IsFault(v) {
			run.guard = j.pattern.Fresh() // It finished normally: nothing to tell.
		}
	}
	return nil
}

func (r *Run) end() {
	r.guard.End()
	r.Findings = r.guard.Findings()
	worst := r.guard.Verdict()
	r.Verdict, r.Code = worst.Severity, worst.Code
	r.guard = nil
}
