// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// uuidOf is the n-th identifier.
func uuidOf(n int) string {
	return fmt.Sprintf("%08x-9c1d-4e2f-8a3b-5566778899aa", 0x1f2e3d4c+0x01010101*n)
}

// shaOf is the n-th hash of a commit.
func shaOf(n int) string { return fmt.Sprintf("%08x%08x%08x", 0x1f2e3d4c+n*7919, 0x5a6b7c8d, n*104729) }

// worst spells the verdict over n steps of one call each: "CODE severity@step".
func worst(t *testing.T, n int, call func(i int) []ToolCall) string {
	g := mustNew(t, Retrospective())
	for i := range n {
		for _, c := range call(i) {
			g.Check(Step{Calls: []ToolCall{c}})
		}
	}
	g.End()
	f := g.Verdict()
	if f.Severity == OK {
		return ""
	}
	return fmt.Sprintf("%s %s %s@%d", f.Code, f.Severity, f.Grade, f.Step)
}

// argsOf makes a call with a JSON text for arguments.
func argsOf(name, format string, a ...any) ToolCall {
	return ToolCall{Name: name, Args: json.RawMessage(fmt.Sprintf(format, a...))}
}

func (c ToolCall) with(result any) ToolCall { c.Result = result; return c }

func (c ToolCall) failing(err string) ToolCall { c.Error = err; return c }

// What differs in an identifier or a time may be about another thing: equal
// answers are no confirmation then.
func TestCallsOnNewThingsAreNotConfirmed(t *testing.T) {
	const missing = `{"code":404,"message":"No record exists for the given identifier"}`
	for _, tt := range []struct {
		name string
		n    int
		call func(i int) ToolCall
		want string
	}{
		{"records that are not there", 4, func(i int) ToolCall {
			return argsOf("get_user", `{"id":%q}`, uuidOf(i)).with(missing)
		}, ""},
		{"many of them", 6, func(i int) ToolCall {
			return argsOf("get_user", `{"id":%q}`, uuidOf(i)).with(missing)
		}, "REPEATED_TOOL_CALL warn results_only@4"},
		{"one of them", 3, func(int) ToolCall {
			return argsOf("get_user", `{"id":%q}`, uuidOf(0)).with(missing)
		}, "REPEATED_TOOL_CALL stop confirmed@2"},
		{"one of them, asked with a new request id", 3, func(i int) ToolCall {
			return argsOf("get_user", `{"id":%q,"request_id":%q}`, uuidOf(0), uuidOf(i)).with(missing)
		}, "REPEATED_TOOL_CALL stop confirmed@2"},
		{"one of them in the end", 7, func(i int) ToolCall {
			return argsOf("get_user", `{"id":%q}`, uuidOf(min(i, 3))).with(missing)
		}, "REPEATED_TOOL_CALL stop confirmed@5"},
		{"messages that are moved", 15, func(i int) ToolCall {
			return argsOf("mail_move", `{"id":%q,"to":"Archive"}`, uuidOf(i)).with("The message was moved to the folder Archive without errors")
		}, "REPEATED_TOOL_CALL warn results_only@4"},
		{"days without trade", 4, func(i int) ToolCall {
			return argsOf("prices", `{"day":"2026-11-0%dT00:00:00Z"}`, i+1).with("No trading data available for the requested day (market closed).")
		}, ""},
		{"hours without errors", 4, func(i int) ToolCall {
			return argsOf("metrics", `{"metric":"errors","from":"2026-11-30T0%d:00:00Z"}`, i).with(`{"series":[{"name":"errors","value":0,"unit":"count"}]}`)
		}, ""},
		{"commits that are alike", 4, func(i int) ToolCall {
			return argsOf("sh", `{"cmd":"git diff-tree --stat %s"}`, shaOf(i)).with("1 file changed, 1 insertion(+), 1 deletion(-) package-lock.json")
		}, ""},
		{"volatile keys do not matter", 3, func(i int) ToolCall {
			return argsOf("quote", `{"sku":"A1","nonce":%q,"timestamp":"2026-11-30T10:00:0%dZ"}`, uuidOf(i), i).with(missing)
		}, "REPEATED_TOOL_CALL stop confirmed@2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, worst(t, tt.n, func(i int) []ToolCall { return []ToolCall{tt.call(i)} }))
		})
	}
}

