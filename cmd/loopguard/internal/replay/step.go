// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package replay judges plain guard steps, without any OpenTelemetry.
package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// line is one step as JSON. Keys may be written in snake case or, as the
// agent-loopguard library does, in camel case.
type line struct {
	Run          string
	Calls        []callLine `json:"toolcalls"`
	Text         string
	FinishReason string `json:"finishreason"`
	Usage        struct {
		InputTokens  float64 `json:"inputtokens"`
		OutputTokens float64 `json:"outputtokens"`
		TotalTokens  float64 `json:"totaltokens"`
		CostUSD      float64 `json:"costusd"`
		PricedUSD    float64 `json:"pricedusd"`
	}
	DurationMs float64 `json:"durationms"`
	Boundary   bool
	Start, End moment
}

type callLine struct {
	Name       string
	Args       json.RawMessage
	Result     json.RawMessage
	Error      json.RawMessage
	Start, End moment
}

// content are the keys whose values are the user's: what is inside of them is
// left as it is.
var content = map[string]bool{"args": true, "result": true, "error": true}

// The keys of a step and of what is in it.
var (
	stepKeys  = []string{"run", "toolCalls", "text", "finishReason", "usage", "durationMs", "boundary", "start", "end"}
	callKeys  = []string{"name", "args", "result", "error", "start", "end"}
	usageKeys = []string{"inputTokens", "outputTokens", "totalTokens", "costUsd", "pricedUsd"}
)

// parse reads a step; absent stands for what a call leaves out.
func parse(text []byte, absent any) (run string, s guard.Step, err error) {
	text, err = foldKeys(text, stepKeys)
	if err != nil {
		return "", s, err
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return "", s, fmt.Errorf("not a guard step: %w", err)
	}
	s = guard.Step{
		Text: l.Text, FinishReason: l.FinishReason, DurationMs: l.DurationMs, Boundary: l.Boundary,
		Usage: guard.Usage(l.Usage), Start: l.Start.Time, End: l.End.Time,
	}
	for _, c := range l.Calls {
		s.Calls = append(s.Calls, c.call(absent))
	}
	return l.Run, s, nil
}

func (c *callLine) call(absent any) guard.ToolCall {
	out := guard.ToolCall{Name: c.Name, Start: c.Start.Time, End: c.End.Time}
	out.Args, out.Result = orAbsent(c.Args, absent), orAbsent(c.Result, absent)
	if c.Error != nil && string(c.Error) != "null" {
		out.Error, out.Result = errorText(c.Error), nil
	}
	return out
}

func orAbsent(raw json.RawMessage, absent any) any {
	if raw == nil {
		return absent
	}
	return raw
}

// errorText takes an error that is a JSON string for its text.
func errorText(raw json.RawMessage) any {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return raw
}

// foldKeys writes the keys of a step, its calls and its usage without
// underscores: encoding/json does not mind upper and lower case.
func foldKeys(text []byte, known []string) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("not a JSON object with a guard step: %w", err)
	}
	out := make(map[string]json.RawMessage, len(members))
	for _, key := range slices.Sorted(maps.Keys(members)) {
		value, folded := members[key], fold(key)
		var err error
		switch {
		case !slices.ContainsFunc(known, func(k string) bool { return fold(k) == folded }):
			return nil, fmt.Errorf("unknown key %q, must be one of: %s", key, strings.Join(known, ", "))
		case out[folded] != nil:
			return nil, fmt.Errorf("key %q is there twice", key)
		case content[folded]:
		case folded == "usage" && string(value) != "null":
			value, err = foldKeys(value, usageKeys)
		case folded == "toolcalls":
			value, err = foldCalls(value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		out[folded] = value
	}
	return json.Marshal(out)
}

// fold is the form of a key in which all its spellings are the same.
func fold(key string) string { return strings.ToLower(strings.ReplaceAll(key, "_", "")) }

func foldCalls(text []byte) ([]byte, error) {
	var calls []json.RawMessage
	if err := json.Unmarshal(text, &calls); err != nil {
		return nil, fmt.Errorf("not a list: %w", err)
	}
	for i := range calls {
		var err error
		if calls[i], err = foldKeys(calls[i], callKeys); err != nil {
			return nil, err
		}
	}
	return json.Marshal(calls)
}

// moment is a time as text (RFC 3339) or as a number of milliseconds since
// 1970.
type moment struct{ time.Time }

var _ json.Unmarshaler = (*moment)(nil)

// UnmarshalJSON reads either form.
func (m *moment) UnmarshalJSON(text []byte) error {
	var ms float64
	if json.Unmarshal(text, &ms) == nil {
		m.Time = time.UnixMicro(int64(ms * 1000))
		return nil
	}
	return m.Time.UnmarshalJSON(text)
}
