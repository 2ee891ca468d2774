// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// fieldCase is a run with what a guard says of it; guard/testdata/cases has the
// format.
type fieldCase struct {
	ID      string           `json:"id"`
	Options map[string]any   `json:"options"`
	Lists   map[string][]any `json:"lists"`
	Steps   []map[string]any `json:"steps"`
	Turns   map[string]any   `json:"turns"`
	Expect  struct {
		Loopguard *struct {
			Step   *int    `json:"step"`
			Reason *string `json:"reason"`
			Code   *string `json:"code"`
			Fault  bool    `json:"fault"`
		} `json:"loopguard"`
	} `json:"expect"`
}

func fieldCases(t *testing.T) []*fieldCase {
	var all []*fieldCase
	for _, dir := range []string{"../../guard/testdata/cases", "../../../shared/cases/dev"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
		require.NoError(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			dec := json.NewDecoder(bytes.NewReader(text))
			dec.UseNumber()
			c := new(fieldCase)
			require.NoError(t, dec.Decode(c), path)
			all = append(all, c)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// expand writes repeated steps out.
func (c *fieldCase) expand() []map[string]any {
	var steps []map[string]any
	for _, item := range c.Steps {
		repeat, ok := item["repeat"].(map[string]any)
		if !ok {
			steps = append(steps, item)
			continue
		}
		for lap := range integer(repeat["times"]) {
			offset := integer(repeat["start_ms"]) + lap*integer(repeat["period_ms"])
			for _, s := range repeat["steps"].([]any) {
				step := c.fill(s, lap).(map[string]any)
				shift(step, offset)
				for _, call := range callsOf(step) {
					shift(call, offset)
				}
				steps = append(steps, step)
			}
		}
	}
	return steps
}

func integer(v any) int {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return int(i)
}

func callsOf(step map[string]any) []map[string]any {
	var calls []map[string]any
	list, _ := step["calls"].([]any)
	for _, c := range list {
		calls = append(calls, c.(map[string]any))
	}
	return calls
}

func shift(o map[string]any, offset int) {
	for _, key := range []string{"start_ms", "end_ms"} {
		if v, ok := o[key]; ok {
			o[key] = json.Number(strconv.Itoa(integer(v) + offset))
		}
	}
}

var placeholder = regexp.MustCompile(`\{\{(#?)(?:(?:(\d+)\*)?i(?:\+(\d+))?(?:%(\d+))?|hex(\d+)(?::(\w+))?|@(\w+)(?:\+(\d+))?)\}\}`)

// fill replaces the placeholders of a repeated value. One that is all of a
// string may become another type.
func (c *fieldCase) fill(v any, lap int) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, x := range v {
			out[fmt.Sprint(c.fill(key, lap))] = c.fill(x, lap)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = c.fill(x, lap)
		}
		return out
	case string:
		m := placeholder.FindStringSubmatch(v)
		if m != nil && m[0] == v && m[1] == "#" {
			return json.Number(strconv.Itoa(linear(m, lap)))
		}
		if m != nil && m[0] == v && m[7] != "" {
			return c.fill(c.listed(m, lap), lap)
		}
		return placeholder.ReplaceAllStringFunc(v, func(s string) string {
			return c.text(placeholder.FindStringSubmatch(s), lap)
		})
	default:
		return v
	}
}

func (c *fieldCase) text(m []string, lap int) string {
	switch {
	case m[5] != "":
		sum := sha256.Sum256(fmt.Appendf(nil, "%s|%d|%s|%s", c.ID, lap, m[5], m[6]))
		n, _ := strconv.Atoi(m[5])
		return hex.EncodeToString(sum[:])[:n]
	case m[7] != "":
		if s, ok := c.listed(m, lap).(string); ok {
			return s
		}
		b, _ := json.Marshal(c.listed(m, lap))
		return string(b)
	default:
		return strconv.Itoa(linear(m, lap))
	}
}

func (c *fieldCase) listed(m []string, lap int) any {
	plus, _ := strconv.Atoi(m[8])
	return c.Lists[m[7]][(lap+plus)%len(c.Lists[m[7]])]
}

// linear is A*i+B mod M.
func linear(m []string, lap int) int {
	n := lap
	if factor, err := strconv.Atoi(m[2]); err == nil {
		n *= factor
	}
	plus, _ := strconv.Atoi(m[3])
	n += plus
	if mod, err := strconv.Atoi(m[4]); err == nil {
		n %= mod
	}
	return n
}

// lane tells the runs of a case apart, as the guard's own tests do.
func lane(step map[string]any) string {
	turn := fmt.Sprint(step["turn"])
	if step["parent_agent"] == nil {
		return turn
	}
	if id, _ := step["invocation"].(string); id != "" {
		return turn + id
	}
	return turn + fmt.Sprint(step["agent"])
}

// lines writes the case as steps, in the spelling of the library.
func (c *fieldCase) lines(t *testing.T) string {
	var b strings.Builder
	turn := "0"
	for _, s := range c.expand() {
		if s["error"] != nil {
			continue
		}
		line := map[string]any{"run": lane(s), "text": s["text"], "start": s["start_ms"], "end": s["end_ms"]}
		if finish, ok := s["finish_reason"].(string); ok {
			line["finishReason"] = finish
		}
		if usage, ok := s["usage"].(map[string]any); ok {
			line["usage"] = usage
		}
		if now := fmt.Sprint(s["turn"]); now != turn {
			_, line["boundary"] = c.Turns[now]
			turn = now
		}
		calls := []any{}
		for _, call := range callsOf(s) {
			out := map[string]any{"name": call["name"], "start": call["start_ms"], "end": call["end_ms"]}
			for _, key := range []string{"args", "result", "error"} {
				if v, ok := call[key]; ok {
					out[key] = v
				}
			}
			calls = append(calls, out)
		}
		line["toolCalls"] = calls
		text, err := json.Marshal(line)
		require.NoError(t, err)
		b.Write(append(text, '\n'))
	}
	return b.String()
}

// byTheGuard judges the lines with the guard itself.
func byTheGuard(t *testing.T, lines string, o guard.Options) map[string]string {
	guards := map[string]*guard.Guard{}
	for line := range strings.Lines(lines) {
		var l struct {
			Run, Text, FinishReason string
			Usage                   guard.Usage
			Boundary                bool
			Start, End              int64
			ToolCalls               []struct {
				Name                string
				Args, Result, Error json.RawMessage
				Start, End          int64
			}
		}
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		if guards[l.Run] == nil {
			g, err := guard.New(o)
			require.NoError(t, err)
			guards[l.Run] = g
		}
		step := guard.Step{Text: l.Text, FinishReason: l.FinishReason, Usage: l.Usage, Boundary: l.Boundary, Start: time.UnixMilli(l.Start), End: time.UnixMilli(l.End)}
		for _, c := range l.ToolCalls {
			call := guard.ToolCall{Name: c.Name, Args: guard.Unknown, Result: guard.Unknown, Start: time.UnixMilli(c.Start), End: time.UnixMilli(c.End)}
			if c.Args != nil {
				call.Args = c.Args
			}
			if c.Result != nil {
				call.Result = c.Result
			}
			if c.Error != nil && string(c.Error) != "null" {
				var text string
				require.NoError(t, json.Unmarshal(c.Error, &text))
				call.Error, call.Result = text, nil
			}
			step.Calls = append(step.Calls, call)
		}
		guards[l.Run].Check(step)
	}
	out := map[string]string{}
	for name, g := range guards {
		g.End()
		text, err := json.Marshal(g.Findings())
		require.NoError(t, err)
		out[name] = string(text)
	}
	return out
}

func TestReplayAgreesWithTheGuard(t *testing.T) {
	cfg, err := new(configFlags).load()
	require.NoError(t, err)
	for _, c := range fieldCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			lines := c.lines(t)
			r := executeWith(t, lines, "replay", "--format", "jsonl", "-")
			require.Zero(t, r.code, r.log)
			got := map[string]string{}
			for line := range strings.Lines(r.out) {
				var run struct {
					Run      string
					Findings json.RawMessage
				}
				require.NoError(t, json.Unmarshal([]byte(line), &run))
				got[run.Run] = string(run.Findings)
				if run.Findings == nil {
					got[run.Run] = "null"
				}
			}
			assert.Equal(t, byTheGuard(t, lines, cfg.Settings(nil).Runs.Guard), got)
		})
	}
}

