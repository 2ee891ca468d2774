// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

func TestFinishReasons(t *testing.T) {
	for _, tt := range []struct {
		raw  any
		want string
	}{
		{[]any{"stop"}, "stop"}, {"end_turn", "stop"}, {"STOP", "stop"}, {"endTurn", "stop"}, {"FinishReason.STOP", "stop"}, {"COMPLETE", "stop"}, {"stop_sequence", "stop"},
		{[]any{"tool_calls"}, "tool-calls"}, {"tool_use", "tool-calls"}, {"toolUse", "tool-calls"}, {"tool-calls", "tool-calls"}, {"FinishReason.TOOL_CALLS", "tool-calls"}, {"function_call", "tool-calls"},
		{`["tool_calls"]`, "tool-calls"}, {`"length"`, "length"}, {"tool_calls,stop", "tool-calls"}, {[]any{"", "max_tokens"}, "length"}, {"MAX_TOKENS", "length"}, {"FINISH_REASON_MAX_TOKENS", "length"}, {"maxTokens", "length"}, {"model_context_window_exceeded", "length"},
		{"SAFETY", "content-filter"}, {"content_filter", "content-filter"}, {"contentFiltered", "content-filter"}, {"refusal", "content-filter"}, {"guardrail_intervened", "content-filter"},
		{"error", "error"}, {"MALFORMED_FUNCTION_CALL", "error"},
		{"other", "other"}, {"OTHER", "other"}, {"unknown", "unknown"}, {"pause_turn", "pause-turn"}, {"Something New", "something-new"},
		{"", ""}, {"null", ""}, {"__REDACTED__", ""}, {"N/A", ""}, {[]any{}, ""}, {strings.Repeat("x", 65), ""}, {`[]`, ""}, {[]any{nil}, ""},
	} {
		assert.Equal(t, tt.want, chat(attrs{"gen_ai.response.finish_reasons": tt.raw}).fact(t).Finish, tt.raw)
	}
}

func TestPythonLiterals(t *testing.T) {
	for text, want := range map[string]string{
		`{'a': 1, 'b': [True, False, None], 'c': ('x', 2.5)}`: `{"a":1,"b":[true,false,null],"c":["x",2.5]}`,
		`{'it': "it's \"so\"", 'n': 'a\'b\n\x41\q'}`:          `{"it":"it's \"so\"","n":"a'b\n\u0041\\q"}`,
		`['a', ]`:   `["a"]`,
		"['a\tb']":  `["a\u0009b"]`,
		`[{}, []]`:  `[{},[]]`,
		`("a", -1)`: `["a",-1]`,
	} {
		got, st := pythonToJSON(text)
		assert.Equal(t, jsonscan.Whole, st, text)
		assert.Equal(t, want, got, text)
		assert.Equal(t, jsonscan.Whole, jsonscan.Check(got), got)
	}
	for text, want := range map[string]jsonscan.State{
		`{'a': 1`: jsonscan.Cut, `{'a`: jsonscan.Cut, `['a',`: jsonscan.Cut, `{'a'`: jsonscan.Cut, `[None`: jsonscan.Cut,
		`{'a': b}`: jsonscan.Not, `{'a', 'b'}`: jsonscan.Not, `[TextContent(text='x')]`: jsonscan.Not, `{'a': 1} more`: jsonscan.Not, `['a' 'b']`: jsonscan.Not,
		`(True story)`: jsonscan.Not, `{1: 2}`: jsonscan.Not, ``: jsonscan.Not, `x`: jsonscan.Not, `[`: jsonscan.Not,
		strings.Repeat("[", 40) + "'a'": jsonscan.Not,
	} {
		_, st := pythonToJSON(text)
		assert.Equal(t, want, st, text)
	}
}

