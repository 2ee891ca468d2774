// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// load reads an OTLP JSON file of testdata.
func load(t testing.TB, name string) ptrace.Traces {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	require.NoError(t, err)
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(data)
	require.NoError(t, err)
	return traces
}

func newReader(t testing.TB, o Options) *Reader {
	t.Helper()
	r, err := NewReader(o)
	require.NoError(t, err)
	return r
}

// readAll returns the facts of all spans, nil for spans that are not ours.
func readAll(t testing.TB, r *Reader, traces ptrace.Traces) []*Fact {
	t.Helper()
	var facts []*Fact
	for _, rs := range traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				f := new(Fact)
				if !r.Read(rs.Resource(), ss.Scope(), span, f) {
					f = nil
				}
				facts = append(facts, f)
			}
		}
	}
	return facts
}

func readFixture(t testing.TB, name string) []*Fact {
	t.Helper()
	return readAll(t, newReader(t, Options{}), load(t, name))
}

// describe says in one line what a fact holds, without its hashes.
func describe(f *Fact) string {
	if f == nil {
		return "not ours"
	}
	words := []string{f.Dialect.String(), f.Kind.String()}
	add := func(yes bool, word string) {
		if yes {
			words = append(words, word)
		}
	}
	name := f.Name
	if name != "" && !f.NameKnown && f.Kind == Tool {
		name = "?" + name
	}
	add(name != "", name)
	add(f.Model != "", "model="+f.Model)
	add(f.Transport, "transport")
	add(f.Handoff, "handoff")
	add(f.Side, "side")
	add(f.Loop, "loop")
	add(f.CallID != 0, "id")
	add(f.Args.Known(), "args")
	add(f.Outcome.Known(), "outcome")
	add(f.Failed, "failed")
	add(f.Conversation != 0, "conversation")
	add(f.ResponseID != 0, "response")
	add(f.Finish != "", "finish="+f.Finish)
	add(f.Usage.Known != 0, describeUsage(f.Usage))
	add(f.Text.Print != 0, fmt.Sprintf("text=%d", f.Text.Words))
	for _, c := range f.Calls {
		words = append(words, "call="+c.Name+mark3(c.ID, c.Args.Known(), "+id", "+args"))
	}
	for _, r := range f.Results {
		words = append(words, "answer="+r.Name+mark3(r.ID, r.Outcome.Known(), "+id", "+outcome"))
	}
	add(f.UserTurn, "user")
	add(f.HasMessages, "messages")
	return strings.Join(words, " ")
}

func mark3(id uint64, known bool, idWord, knownWord string) string {
	s := ""
	if id != 0 {
		s += idWord
	}
	if known {
		s += knownWord
	}
	return s
}

func describeUsage(u Usage) string {
	s := "usage="
	for _, n := range []struct {
		k UsageKnown
		v int64
		w string
	}{{KnownInput, u.Input, "in"}, {KnownOutput, u.Output, "out"}, {KnownTotal, u.Total, "total"}, {KnownCacheRead, u.CacheRead, "read"}, {KnownCacheWrite, u.CacheWrite, "write"}, {KnownReasoning, u.Reasoning, "reasoning"}} {
		if u.Has(n.k) {
			s += fmt.Sprintf("%s:%d,", n.w, n.v)
		}
	}
	if u.Has(KnownCost) {
		s += fmt.Sprintf("cost:%g,", u.Cost)
	}
	return strings.TrimSuffix(s, ",")
}

// assertFacts compares a fixture's facts, one line a span.
func assertFacts(t *testing.T, fixture string, want ...string) []*Fact {
	t.Helper()
	facts := readFixture(t, fixture)
	got := make([]string, len(facts))
	for i, f := range facts {
		got[i] = describe(f)
	}
	assert.Equal(t, want, got, fixture)
	return facts
}

// digester is the one that readers have by default.
func digester(t testing.TB) *guard.Digester {
	t.Helper()
	d, err := guard.NewDigester(guard.Sameness{})
	require.NoError(t, err)
	return d
}
