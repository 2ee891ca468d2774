// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// span is one line of a tree in a test: what it is, how deep it hangs, and
// when it ran. A tree is written like this, one span a line, children below
// their parents and two columns further in:
//
//	agent A main
//	  model m1 in=10 out=2 finish=tool-calls
//	  tool t1 search args=q result=hits
//	  container c1
//	  link l1            a span that is not ours
//
// Spans start in the order of their lines and end in the reverse order of
// depth, unless start= and end= (seconds) say otherwise.
type span struct {
	Item
	key   string
	depth int
}

var testTrace = pcommon.TraceID{1, 2, 3}

// parseTree reads a tree and returns its spans with children before parents.
func parseTree(t testing.TB, text string) []span {
	var spans []span
	var path []int
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		depth := (len(line) - len(strings.TrimLeft(line, " \t"))) / 2
		s := parseSpan(t, strings.Fields(line))
		s.depth = depth
		path = path[:min(depth, len(path))]
		if len(path) > 0 {
			s.Parent = spans[path[len(path)-1]].ID
		}
		s.Start = int64(len(spans)+1) * 1e9
		path = append(path, len(spans))
		spans = append(spans, s)
	}
	setEnds(spans)
	return childrenFirst(spans)
}

func spanID(key string) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], xxh3.HashString(key)|1)
	return id
}

func setEnds(spans []span) {
	for i := range spans {
		last := i
		for last+1 < len(spans) && spans[last+1].depth > spans[i].depth {
			last++
		}
		spans[i].End = spans[last].Start + 500e6 + int64(20-spans[i].depth)*1e6
	}
}

// childrenFirst orders spans as exporters do: each after all below it.
func childrenFirst(spans []span) []span {
	var out []span
	var visit func(i int) int
	visit = func(i int) int {
		next := i + 1
		for next < len(spans) && spans[next].depth > spans[i].depth {
			next = visit(next)
		}
		out = append(out, spans[i])
		return next
	}
	for i := 0; i < len(spans); {
		i = visit(i)
	}
	return out
}

var kinds = map[string]genai.Kind{
	"agent": genai.Agent, "model": genai.Model, "tool": genai.Tool, "container": genai.Container,
	"embedding": genai.Embedding, "ignored": genai.Ignored, "mcp": genai.Tool,
}

func parseSpan(t testing.TB, words []string) span {
	s := span{key: words[1]}
	s.ID, s.Trace = spanID(words[1]), testTrace
	kind, ours := kinds[words[0]]
	if !ours {
		require.Equal(t, "link", words[0])
		return s
	}
	f := &genai.Fact{Kind: kind, NameKnown: true, Transport: words[0] == "mcp"}
	s.Fact = f
	for _, w := range words[2:] {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			f.Name = w
			continue
		}
		setField(t, f, key, value)
	}
	return s
}

func setField(t testing.TB, f *genai.Fact, key, value string) {
	switch key {
	case "in":
		f.Usage.Input, f.Usage.Known = number(t, value), f.Usage.Known|genai.KnownInput
	case "out":
		f.Usage.Output, f.Usage.Known = number(t, value), f.Usage.Known|genai.KnownOutput
	case "finish":
		f.Finish = value
	case "args":
		f.Args = guard.FingerprintOf(value)
	case "result":
		f.Outcome = guard.Outcome{Fingerprint: guard.FingerprintOf(value), Informative: true}
	case "error":
		f.Failed = true
		f.Outcome = guard.Outcome{Fingerprint: guard.FingerprintOf(value), Failed: true}
	case "id":
		f.CallID = xxh3.HashString(value)
	case "conversation":
		f.Conversation = xxh3.HashString(value)
	case "call": // A call that the model's output asks for: id:name:args.
		part := strings.Split(value, ":")
		f.Calls = append(f.Calls, genai.Call{ID: xxh3.HashString(part[0]), Name: part[1], Args: guard.FingerprintOf(part[2])})
	case "answer": // A result in the model's input: id:result.
		id, result, _ := strings.Cut(value, ":")
		f.Results = append(f.Results, genai.Result{
			ID: xxh3.HashString(id), Outcome: guard.Outcome{Fingerprint: guard.FingerprintOf(result), Informative: true},
		})
	case "said":
		f.Text = guard.TextDigest{Print: xxh3.HashString(value), Words: 1}
	case "echo":
		f.Echo = xxh3.HashString(value)
	case "handoff":
		f.Handoff = true
	case "user":
		f.UserTurn = true
	case "loop":
		f.Loop = true
	case "side":
		f.Side = true
	case "failed":
		f.Failed = true
	default:
		require.Fail(t, "unknown field", key)
	}
}

func number(t testing.TB, s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	require.NoError(t, err)
	return n
}

// recorder is a sink that remembers.
type recorder struct {
	runs      []*Run
	findings  []string
	retracted []string
	counts    Counts
}

var _ Sink = (*recorder)(nil)

func (r *recorder) Run(run *Run) { r.runs = append(r.runs, run) }

func (r *recorder) Finding(_ pcommon.TraceID, at pcommon.SpanID, f *guard.Finding) {
	r.findings = append(r.findings, f.Code+"@"+at.String())
}

func (r *recorder) Retracted(code string) { r.retracted = append(r.retracted, code) }

func (r *recorder) Count(c *Counts) {
	r.counts.InputTokens += c.InputTokens
	r.counts.OutputTokens += c.OutputTokens
	r.counts.LateSpans += c.LateSpans
	r.counts.DuplicateSpans += c.DuplicateSpans
	r.counts.EvictedRuns += c.EvictedRuns
}

// summary is what a run must be, in a form that a test can state.
func (r *Run) summary() string {
	out := fmt.Sprintf("%s steps=%d calls=%d errors=%d", r.Agent, r.Steps, r.ToolCalls, r.ToolErrors)
	if r.HasTokens {
		out += fmt.Sprintf(" in=%d out=%d", r.InputTokens, r.OutputTokens)
	}
	if r.Fault.Code != "" {
		out += fmt.Sprintf(" %s@%d %s", r.Fault.Code, r.OnsetStep, r.Fault.State)
	}
	if r.ClosedBy != BySpan {
		out += " by=" + r.ClosedBy.String()
	}
	if r.Partial {
		out += " partial"
	}
	return strings.TrimSpace(out)
}
