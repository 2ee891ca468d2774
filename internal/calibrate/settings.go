// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// setting is another choice of options than the defaults, named as in YAML.
type setting struct {
	name  string
	apply func(*guard.Options)
}

// settings are those that the report weighs against the defaults.
var settings = []setting{
	{"`error_streak: {severity: stop}`", errorsStop},
	{"`recurring_call: {severity: stop}`", recurringStops},
	{"both", func(o *guard.Options) { errorsStop(o); recurringStops(o) }},
	{"`threshold: 4` instead of 3 everywhere", four},
	{"the same, and `error_streak: {severity: stop}`", func(o *guard.Options) { errorsStop(o); four(o) }},
}

func errorsStop(o *guard.Options) { o.ErrorStreak.Severity = guard.Stop }

func recurringStops(o *guard.Options) { o.RecurringCall.Severity = guard.Stop }

func four(o *guard.Options) {
	o.RepeatedToolCall.Threshold, o.RepeatedError.Threshold, o.NoProgress.Threshold = 4, 4, 4
}

func (s *setting) guard() (*guard.Guard, error) {
	o := guard.Retrospective()
	s.apply(&o)
	g, err := guard.New(o)
	if err != nil {
		return nil, fmt.Errorf("setting %s: %w", s.name, err)
	}
	return g, nil
}
