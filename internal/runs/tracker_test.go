// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

var testStart = time.Unix(1_800_000_000, 0)

func newTestTracker(t testing.TB, change ...func(*Settings)) (*Tracker, *recorder) {
	rec := &recorder{}
	o := guard.Retrospective()
	o.NoHistory = true
	set := Settings{
		Guard: o, IdleTimeout: time.Minute, Sink: rec,
		Limits: Limits{OpenRuns: 1000, Bytes: 1 << 26, StepsPerRun: 4096},
	}
	for _, c := range change {
		c(&set)
	}
	tr, err := New(set)
	require.NoError(t, err)
	return tr, rec
}

// send observes the spans in batches of size n and returns what was marked.
func send(tr *Tracker, now time.Time, spans []span, n int) map[string]*Mark {
	marks := make(map[string]*Mark)
	for from := 0; from < len(spans); from += n {
		b := tr.Batch()
		part := spans[from:min(from+n, len(spans))]
		for _, s := range part {
			if s.Fact != nil {
				*b.Scratch() = *s.Fact
			}
			b.Add(s.Item, s.Fact != nil)
		}
		tr.Observe(now, b)
		for i, s := range part {
			if m := b.Items[i].Mark; m != nil {
				marks[s.key] = m
			}
		}
		tr.Release(b)
	}
	return marks
}

