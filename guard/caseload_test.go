// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

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
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fieldCase is a recorded run with what a guard should say about it.
type fieldCase struct {
	ID      string                     `json:"id"`
	Class   string                     `json:"class"`
	Hard    bool                       `json:"hard"`
	Content *bool                      `json:"content"`
	Options caseOptions                `json:"options"`
	Turns   map[string]json.RawMessage `json:"turns"`
	Lists   map[string][]any           `json:"lists"`
	Steps   []any                      `json:"steps"`
	Expect  struct {
		Fault     bool     `json:"fault"`
		Kinds     []Reason `json:"kinds"`
		NotKinds  []Reason `json:"not_kinds"`
		NoticeOK  []Reason `json:"notice_ok"`
		AtLeast   int      `json:"first_step_at_least"`
		AtMost    int      `json:"first_step_at_most"`
		EndedIn   bool     `json:"ended_in_loop"`
		State     State    `json:"state"`
		LoopGuard *struct {
			Step   *int    `json:"step"`
			Reason *Reason `json:"reason"`
			Code   *string `json:"code"`
			Fault  bool    `json:"fault"`
		} `json:"loopguard"`
		GauntSloth *struct {
			Warns []int `json:"warns"`
		} `json:"gaunt_sloth"`
		Warnings map[string][]int `json:"warnings"`
	} `json:"expect"`
}

type caseStep struct {
	Agent       string   `json:"agent"`
	ParentAgent *string  `json:"parent_agent"`
	ParentCall  string   `json:"parent_call"`
	Invocation  string   `json:"invocation"`
	Turn        int      `json:"turn"`
	Text        string   `json:"text"`
	Finish      *string  `json:"finish_reason"`
	Usage       *caseUse `json:"usage"`
	StartMs     int64    `json:"start_ms"`
	EndMs       int64    `json:"end_ms"`
	Error       any      `json:"error"`
	Calls       []struct {
		ID         string          `json:"id"`
		Name       string          `json:"name"`
		Args       json.RawMessage `json:"args"`
		Result     json.RawMessage `json:"result"`
		Error      *string         `json:"error"`
		StartMs    int64           `json:"start_ms"`
		EndMs      int64           `json:"end_ms"`
		Unanswered bool            `json:"unanswered"`
	} `json:"calls"`
}

type caseUse struct {
	Input  float64 `json:"input_tokens"`
	Output float64 `json:"output_tokens"`
	Total  float64 `json:"total_tokens"`
	Cost   float64 `json:"cost_usd"`
}

// loadCases reads the cases of a folder, with repeats written out.
func loadCases(t *testing.T, pattern string) []fieldCase {
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	var cases []fieldCase
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var c fieldCase
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		require.NoError(t, dec.Decode(&c), path)
		cases = append(cases, c)
	}
	return cases
}

// steps are the case's steps, without requests that failed themselves.
func (c *fieldCase) steps(t *testing.T) []caseStep {
	data, err := json.Marshal(c.expand(t))
	require.NoError(t, err)
	var steps []caseStep
	require.NoError(t, json.Unmarshal(data, &steps), c.ID)
	return steps
}

func (c *fieldCase) expand(t *testing.T) []any {
	var steps []any
	for _, item := range c.Steps {
		repeat, ok := item.(map[string]any)["repeat"].(map[string]any)
		if !ok {
			steps = append(steps, item)
			continue
		}
		for lap := range number(repeat["times"]) {
			offset := number(repeat["start_ms"]) + lap*number(repeat["period_ms"])
			for _, s := range repeat["steps"].([]any) {
				step := c.fill(t, s, int(lap)).(map[string]any)
				shift(step, offset)
				steps = append(steps, step)
			}
		}
	}
	return steps
}

func number(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}

func shift(step map[string]any, offset int64) {
	calls, _ := step["calls"].([]any)
	for _, o := range append([]any{step}, calls...) {
		for _, k := range []string{"start_ms", "end_ms"} {
			if v, ok := o.(map[string]any)[k]; ok {
				o.(map[string]any)[k] = number(v) + offset
			}
		}
	}
}

