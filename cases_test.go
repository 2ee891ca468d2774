// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// fieldCase is what a case of guard/testdata/cases expects. The same cases
// stand in testdata/cases as spans, once for each dialect.
type fieldCase struct {
	ID      string
	Hard    bool
	Options map[string]any
	Turns   map[string]any
	Steps   []struct {
		Agent  string
		Parent string `json:"parent_agent"`
	}
	Expect struct {
		Fault    bool
		Kinds    []string
		NotKinds []string `json:"not_kinds"`
		NoticeOK any      `json:"notice_ok"`
		Warnings any      // Budget warnings that are asked for.
		AtLeast  *int64   `json:"first_step_at_least"`
		AtMost   *int64   `json:"first_step_at_most"`
	}
}

func fieldCases(t *testing.T) []fieldCase {
	files, err := filepath.Glob("guard/testdata/cases/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	cases := make([]fieldCase, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &cases[i]), file)
	}
	return cases
}

// configure sets what the case's options say, in this configuration's words.
// It reports false for options that the processor does not have.
func (c *fieldCase) configure(t *testing.T, cfg *Config) bool {
	detectors := make(map[string]any)
	for name, value := range c.Options {
		section, known := map[string]string{
			"maxSteps": "max_steps", "repeatedToolCall": "repeated_tool_call", "noProgress": "no_progress",
			"finishReason": "finish_reason", "budget": "budget",
		}[name]
		if !known {
			return false
		}
		detectors[section] = optionOf(section, value)
	}
	conf := confmap.NewFromStringMap(map[string]any{"detectors": detectors})
	require.NoError(t, conf.Unmarshal(cfg))
	return true
}

func optionOf(section string, value any) any {
	switch v := value.(type) {
	case bool:
		return map[string]any{"enabled": v}
	case float64:
		return map[string]any{"limit": int(v)}
	case map[string]any:
		out := make(map[string]any)
		for key, value := range v {
			if section == "budget" {
				out[budgetKeys[key]] = limitOf(value)
			} else {
				out[snake(key)] = value
			}
		}
		return out
	default:
		return v
	}
}

var budgetKeys = map[string]string{
	"maxTotalTokens": "total_tokens", "maxInputTokens": "input_tokens", "maxOutputTokens": "output_tokens", "maxCostUsd": "cost",
}

func limitOf(value any) map[string]any {
	if v, ok := value.(map[string]any); ok {
		return map[string]any{"limit": v["limit"], "warn_at": v["warnAt"]}
	}
	return map[string]any{"limit": value}
}

func snake(camel string) string {
	var b strings.Builder
	for _, r := range camel {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// differences says where the verdict is not what the case expects.
func (c *fieldCase) differences(batches []ptrace.Traces) []string {
	o := observe(batches)
	var out []string
	e := &c.Expect
	switch {
	case !e.Fault && o.verdict == "stop":
		return []string{"stop for " + o.code + " in a clean case"}
	case !e.Fault && o.verdict == "warn" && e.NoticeOK == nil && e.Warnings == nil:
		return []string{"warn for " + o.code + " in a clean case"}
	case !e.Fault:
		return nil
	case o.verdict == "ok":
		return []string{"nothing found"}
	}
	if reasons := reasonsOf(batches); len(e.Kinds) > 0 && !slices.ContainsFunc(reasons, func(r string) bool { return slices.Contains(e.Kinds, r) }) {
		out = append(out, "found "+strings.Join(reasons, ", ")+", want one of "+strings.Join(e.Kinds, ", "))
	}
	if c.oneRun() && o.onset >= 0 && e.AtLeast != nil && o.onset < *e.AtLeast {
		out = append(out, "too early")
	}
	if c.oneRun() && o.onset >= 0 && e.AtMost != nil && o.onset > *e.AtMost {
		out = append(out, "too late")
	}
	return out
}

// oneRun reports whether the case's steps are those of one run, so that their
// numbers are the run's.
func (c *fieldCase) oneRun() bool {
	for _, s := range c.Steps {
		if s.Agent != c.Steps[0].Agent || s.Parent != "" {
			return false
		}
	}
	return len(c.Turns) <= 1
}

// reasonsOf lists the reasons of all findings that were said.
func reasonsOf(batches []ptrace.Traces) []string {
	var out []string
	for _, td := range batches {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					for _, e := range s.Events().All() {
						if r := stringOf(e.Attributes(), "loop_guard.reason"); r != "" && !slices.Contains(out, r) {
							out = append(out, r)
						}
					}
				}
			}
		}
	}
	return out
}

// cannotCarry names what a dialect has no place for, so that a case comes to
// something else in it.
var cannotCarry = map[string]string{
	"openinference/results-cut-to-equal-prefix": "plain text cut at 160 characters, which is no usual limit, reads like a text",
	"vercel/finish-says-tools-but-none":         "an empty text is left out, and what is left out is unknown",
}

func TestFieldCasesAsSpans(t *testing.T) {
	for _, dialect := range []string{"otel", "openinference", "openllmetry", "vercel"} {
		for _, c := range fieldCases(t) {
			t.Run(dialect+"/"+c.ID, func(t *testing.T) {
				cfg := createDefaultConfig().(*Config)
				if !c.configure(t, cfg) {
					t.Skip("the processor has no such option: ", c.Options)
				}
				path := filepath.Join("testdata/cases", dialect, c.ID+".jsonl.gz")
				out := process(t, readRecording(t, path), func(to *Config) { *to = *cfg })
				diff := c.differences(out)
				if why := cannotCarry[dialect+"/"+c.ID]; why != "" {
					t.Skip(why)
				}
				if c.Hard && len(diff) > 0 {
					t.Skip("hard, may be missed: ", diff)
				}
				assert.Empty(t, diff)
			})
		}
	}
}
