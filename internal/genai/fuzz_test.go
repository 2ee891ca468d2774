// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// FuzzRead reads whatever OTLP JSON there is: it never panics, says the same
// twice, and leaves the span as it was.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"execute_tool x","attributes":[{"key":"gen_ai.tool.call.arguments","value":{"kvlistValue":{"values":[{"key":"a","value":{"arrayValue":{}}}]}}},{"key":"gen_ai.completion.0.tool_calls.0.name","value":{"bytesValue":"AA=="}},{"key":"openinference.span.kind","value":{"stringValue":"LLM"}}]}]}]}]}`))
	r := newReader(f, Options{})
	f.Fuzz(func(t *testing.T, data []byte) {
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(data)
		if err != nil {
			t.Skip("no trace")
		}
		before, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
		require.NoError(t, err)
		require.Equal(t, readAll(t, r, traces), readAll(t, r, traces))
		for _, rs := range traces.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					r.History(ss.Scope(), span)
					r.Preview(ss.Scope(), span)
				}
			}
		}
		after, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
		require.NoError(t, err)
		require.Equal(t, before, after)
	})
}

// FuzzContent reads hostile text in the places where content is.
func FuzzContent(f *testing.F) {
	for _, s := range []string{`{"args":["x"],"kwargs":{}}`, `[{"role":"tool","content":"x"}]`, `{'a': 'b\x4'}`, `content='a' tool_call_id='b'`, `["{\"role\":"]`, `{"kwargs":{"content":[]},"id":[1]}`} {
		f.Add(s)
	}
	r := newReader(f, Options{})
	f.Fuzz(func(t *testing.T, s string) {
		var a, b Fact
		for _, o := range []one{
			tool(attrs{"gen_ai.tool.call.arguments": s, "gen_ai.tool.call.result": s}),
			chat(attrs{"gen_ai.input.messages": s, "gen_ai.output.messages": s, "gen_ai.response.finish_reasons": s, "gen_ai.usage.input_tokens": s}),
			newOne("", "x", attrs{"openinference.span.kind": "LLM", "llm.output_messages.0.message.content": s, "input.value": s, "output.value": s, "metadata": s, "langfuse.observation.usage_details": s}),
		} {
			require.True(t, o.read(r, &a))
			require.True(t, o.read(r, &b))
			require.Equal(t, a, b)
			r.History(o.scope, o.span)
		}
	})
}

func TestAReaderIsShared(t *testing.T) {
	r, traces := newReader(t, Options{}), load(t, "openinference_langgraph.on")
	want := readAll(t, r, traces)
	for range 4 {
		t.Run("reader", func(t *testing.T) {
			t.Parallel()
			for range 20 {
				require.Equal(t, want, readAll(t, r, traces))
			}
		})
	}
}
