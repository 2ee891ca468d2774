// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// The kinds of entries, and the name of a message that a user wrote.
const (
	kindTool = "tool"
	nameUser = "user"
)

// emptyText is what a message without text was recorded as.
const emptyText = "null"

// step is a guard step and what it cannot say.
type step struct {
	guard.Step
	// TextUnknown says that the model's text was not recorded.
	TextUnknown bool
}

// steps makes the steps of a run: a message of a model opens one, the calls
// after it belong to it, calls before any message are a step of their own, and
// a user's message is a boundary.
func (r *record) steps() []step {
	var list []step
	boundary := false
	for _, e := range r.Steps {
		switch {
		case e.Kind == kindTool:
			if len(list) == 0 || boundary {
				list, boundary = append(list, step{Step: guard.Step{Boundary: boundary}, TextUnknown: true}), false
			}
			last := &list[len(list)-1]
			last.Calls = append(last.Calls, e.call())
		case e.Name == nameUser:
			boundary = true
		default:
			list, boundary = append(list, e.step(boundary)), false
		}
	}
	return list
}

func (e *entry) step(boundary bool) step {
	s := step{Step: guard.Step{Boundary: boundary}, TextUnknown: e.Text == nil}
	if e.Text != nil && *e.Text != emptyText {
		s.Text = *e.Text
	}
	if e.FinishReason != nil {
		s.FinishReason = *e.FinishReason
	}
	return s
}

// call reads content as the processor does: as JSON if it is, else as text.
func (e *entry) call() guard.ToolCall {
	c := guard.ToolCall{Name: e.Name, Args: guard.Unknown, Result: guard.Unknown}
	if e.Args != nil {
		c.Args = e.Args
	}
	switch {
	case e.Error != nil:
		c.Result, c.Error = nil, readable(e.failure())
	case e.Result != nil:
		c.Result = readable(*e.Result)
	}
	return c
}

// failure is the text of the error. The recorded error is a mark, or the
// beginning of the result; the result is the whole.
func (e *entry) failure() string {
	if e.Result != nil && *e.Result != "" {
		return *e.Result
	}
	return *e.Error
}

func readable(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}