func TestUserKeysComeFirst(t *testing.T) {
	r := newReader(t, Options{Attributes: map[string][]string{
		"operation": {"acme.op"}, "tool_name": {"acme.tool", "acme.tool2"}, "tool_arguments": {"acme.args"}, "conversation_id": {"acme.thread"},
	}})
	var f Fact
	o := newOne("acme", "work", attrs{"acme.op": "execute_tool", "acme.tool": "lookup", "acme.tool2": "other", "gen_ai.tool.name": "third", "acme.args": `{"id":7}`, "acme.thread": "t"})
	require.True(t, o.read(r, &f))
	assert.Equal(t, "user tool lookup args conversation", describe(&f))
	o = newOne("acme", "work", attrs{"acme.tool": "lookup", "gen_ai.operation.name": "execute_tool"})
	require.True(t, o.read(r, &f))
	assert.Equal(t, "lookup", f.Name)
	assert.Nil(t, newOne("acme", "work", attrs{"acme.op": "execute_tool"}).fact(t), "not without the configuration")
}

func TestOptionsThatAreWrong(t *testing.T) {
	for _, o := range []Options{
		{AttributeBytes: -1}, {HistoryBytes: -1}, {Attributes: map[string][]string{"tool_nmae": {"x"}}}, {Attributes: map[string][]string{"tool_name": {""}}},
	} {
		_, err := NewReader(o)
		assert.Error(t, err)
	}
	_, err := NewReader(Options{Attributes: map[string][]string{"tool_nmae": {"x"}}})
	assert.ErrorContains(t, err, "tool_name", "it says which names there are")
	assert.Contains(t, UserFields(), "operation")
}

func TestArgumentKeysPerTool(t *testing.T) {
	r := newReader(t, Options{ArgumentKeys: func(tool string) []string {
		if tool == "search" {
			return []string{"query"}
		}
		return nil
	}})
	read := func(args string) Fact {
		var f Fact
		require.True(t, tool(attrs{"gen_ai.tool.call.arguments": args}).read(r, &f))
		return f
	}
	assert.Equal(t, read(`{"query":"a","page":1}`).Args, read(`{"query":"a","page":2}`).Args)
	assert.NotEqual(t, read(`{"query":"a"}`).Args, read(`{"query":"b"}`).Args)
}

func TestPreviewShowsWhatWasCaptured(t *testing.T) {
	r, o := newReader(t, Options{}), toolSpan()
	args, result := r.Preview(o.scope, o.span)
	assert.Contains(t, args, "collector queue full")
	assert.Contains(t, result, "Queue full")
	for _, other := range []one{webSpan(), chat(nil), tool(attrs{"gen_ai.tool.call.arguments": "__REDACTED__"})} {
		args, result = r.Preview(other.scope, other.span)
		assert.Empty(t, args)
		assert.Empty(t, result)
	}
}

func TestEveryNameIsSaid(t *testing.T) {
	seen := map[string]bool{}
	for d := range dialectCount {
		require.NotEmpty(t, d.String())
		assert.False(t, seen[d.String()], d)
		seen[d.String()] = true
	}
	assert.Equal(t, "unspecified", dialectCount.String())
	assert.Equal(t, "none", kindCount.String())
	assert.Equal(t, "tool", Tool.String())
}

// A key that two vocabularies claim would be read by whichever comes first.
func TestTablesDoNotContradict(t *testing.T) {
	fields, marks, scopes, used := map[string]field{}, map[string]Kind{}, map[string]Dialect{}, map[Dialect]bool{}
	for _, v := range vocabularies {
		used[v.dialect] = true
		for _, row := range v.fields {
			if old, ok := fields[row.key]; ok {
				assert.Equal(t, old, row.field, row.key)
			}
			fields[row.key] = row.field
		}
		for _, row := range v.kinds {
			if row.kind == None {
				continue
			}
			key := row.key + "=" + row.value
			assert.NotContains(t, marks, key)
			marks[key] = row.kind
		}
		for _, s := range v.scopes {
			assert.NotContains(t, scopes, s)
			scopes[s] = v.dialect
		}
		for _, row := range v.names {
			assert.True(t, row.exact != "" || row.prefix != "" || row.suffix != "", v.dialect)
			if row.exact == "" && row.suffix == "" {
				assert.Contains(t, row.prefix, " ", "look-up is by the first word")
			}
		}
	}
	for d := range dialectCount {
		assert.True(t, used[d] || d == User, "%s has no vocabulary", d)
	}
	assert.LessOrEqual(t, int(fieldCount), 64)
	assert.LessOrEqual(t, int(dialectCount), 64)
	assert.LessOrEqual(t, int(wrapKeyCount), 32)
}