var (
	wholeNumber = regexp.MustCompile(`^\{\{#(?:(\d+)\*)?i(?:\+(\d+))?(?:%(\d+))?\}\}$`)
	wholeList   = regexp.MustCompile(`^\{\{@(\w+)(?:\+(\d+))?\}\}$`)
	placeholder = regexp.MustCompile(`\{\{(?:(?:(\d+)\*)?i(?:\+(\d+))?(?:%(\d+))?|hex(\d+)(?::(\w+))?|@(\w+)(?:\+(\d+))?)\}\}`)
)

// fill replaces the placeholders of a repeated value for one lap.
func (c *fieldCase) fill(t *testing.T, v any, lap int) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[c.fill(t, k, lap).(string)] = c.fill(t, x, lap)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = c.fill(t, x, lap)
		}
		return out
	case string:
		if m := wholeNumber.FindStringSubmatch(v); m != nil {
			return linear(m[1:4], lap)
		}
		if m := wholeList.FindStringSubmatch(v); m != nil {
			return c.fill(t, c.listItem(m[1], m[2], lap), lap)
		}
		return placeholder.ReplaceAllStringFunc(v, func(s string) string { return c.fillText(t, s, lap) })
	default:
		return v
	}
}

func (c *fieldCase) fillText(t *testing.T, s string, lap int) string {
	m := placeholder.FindStringSubmatch(s)
	switch {
	case m[4] != "":
		n, _ := strconv.Atoi(m[4])
		sum := sha256.Sum256(fmt.Appendf(nil, "%s|%d|%s|%s", c.ID, lap, m[4], m[5]))
		return hex.EncodeToString(sum[:])[:n]
	case m[6] != "":
		item := c.listItem(m[6], m[7], lap)
		if text, ok := item.(string); ok {
			return text
		}
		data, err := json.Marshal(item)
		require.NoError(t, err)
		return string(data)
	default:
		return strconv.Itoa(linear(m[1:4], lap))
	}
}

func (c *fieldCase) listItem(list, plus string, lap int) any {
	k, _ := strconv.Atoi(plus)
	return c.Lists[list][(lap+k)%len(c.Lists[list])]
}

// linear is A*i+B mod M.
func linear(m []string, lap int) int {
	factor, err := strconv.Atoi(m[0])
	if err != nil {
		factor = 1
	}
	plus, _ := strconv.Atoi(m[1])
	if mod, err := strconv.Atoi(m[2]); err == nil {
		return (factor*lap + plus) % mod
	}
	return factor*lap + plus
}

// lane tells the runs of a case apart.
func (s *caseStep) lane() string {
	if s.ParentAgent == nil {
		return strconv.Itoa(s.Turn)
	}
	if s.Invocation != "" {
		return strconv.Itoa(s.Turn) + s.Invocation
	}
	return strconv.Itoa(s.Turn) + s.Agent
}

// step is the guard's view: what a case leaves out was not captured.
func (s *caseStep) step(absent any) Step {
	out := Step{Text: s.Text, Start: time.UnixMilli(s.StartMs), End: time.UnixMilli(s.EndMs)}
	if s.Finish != nil {
		out.FinishReason = *s.Finish
	}
	if s.Usage != nil {
		out.Usage = Usage{InputTokens: s.Usage.Input, OutputTokens: s.Usage.Output, TotalTokens: s.Usage.Total, CostUSD: s.Usage.Cost}
	}
	for _, c := range s.Calls {
		call := ToolCall{Name: c.Name, Start: time.UnixMilli(c.StartMs), End: time.UnixMilli(c.EndMs)}
		call.Args = rawOr(c.Args, absent)
		call.Result = rawOr(c.Result, absent)
		if c.Error != nil {
			call.Error, call.Result = *c.Error, nil
		}
		out.Calls = append(out.Calls, call)
	}
	return out
}

func rawOr(raw json.RawMessage, absent any) any {
	if raw == nil {
		return absent
	}
	return raw
}