func TestCyclesOverNewThingsAreNotConfirmed(t *testing.T) {
	lap := func(id func(i int) string) func(i int) []ToolCall {
		return func(i int) []ToolCall {
			return []ToolCall{
				argsOf("get", `{"id":%q}`, id(i)).with("There is nothing under this identifier, nor was there."),
				argsOf("note", `{"text":"next"}`).with("There is one more in the queue that has to be looked at."),
			}
		}
	}
	assert.Equal(t, "NO_PROGRESS stop confirmed@4", worst(t, 3, lap(func(int) string { return uuidOf(0) })))
	g := mustNew(t, only(ReasonOscillation, Retrospective()))
	for i := range 5 {
		for _, c := range lap(uuidOf)(i) {
			g.Check(Step{Calls: []ToolCall{c}})
		}
	}
	assert.Equal(t, Warn, g.Verdict().Severity)
	assert.Equal(t, ResultsOnly, g.Verdict().Grade)
	assert.Equal(t, 9, g.Verdict().Step)
}

// An outcome that holds nothing but what is new each time is new, or at most
// weak evidence.
func TestOutcomesWithNothingElseAreNew(t *testing.T) {
	for _, tt := range []struct {
		name   string
		n      int
		result func(i int) any
		want   string
	}{
		{"sessions", 6, func(i int) any { return json.RawMessage(fmt.Sprintf(`{"session_id":%q}`, uuidOf(i))) }, ""},
		{"one session", 3, func(int) any { return json.RawMessage(fmt.Sprintf(`{"session_id":%q}`, uuidOf(0))) },
			"REPEATED_TOOL_CALL stop confirmed@2"},
		{"one session, another request", 3, func(i int) any {
			return json.RawMessage(fmt.Sprintf(`{"session_id":%q,"request_id":%q}`, uuidOf(0), uuidOf(i)))
		}, "REPEATED_TOOL_CALL stop confirmed@2"},
		{"identifiers", 6, func(i int) any { return uuidOf(i) }, ""},
		{"temporary paths", 6, func(i int) any { return "/tmp/tmp." + shaOf(i)[:10] }, ""},
		{"commits", 6, func(i int) any { return shaOf(i) }, ""},
		{"checksums", 6, func(i int) any { return shaOf(i) + "  out.bin" }, ""},
		{"revisions", 6, func(i int) any { return json.RawMessage(fmt.Sprintf(`{"doc":"d","revision":%q}`, uuidOf(i))) }, ""},
		{"a clock", 6, func(i int) any { return json.RawMessage(fmt.Sprintf(`{"now":"2026-11-03T11:42:1%dZ"}`, i)) },
			"REPEATED_TOOL_CALL warn args_only@4"},
		{"how long it took", 6, func(i int) any { return fmt.Sprintf("BenchmarkSort completed in %d.%dms", 10+3*i, i) },
			"REPEATED_TOOL_CALL warn args_only@4"},
		{"how long it took, by key", 6, func(i int) any { return json.RawMessage(fmt.Sprintf(`{"duration_ms":%d}`, 500-70*i)) },
			"REPEATED_TOOL_CALL warn args_only@4"},
		{"a failure with a request id", 3, func(i int) any {
			return json.RawMessage(fmt.Sprintf(`{"error":"model overloaded for your organisation","request_id":"req_%s"}`, shaOf(i)))
		}, "REPEATED_TOOL_CALL stop confirmed@2"},
		{"tests that take their time", 3, func(i int) any {
			return fmt.Sprintf("FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed, 12 passed in %d.21s", i)
		}, "REPEATED_TOOL_CALL stop confirmed@2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, worst(t, tt.n, func(i int) []ToolCall {
				return []ToolCall{argsOf("do", "{}").with(tt.result(i))}
			}))
		})
	}
	t.Run("looked at between edits", func(t *testing.T) {
		assert.Empty(t, worst(t, 5, func(i int) []ToolCall {
			return []ToolCall{
				argsOf("edit", `{"part":%d}`, i).with(fmt.Sprint("part ", i, " of the file is another one now")),
				argsOf("sh", `{"cmd":"git rev-parse HEAD"}`).with(shaOf(i)),
			}
		}))
	})
}
