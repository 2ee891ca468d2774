// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// descent is an agent that starts itself through a tool, n levels deep.
func descent(n int, task string) string {
	var b strings.Builder
	for i := range n {
		in := strings.Repeat("    ", i)
		fmt.Fprintf(&b, "%sagent A%d planner\n%s  model m%d finish=tool-calls\n", in, i, in, i)
		if i < n-1 {
			fmt.Fprintf(&b, "%s  tool t%d spawn args=%s result=depth_limit\n", in, i, strings.ReplaceAll(task, "#", fmt.Sprint(i)))
		}
	}
	return b.String()
}

func TestAgentBelowItselfBelongsToTheOutermostRun(t *testing.T) {
	tests := []struct {
		name, tree, run, onset string
	}{
		{"the same task again", descent(8, "everything"), "A0", "A3"},
		{"three levels below", descent(4, "everything"), "A0", "A3"},
		{"two levels below", descent(3, "everything"), "", ""},
		{"parts of the task", descent(8, "part#"), "", ""},
		{"names alone", strings.ReplaceAll(strings.ReplaceAll(descent(8, "x"), "args=x", ""), "result=depth_limit", ""), "A0", "A5"},
		{"below a span that is not ours", "link H\n" + indent(descent(8, "everything")), "H", "A2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spans := parseTree(t, tt.tree)
			for _, batch := range []int{1, 3, len(spans)} {
				tr, rec := newTestTracker(t)
				marks := send(tr, testStart, spans, batch)
				got := ""
				for key, m := range marks {
					if m.Run != nil && m.Run.Fault.Code != "" {
						got += key + " " + m.Run.Fault.Code + " " + m.Run.OnsetSpan.String()
					}
				}
				if tt.run == "" {
					assert.Empty(t, got)
					continue
				}
				assert.Equal(t, tt.run+" DELEGATION_LOOP "+spanID(tt.onset).String(), got)
				assert.Len(t, rec.findings, 1)
				assert.Empty(t, rec.retracted)
				if batch == len(spans) {
					assert.NotEmpty(t, marks[tt.onset].Crossings, "it is in hand")
				}
			}
		})
	}
}

func indent(tree string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(tree), "\n", "\n  ")
}

func TestAgentBelowItselfWhenTheTopNeverComes(t *testing.T) {
	spans := parseTree(t, descent(8, "everything"))
	tr, rec := newTestTracker(t)
	send(tr, testStart, spans[:len(spans)-1], 1)
	assert.Empty(t, rec.findings, "nobody knows yet which run is the outermost")
	tr.Shutdown()
	assert.Equal(t, []string{"DELEGATION_LOOP@" + pcommon.SpanID{}.String()}, rec.findings)
}

// circle is a workflow whose agents do by turns what deeds says; # is the lap.
func circle(root, deeds string) string {
	tree := root + "\n"
	for i := range 8 {
		name := []string{"desk", "billing"}[i%2]
		tree += fmt.Sprintf("  agent G%d %s\n    model n%d finish=tool-calls\n    %s\n",
			i, name, i, strings.NewReplacer("#", fmt.Sprint(i), "@", fmt.Sprint("u", i)).Replace(deeds))
	}
	return tree
}

func TestAgentsThatHandATaskRound(t *testing.T) {
	tests := []struct{ name, tree, want string }{
		{"to the same end", circle("agent W swarm", "tool @ pass args=x result=y"), "W confirmed G5"},
		{"below a container", circle("container W", "tool @ pass args=x result=y"), "W confirmed G5"},
		{"handing over, whatever comes back", circle("agent W swarm", "tool @ transfer args=x result=# handoff=1"), "W confirmed G5"},
		{"with new results", circle("agent W swarm", "tool @ pass args=x result=#"), ""},
		{"with answers of their own", circle("agent W swarm", "model @ said=answer#"), ""},
		{"nobody shows what they do, four laps", circle("agent W swarm", "tool @ pass"), ""},
		{"in words", circle("container W", "model @ said=ask_the_other"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spans := parseTree(t, tt.tree)
			for _, batch := range []int{1, len(spans)} {
				tr, _ := newTestTracker(t)
				got := ""
				for key, m := range send(tr, testStart, spans, batch) {
					if m.Run != nil && m.Run.Fault.Code == guard.CodeDelegationLoop {
						got += fmt.Sprint(key, " ", m.Run.Fault.Grade, " ", keyOf(spans, m.Run.OnsetSpan))
					}
				}
				assert.Equal(t, tt.want, got)
			}
		})
	}
}

func keyOf(spans []span, id pcommon.SpanID) string {
	for _, s := range spans {
		if s.ID == id {
			return s.key
		}
	}
	return ""
}

func TestDelegationsDoNotDependOnOrder(t *testing.T) {
	trees := []string{
		descent(9, "everything"), "link H\n" + indent(descent(9, "everything")), circle("container W", "tool @ pass args=x result=y"),
		"agent R root\n  model r1 finish=tool-calls\n  tool r2 start args=a result=b\n" + indent(indent(descent(6, "everything"))) +
			"\n  model r3 finish=tool-calls\n  tool r4 start args=a result=b\n" + indent(indent(descent(6, "part#"))),
	}
	for i, tree := range trees {
		r := rand.New(rand.NewPCG(uint64(i), 11))
		spans := parseTree(t, distinct(tree))
		want := outcome(t, r, spans, len(spans))
		require.Contains(t, want, "DELEGATION_LOOP")
		for range 20 {
			require.Equal(t, want, outcome(t, r, shuffled(r, spans), r.IntN(5)), tree)
		}
	}
}

// distinct tells spans with one key apart.
func distinct(tree string) string {
	seen := map[string]bool{}
	lines := strings.Split(tree, "\n")
	for i, line := range lines {
		if words := strings.Fields(line); len(words) > 1 && seen[words[1]] {
			lines[i] = strings.Replace(line, " "+words[1], " "+words[1]+fmt.Sprint("_", i), 1)
		} else if len(words) > 1 {
			seen[words[1]] = true
		}
	}
	return strings.Join(lines, "\n")
}

func TestDescentIsBounded(t *testing.T) {
	spans := parseTree(t, descent(200, "everything"))
	tr, _ := newTestTracker(t)
	marks := send(tr, testStart, spans, 7)
	require.NotNil(t, marks["A0"].Run)
	assert.Equal(t, spanID("A3"), marks["A0"].Run.OnsetSpan)
}

func TestModelsWordsAndCallsReachTheGuard(t *testing.T) {
	tests := []struct{ name, tree, want string }{
		{"its own words before it", `
agent A main
  model m1 said=now
  model m2 said=now echo=now
  model m3 said=now echo=now`, guard.CodeRepeatedText},
		{"questions of their own", `
agent A main
  model m1 said=yes
  model m2 said=yes
  model m3 said=yes`, ""},
		{"calls that no tool span shows", `
agent A main
  model m1 said=now call=1:write:x finish=tool-calls
  model m2 said=now call=2:write:x finish=tool-calls echo=now
  model m3 said=now call=3:write:x finish=tool-calls echo=now
  tool t1 other args=a result=b`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr, _ := newTestTracker(t)
			marks := send(tr, testStart, parseTree(t, tt.tree), 100)
			assert.Equal(t, tt.want, marks["A"].Run.Fault.Code)
		})
	}
}