// TestReplayLiveAgreesWithTheLibrary takes the cases that need no options: what
// the library says of them is part of each.
func TestReplayLiveAgreesWithTheLibrary(t *testing.T) {
	for _, c := range fieldCases(t) {
		want := c.Expect.Loopguard
		if want == nil || len(c.Options) > 0 || strings.Contains(c.lines(t), `"run":"2"`) {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			r := executeWith(t, c.lines(t), "replay", "--rules", "live", "--format", "jsonl", "-")
			require.Zero(t, r.code, r.log)
			var run struct {
				Verdict, Code string
				Findings      []struct {
					Step   int
					Reason string
				}
			}
			require.NoError(t, json.Unmarshal([]byte(r.out), &run), r.out)
			if want.Step == nil || !want.Fault {
				assert.NotEqual(t, "stop", run.Verdict, run.Code)
				return
			}
			assert.Equal(t, "stop", run.Verdict)
			assert.Equal(t, *want.Code, run.Code)
			assert.Equal(t, *want.Reason, run.Findings[0].Reason)
			assert.Equal(t, *want.Step, run.Findings[0].Step)
		})
	}
}

const repeatedStep = `{"toolCalls":[{"name":"search","args":{"q":"x"},"result":"nothing"}],"finishReason":"tool-calls","usage":{"inputTokens":10}}` + "\n"

