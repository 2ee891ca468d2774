// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// inARow is the streak of identical calls that the simplest rule calls a loop.
const inARow = 3

// judges holds what the judges share between runs.
type judges struct {
	// profiles are the retrospective one and its settings, by name.
	profiles map[string]*guard.Guard
	defaults *guard.Guard
	digester *guard.Digester
}

func newJudges() (*judges, error) {
	profiles := map[string]*guard.Guard{}
	for _, s := range append(settings, setting{judgeStop, func(*guard.Options) {}}) {
		g, err := s.guard()
		if err != nil {
			return nil, err
		}
		profiles[s.name] = g
	}
	defaults, err := guard.New(guard.Options{})
	if err != nil {
		return nil, fmt.Errorf("defaults: %w", err)
	}
	digester, err := guard.NewDigester(guard.Sameness{})
	if err != nil {
		return nil, fmt.Errorf("digester: %w", err)
	}
	return &judges{profiles: profiles, defaults: defaults, digester: digester}, nil
}

// digest makes the steps what the processor makes of spans: text that was not
// recorded is unknown.
func (j *judges) digest(steps []step) []guard.StepDigest {
	digests := make([]guard.StepDigest, len(steps))
	for i, s := range steps {
		digests[i] = j.digester.Step(s.Step)
		if s.TextUnknown {
			digests[i].Text = guard.TextDigest{}
		}
	}
	return digests
}

// retrospective is a profile over a whole run, as the processor judges it.
func (j *judges) retrospective(profile string, steps []guard.StepDigest) []guard.Finding {
	g := j.profiles[profile].Fresh()
	for _, s := range steps {
		g.CheckDigest(s)
	}
	g.End()
	return g.Findings()
}

func worst(findings []guard.Finding) guard.Severity {
	severity := guard.OK
	for _, f := range findings {
		severity = max(severity, f.Severity)
	}
	return severity
}

// agentLoopguard is agent-loopguard with its defaults, as its README wires it
// into a loop: the first fault ends the run, a plain stop ends the turn. Only
// faults of repetition count.
func (j *judges) agentLoopguard(steps []step) bool {
	g := j.defaults.Fresh()
	for _, s := range steps {
		v := g.Check(s.Step)
		if guard.IsFault(v) {
			return ofRepetition(v.Reason)
		}
		if v.Stop {
			g.Reset()
		}
	}
	return false
}

func ofRepetition(r guard.Reason) bool {
	return r == guard.ReasonRepeated || r == guard.ReasonOscillation || r == guard.ReasonNoProgress
}

// gauntSloth is the middleware of gaunt-sloth with its default threshold, asked
// before every call of the model.
func (j *judges) gauntSloth(steps []step) bool {
	rule := guard.ToolLoop{Mode: guard.HaltMode}
	var history []guard.Message
	for _, s := range steps {
		if s.Boundary {
			history = append(history, guard.Message{Role: guard.UserRole})
		}
		history = appendMessages(history, s.Calls)
		if rule.Judge(history).Halt {
			return true
		}
	}
	return false
}

// appendMessages adds a model's message with its calls, and their answers. The
// data sets have no call ids; the call's place in the history is one.
func appendMessages(history []guard.Message, calls []guard.ToolCall) []guard.Message {
	asked := guard.Message{Role: guard.AssistantRole}
	var answers []guard.Message
	for i, c := range calls {
		id := fmt.Sprint(len(history), "/", i)
		asked.Calls = append(asked.Calls, guard.MessageCall{ID: id, Name: c.Name, Args: c.Args})
		answers = append(answers, guard.Message{Role: guard.ToolRole, CallID: id, Failed: c.Error != nil})
	}
	return append(append(history, asked), answers...)
}

// identicalInARow looks at calls alone: not at turns, messages or results.
func (j *judges) identicalInARow(steps []step) bool {
	type call struct {
		tool string
		args uint64
	}
	var last call
	streak := 0
	for _, s := range steps {
		for _, c := range s.Calls {
			now := call{c.Name, guard.FingerprintOf(c.Args).Exact}
			if now != last {
				last, streak = now, 0
			}
			if streak++; streak >= inARow {
				return true
			}
		}
	}
	return false
}