func TestRuns(t *testing.T) {
	tests := []struct {
		name string
		tree string
		want map[string]string // Marked spans and the summary of their run.
	}{
		{
			name: "an agent span closes the run of all below it",
			tree: `
agent A main
  model m1 in=10 out=1
  tool t1 search
  model m2 in=20 out=2`,
			want: map[string]string{"A": "main steps=2 calls=1 errors=0 in=30 out=3"},
		},
		{
			name: "steps and foreign spans between are looked through",
			tree: `
agent A main
  container s1
    model m1 in=10 out=1
    link http
      tool t1 search
  container s2
    model m2`,
			want: map[string]string{"A": "main steps=2 calls=1 errors=0 in=10 out=1"},
		},
		{
			name: "a nested run keeps its totals to itself",
			tree: `
agent A main
  model m1 in=10 out=1
  tool t1 ask_expert
    agent B expert
      model m2 in=5 out=5
      tool t2 search error=no
  model m3 in=10 out=1`,
			want: map[string]string{
				"A": "main steps=2 calls=1 errors=0 in=20 out=2",
				"B": "expert steps=1 calls=1 errors=1 in=5 out=5",
			},
		},
		{
			name: "a nested run that no tool wraps is no tool call",
			tree: `
agent A main
  model m1
  agent B expert
    model m2
    tool t2 search`,
			want: map[string]string{"A": "main steps=1 calls=0 errors=0", "B": "expert steps=1 calls=1 errors=0"},
		},
		{
			name: "a tool with model spans below it is a nested run",
			tree: `
agent A main
  model m1 in=10 out=1
  tool t1 summarise
    model m2 in=5 out=5`,
			want: map[string]string{
				"A":  "main steps=1 calls=1 errors=0 in=10 out=1",
				"t1": "summarise steps=1 calls=0 errors=0 in=5 out=5",
			},
		},
		{
			name: "embeddings make neither run nor step",
			tree: `
agent A main
  model m1 in=10 out=1
  tool t1 lookup
    embedding e1 in=7`,
			want: map[string]string{"A": "main steps=1 calls=1 errors=0 in=17 out=1"},
		},
		{
			name: "an agent span around one run is a wrapper",
			tree: `
agent A trace
  agent B main
    model m1
    tool t1 search`,
			want: map[string]string{"A": "nested ok", "B": "main steps=1 calls=1 errors=0"},
		},
		{
			name: "a runnable that calls itself agent is nothing",
			tree: `
agent A main
  model m1
  agent R RunnableSequence
  tool t1 search`,
			want: map[string]string{"A": "main steps=1 calls=1 errors=0"},
		},
		{
			name: "a remote agent is a run of one step",
			tree: `agent A remote in=100 out=10 finish=stop`,
			want: map[string]string{"A": "remote steps=1 calls=0 errors=0 in=100 out=10"},
		},
		{
			name: "an agent's own total counts only if nothing below reports usage",
			tree: `
agent A main in=99 out=9
  model m1
  tool t1 search`,
			want: map[string]string{"A": "main steps=1 calls=1 errors=0 in=99 out=9"},
		},
		{
			name: "an agent's own total is never added to what is below",
			tree: `
agent A main in=99 out=9
  model m1 in=10 out=1
  agent B sub in=50 out=5
    model m2 in=50 out=5`,
			want: map[string]string{"A": "main steps=1 calls=0 errors=0 in=10 out=1", "B": "sub steps=1 calls=0 errors=0 in=50 out=5"},
		},
		{
			name: "an agent's total over a nested run's tokens is not its own",
			tree: `
agent A main in=50 out=5
  model m1
  agent B sub
    model m2 in=50 out=5`,
			want: map[string]string{"A": "main steps=1 calls=0 errors=0", "B": "sub steps=1 calls=0 errors=0 in=50 out=5"},
		},
		{
			name: "one MCP call in four spans is one call",
			tree: `
agent A main
  model m1
  tool t1 search args=q
    mcp t2 search
      link http
        mcp t3 search
          tool t4 search result=hits`,
			want: map[string]string{"A": "main steps=1 calls=1 errors=0"},
		},
		{
			name: "a tool called by a tool is a call of its own",
			tree: `
agent A main
  model m1
  tool t1 pipeline
    tool t2 fetch
    tool t3 parse`,
			want: map[string]string{"A": "main steps=1 calls=3 errors=0"},
		},
		{
			name: "two views of one model response are one step",
			tree: `
agent A main
  model m1
    model m2 in=10 out=1
  tool t1 search`,
			want: map[string]string{"A": "main steps=1 calls=1 errors=0 in=10 out=1"},
		},
		{
			name: "of two views with usage one counts",
			tree: `
agent A main
  model m1 in=10 out=1
    link http
      model m2 in=10 out=1
  tool t1 search`,
			want: map[string]string{"A": "main steps=1 calls=1 errors=0 in=10 out=1"},
		},
		{
			name: "a sum over several responses is no response",
			tree: `
agent A main
  model all in=30 out=3
    model m1 in=10 out=1
    tool t1 search
    model m2 in=20 out=2`,
			want: map[string]string{"A": "main steps=2 calls=1 errors=0 in=30 out=3"},
		},
		{
			name: "tools below their model span belong to its step",
			tree: `
agent A main
  model m1 in=10 out=1
    tool t1 search
  model m2 in=10 out=1
    tool t2 read`,
			want: map[string]string{"A": "main steps=2 calls=2 errors=0 in=20 out=2"},
		},
		{
			name: "a failed request is no step",
			tree: `
agent A main
  model m1 failed=1
  model m2 in=10 out=1
  tool t1 search`,
			want: map[string]string{"A": "main steps=1 calls=1 errors=0 in=10 out=1"},
		},
		{
			name: "calls come from model output where no tool span shows them",
			tree: `
agent A main
  model m1 call=c1:search:q
  model m2 answer=c1:hits call=c2:read:p
  model m3 answer=c2:text`,
			want: map[string]string{"A": "main steps=3 calls=2 errors=0"},
		},
		{
			name: "tool spans and model output are the same calls",
			tree: `
agent A main
  model m1 call=c1:search:q
  tool t1 search id=c1
  model m2 answer=c1:hits`,
			want: map[string]string{"A": "main steps=2 calls=1 errors=0"},
		},
		{
			name: "without an agent span the span at the top is the run's",
			tree: `
link http
  container chain
    model m1 in=10 out=1
    tool t1 search`,
			want: map[string]string{"http": "steps=1 calls=1 errors=0 in=10 out=1"},
		},
		{
			name: "model spans alone are no run",
			tree: `
link batch
  model m1 in=10 out=1
  model m2 in=10 out=1`,
			want: map[string]string{},
		},
		{
			name: "a single call without anything around it is no run",
			tree: `mcp t1 search args=q result=r`,
			want: map[string]string{},
		},
		{
			name: "ids are the same call only where spans overlap",
			tree: `
agent A main
  model m1
  tool t1 search id=fn
  tool t2 search id=fn`,
			want: map[string]string{"A": "main steps=1 calls=2 errors=0"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spans := parseTree(t, tt.tree)
			for _, n := range []int{1, 2, 3, len(spans)} {
				tr, _ := newTestTracker(t)
				got := make(map[string]string)
				for key, m := range send(tr, testStart, spans, n) {
					switch {
					case m.Run != nil:
						got[key] = m.Run.summary()
					case m.Nested.Severity != None:
						got[key] = "nested " + m.Nested.Severity.String()
					}
				}
				assert.Equal(t, tt.want, got, "in batches of %d", n)
				assert.Zero(t, tr.Open(), "no run stays open")
			}
		})
	}
}