func TestReplay(t *testing.T) {
	path := write(t, "steps.jsonl", []byte(strings.Repeat(repeatedStep, 4)))
	r := execute(t, "replay", path)
	assert.Zero(t, r.code, r.log)
	assert.Equal(t, "4 steps, stop\n  stop at step 2, counting from 0: REPEATED_TOOL_CALL (confirmed): "+
		"Tool \"search\" was called 4 times in a row with the same arguments and the same outcome.\n", r.out)
	assert.Equal(t, exitFound, execute(t, "replay", "--fail-on", "stop", path).code)

	snake := strings.NewReplacer("toolCalls", "tool_calls", "finishReason", "finish_reason", "inputTokens", "input_tokens").Replace(repeatedStep)
	assert.Equal(t, r.out, executeWith(t, strings.Repeat(snake, 4), "replay", "-").out)

	config := write(t, "config.yaml", []byte("detectors: {repeated_tool_call: {threshold: 9}, no_progress: {threshold: 9}}"))
	assert.Equal(t, "4 steps, ok\n", execute(t, "replay", "--config", config, "--fail-on", "warn", path).out)
}

// TestReplayHelpHasEveryKey takes the keys from the message about a wrong one.
func TestReplayHelpHasEveryKey(t *testing.T) {
	help := execute(t, "replay", "--help").out
	for _, line := range []string{`{"x":1}`, `{"toolCalls":[{"x":1}]}`, `{"usage":{"x":1}}`} {
		_, keys, ok := strings.Cut(executeWith(t, line, "replay", "-").log, "must be one of: ")
		require.True(t, ok)
		for key := range strings.SplitSeq(strings.TrimSpace(keys), ", ") {
			assert.Regexp(t, `\b`+key+`\b`, help)
		}
	}
}

func TestReplayTellsRunsApart(t *testing.T) {
	a := strings.Replace(repeatedStep, "{", `{"run":"a",`, 1)
	b := strings.Replace(repeatedStep, "{", `{"run":"b",`, 1)
	r := executeWith(t, a+b+"\n"+a+b, "replay", "-")
	assert.Equal(t, "run \"a\": 2 steps, ok\nrun \"b\": 2 steps, ok\n", r.out)
	one := executeWith(t, b, "replay", "-")
	assert.Equal(t, "run \"b\": 1 step, ok\n", one.out)
}

func TestReplayLiveEndsWithTheRun(t *testing.T) {
	done := `{"text":"done","finishReason":"stop"}` + "\n"
	r := executeWith(t, strings.Repeat(repeatedStep, 2)+done+strings.Repeat(repeatedStep, 3), "replay", "--rules", "live", "-")
	assert.Equal(t, "6 steps, ok\n", r.out)
	r = executeWith(t, `{"text":"cut","finishReason":"length"}`, "replay", "--rules", "live", "-")
	assert.Contains(t, r.out, "FINISH_TERMINAL")
}

func TestStepsThatCannotBeRead(t *testing.T) {
	tests := map[string]string{
		"":                                 "no steps; expected one a line",
		repeatedStep + "{\"text\":":        "line 2: not a JSON object with a guard step",
		"[]":                               "line 1: not a JSON object with a guard step",
		`{"toolCalls":7}`:                  "line 1: toolCalls: not a list",
		`{"toolCalls":[{"name":7}]}`:       "line 1: not a guard step",
		`{"toolCalls":[7]}`:                "line 1: toolCalls: not a JSON object",
		`{"usage":7}`:                      "line 1: usage: not a JSON object",
		`{"start":"yesterday"}`:            "line 1: not a guard step",
		`{"text":1}`:                       "line 1: not a guard step",
		`{"start":"2026-11-30T12:00Z"`:     "line 1: not a JSON object",
		repeatedStep + `{"calls":[]}`:      `line 2: unknown key "calls", must be one of: run, toolCalls, text, `,
		`{"toolCalls":[{"tool":"x"}]}`:     `line 1: toolCalls: unknown key "tool", must be one of: name, args, result, error, `,
		`{"usage":{"input":7}}`:            `line 1: usage: unknown key "input", must be one of: inputTokens, `,
		`{"tool_calls":[],"toolCalls":[]}`: `line 1: key "tool_calls" is there twice`,
	}
	for text, want := range tests {
		r := executeWith(t, text, "replay", "-")
		assert.Equal(t, exitInput, r.code, text)
		assert.Contains(t, r.log, "loopguard: -: "+want, text)
	}
	r := execute(t, "replay", "nowhere.jsonl")
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.log, "expected a file of guard steps, or - for the standard input")
}
