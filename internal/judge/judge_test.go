// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
	"github.com/agentloopguard/loopguardprocessor/internal/tag"
)

type nobody struct{}

func (nobody) Run(*runs.Run)                                           {}
func (nobody) Finding(pcommon.TraceID, pcommon.SpanID, *guard.Finding) {}
func (nobody) Retracted(string)                                        {}
func (nobody) Count(*runs.Counts)                                      {}

func settings() Settings {
	return Settings{
		Runs: runs.Settings{
			Guard: guard.Retrospective(), IdleTimeout: time.Minute, Sink: nobody{},
			Limits: runs.Limits{OpenRuns: 10, Bytes: 1 << 20, StepsPerRun: 100},
		},
		Tag: &tag.Options{Events: true},
	}
}

// calls is a run of an agent that makes the same call n times.
func calls(n int) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	add := func(id, parent byte, attrs map[string]string) {
		s := spans.AppendEmpty()
		s.SetTraceID(pcommon.TraceID{1})
		s.SetSpanID(pcommon.SpanID{id})
		if parent != 0 {
			s.SetParentSpanID(pcommon.SpanID{parent})
		}
		s.SetStartTimestamp(pcommon.Timestamp(int(id) * 1e9))
		s.SetEndTimestamp(pcommon.Timestamp(int(id)*1e9 + 1e8))
		for k, v := range attrs {
			s.Attributes().PutStr(k, v)
		}
	}
	for i := range n {
		add(byte(2*i+2), 1, map[string]string{"gen_ai.operation.name": "chat"})
		add(byte(2*i+3), 1, map[string]string{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search",
			"gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `["the same answer each time, word for word"]`,
		})
	}
	add(1, 0, map[string]string{"gen_ai.operation.name": "invoke_agent"})
	return td
}

func spansIn(td ptrace.Traces) ptrace.SpanSlice {
	return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
}

func TestJudgeTagsTheRunAndTheCrossing(t *testing.T) {
	s := settings()
	s.Previews = true
	j, err := New(s)
	require.NoError(t, err)
	assert.True(t, j.Mutates())
	td := calls(4)
	j.Judge(time.Unix(100, 0), td)
	verdict, ok := spansIn(td).At(8).Attributes().Get("loop_guard.verdict")
	require.True(t, ok)
	assert.Equal(t, "stop", verdict.Str())
	event := spansIn(td).At(5).Events().At(0)
	preview, ok := event.Attributes().Get("loop_guard.evidence.args_preview")
	require.True(t, ok)
	assert.Equal(t, `{"q":"x"}`, preview.Str())
}

func TestWithoutTagsTheDataMayBeReadOnly(t *testing.T) {
	s := settings()
	s.Tag = nil
	j, err := New(s)
	require.NoError(t, err)
	assert.False(t, j.Mutates())
	td := calls(4)
	td.MarkReadOnly()
	j.Judge(time.Unix(100, 0), td)
}

func TestForeignSpansOfATrackedTraceLinkOthers(t *testing.T) {
	j, err := New(settings())
	require.NoError(t, err)
	td := calls(1)
	link := spansIn(td).AppendEmpty()
	link.SetTraceID(pcommon.TraceID{1})
	link.SetSpanID(pcommon.SpanID{99})
	j.Judge(time.Unix(100, 0), td)
	size := j.Size()
	foreign := ptrace.NewTraces()
	spansIn(td).At(3).CopyTo(foreign.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	spansIn(foreign).At(0).SetSpanID(pcommon.SpanID{98})
	j.Judge(time.Unix(100, 0), foreign)
	assert.Greater(t, j.Size(), size)
}

func TestNewNamesTheWrongOption(t *testing.T) {
	s := settings()
	s.Reader = genai.Options{Attributes: map[string][]string{"nothing": {"x"}}}
	_, err := New(s)
	assert.ErrorContains(t, err, "nothing")
	s = settings()
	s.Runs.Guard.Oscillation.MaxPeriod = 99
	_, err = New(s)
	assert.ErrorContains(t, err, "99")
}
