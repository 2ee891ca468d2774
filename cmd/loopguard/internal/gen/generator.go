// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What the runs are like.
const (
	loopEvery   = 100 // One run of so many loops.
	openRuns    = 40  // Runs at the same time.
	requestSize = 128 // Spans of one export request.
	loopCalls   = 6   // Equal calls in a row in a loop.
)

// generator draws runs and interleaves them as a busy service exports them:
// children before parents, the runs mixed.
type generator struct {
	rand *rand.Rand
	now  time.Time
	runs int
	open []*agentRun
}

func newGenerator(seed uint64) *generator {
	return &generator{
		rand: rand.New(rand.NewPCG(seed, 0)),
		now:  time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
	}
}

// agentRun is a run that is under way.
type agentRun struct {
	trace     pcommon.TraceID
	root      pcommon.SpanID
	start     time.Time
	loops     bool
	steps     int // Still to come.
	looped    int
	messages  []message
	callCount int
}

type message struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Type      string `json:"type"`
	Content   string `json:"content,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments any    `json:"arguments,omitempty"`
	Response  string `json:"response,omitempty"`
}

// write writes requests until the size is reached and all runs have ended. It
// returns the trace ids of those that loop.
func (g *generator) write(w io.Writer, size int64) ([]string, error) {
	var planted []string
	for written := int64(0); written < size || len(g.open) > 0; {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "generated-agents")
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName("loopguard.gen")
		for ss.Spans().Len() < requestSize && (written < size || len(g.open) > 0) {
			for written < size && len(g.open) < openRuns {
				r := g.begin()
				if r.loops {
					planted = append(planted, r.trace.String())
				}
			}
			g.step(ss.Spans())
		}
		line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		if err != nil {
			return nil, fmt.Errorf("marshal request: %w", err)
		}
		n, err := w.Write(append(line, '\n'))
		if err != nil {
			return nil, err
		}
		written += int64(n)
	}
	return planted, nil
}

func (g *generator) begin() *agentRun {
	g.runs++
	r := &agentRun{start: g.now, loops: g.runs%loopEvery == 0, steps: 3 + g.rand.IntN(10), root: g.spanID()}
	binary.BigEndian.PutUint64(r.trace[:8], g.rand.Uint64())
	binary.BigEndian.PutUint64(r.trace[8:], g.rand.Uint64()|1)
	r.say("user", part{Type: "text", Content: g.prose(40)})
	g.open = append(g.open, r)
	return r
}

func (r *agentRun) say(role string, p part) {
	r.messages = append(r.messages, message{role, []part{p}})
}

func (g *generator) spanID() (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], g.rand.Uint64()|1)
	return id
}

// step goes one step on in one of the open runs.
func (g *generator) step(to ptrace.SpanSlice) {
	i := g.rand.IntN(len(g.open))
	r := g.open[i]
	if r.steps == 0 {
		g.answer(r, to)
		g.open[i] = g.open[len(g.open)-1]
		g.open = g.open[:len(g.open)-1]
		return
	}
	r.callCount++
	call := part{Type: "tool_call", ID: fmt.Sprintf("call_%d_%x", r.callCount, r.root[:4]), Name: "search"}
	result := g.record()
	if r.loops && r.steps == 1 && r.looped < loopCalls {
		r.looped++
		call.Arguments = map[string]any{"query": "why does the \"exporter\" queue fill up", "limit": 10}
		result = `{"hits":[],"note":"nothing matches \"exporter\" and \"queue\", no document has both"}`
	} else {
		call.Arguments = map[string]any{"query": g.prose(6), "limit": r.callCount}
	}
	if !r.loops || r.steps > 1 || r.looped == loopCalls {
		r.steps--
	}
	g.model(r, to, call, "tool_calls")
	g.link(r, to)
	g.tool(r, to, call, result)
	r.say("tool", part{Type: "tool_call_response", ID: call.ID, Response: result})
}

func (g *generator) answer(r *agentRun, to ptrace.SpanSlice) {
	g.model(r, to, part{Type: "text", Content: g.prose(80)}, "stop")
	s := g.span(r, to, r.root, pcommon.SpanID{}, r.start)
	s.SetName("invoke_agent researcher")
	s.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
	s.Attributes().PutStr("gen_ai.agent.name", "researcher")
}

func (g *generator) model(r *agentRun, to ptrace.SpanSlice, output part, finish string) {
	start := g.now
	g.pass(800, 3000)
	s := g.span(r, to, g.spanID(), r.root, start)
	s.SetName("chat gpt-4o")
	a := s.Attributes()
	a.PutStr("gen_ai.operation.name", "chat")
	a.PutStr("gen_ai.provider.name", "openai")
	a.PutStr("gen_ai.request.model", "gpt-4o")
	a.PutStr("gen_ai.input.messages", mustJSON(r.messages))
	reply := message{"assistant", []part{output}}
	a.PutStr("gen_ai.output.messages", mustJSON([]message{reply}))
	a.PutEmptySlice("gen_ai.response.finish_reasons").AppendEmpty().SetStr(finish)
	a.PutInt("gen_ai.usage.input_tokens", int64(400*len(r.messages)))
	a.PutInt("gen_ai.usage.output_tokens", 60)
	r.messages = append(r.messages, reply)
}

func (g *generator) tool(r *agentRun, to ptrace.SpanSlice, call part, result string) {
	start := g.now
	g.pass(50, 800)
	s := g.span(r, to, g.spanID(), r.root, start)
	s.SetName("execute_tool " + call.Name)
	a := s.Attributes()
	a.PutStr("gen_ai.operation.name", "execute_tool")
	a.PutStr("gen_ai.tool.name", call.Name)
	a.PutStr("gen_ai.tool.call.id", call.ID)
	a.PutStr("gen_ai.tool.call.arguments", mustJSON(call.Arguments))
	a.PutStr("gen_ai.tool.call.result", result)
}

// link adds a span of other software.
func (g *generator) link(r *agentRun, to ptrace.SpanSlice) {
	s := g.span(r, to, g.spanID(), r.root, g.now)
	s.SetName("POST")
	s.Attributes().PutStr("http.request.method", "POST")
	s.Attributes().PutStr("url.full", "https://search.example/v1/query")
	s.Attributes().PutInt("http.response.status_code", 200)
}

func (g *generator) span(r *agentRun, to ptrace.SpanSlice, id, parent pcommon.SpanID, start time.Time) ptrace.Span {
	s := to.AppendEmpty()
	s.SetTraceID(r.trace)
	s.SetSpanID(id)
	s.SetParentSpanID(parent)
	s.SetKind(ptrace.SpanKindInternal)
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(g.now))
	return s
}

// pass lets so many milliseconds of all runs together pass.
func (g *generator) pass(least, most int) {
	g.now = g.now.Add(time.Duration(least+g.rand.IntN(most-least)) * time.Millisecond / openRuns)
}

var vocabulary = strings.Fields(`the collector drops spans when its queue is full because the backend
answers slowly under load and retries add to the pressure so that "sending_queue" grows until memory
runs out; raise num_consumers, shorten the timeout or put a persistent queue behind the receiver`)

func (g *generator) prose(words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[g.rand.IntN(len(vocabulary))])
	}
	return b.String()
}

// record is a result that occurs once.
func (g *generator) record() string {
	type hit struct {
		Title string  `json:"title"`
		Text  string  `json:"text"`
		Score float64 `json:"score"`
	}
	hits := make([]hit, 2+g.rand.IntN(4))
	for i := range hits {
		hits[i] = hit{g.prose(5), g.prose(30) + ".\n" + g.prose(20), g.rand.Float64()}
	}
	return mustJSON(map[string]any{"hits": hits, "id": g.rand.Uint32()})
}

// mustJSON is for values that always have a JSON form.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
