// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"
)

// A framework that nobody has heard of becomes known by configuration alone.
const acme = `
attributes:
  operation: [acme.op]
  agent_name: [acme.agent]
  tool_name: [acme.fn]
  tool_arguments: [acme.in]
  tool_result: [acme.out]
  input_tokens: [acme.tokens.prompt]
  output_tokens: [acme.tokens.answer]
  finish_reason: [acme.why]
`

func acmeRun(calls int) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	add := func(id, parent int, attrs map[string]any) {
		s := spans.AppendEmpty()
		s.SetName(fmt.Sprintf("acme %d", id))
		s.SetTraceID(pcommon.TraceID{4})
		s.SetSpanID(pcommon.SpanID{byte(id)})
		if parent > 0 {
			s.SetParentSpanID(pcommon.SpanID{byte(parent)})
		}
		s.SetStartTimestamp(pcommon.Timestamp(id * 1e9))
		s.SetEndTimestamp(pcommon.Timestamp(id*1e9 + 5e8))
		if err := s.Attributes().FromRaw(attrs); err != nil {
			panic(err)
		}
	}
	for i := range calls {
		add(2*i+2, 1, map[string]any{"acme.op": "chat", "acme.tokens.prompt": "70", "acme.tokens.answer": 7, "acme.why": "tool_use"})
		add(2*i+3, 1, map[string]any{"acme.op": "execute_tool", "acme.fn": "look", "acme.in": `{"where":"here"}`, "acme.out": "There is nothing here but a long corridor and a closed door."})
	}
	add(1, 0, map[string]any{"acme.op": "invoke_agent", "acme.agent": "wanderer"})
	return td
}

func TestADialectCanBeAddedFromYAMLAlone(t *testing.T) {
	var raw map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(acme), &raw))
	sink := new(consumertest.TracesSink)
	p := started(t, sink, func(c *Config) {
		require.NoError(t, confmap.NewFromStringMap(raw).Unmarshal(c))
		require.NoError(t, confmap.Validate(c))
	})
	require.NoError(t, p.ConsumeTraces(t.Context(), acmeRun(4)))
	got := named(t, sink, "acme 1")
	for key, want := range map[string]any{
		"loop_guard.verdict":           "stop",
		"loop_guard.code":              "REPEATED_TOOL_CALL",
		"loop_guard.grade":             "confirmed",
		"loop_guard.coverage":          "full",
		"loop_guard.run.agent":         "wanderer",
		"loop_guard.run.tool_calls":    int64(4),
		"loop_guard.run.input_tokens":  int64(280),
		"loop_guard.run.output_tokens": int64(28),
	} {
		assert.Equal(t, want, got[key], key)
	}
}

func TestWithoutTheKeysItIsForeign(t *testing.T) {
	sink := new(consumertest.TracesSink)
	require.NoError(t, started(t, sink).ConsumeTraces(t.Context(), acmeRun(4)))
	assert.NotContains(t, named(t, sink, "acme 1"), "loop_guard.verdict")
}
