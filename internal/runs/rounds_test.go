// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// roundsOf is a run as VoltAgent writes it: one model span from its first
// request to its last answer.
func roundsOf(t *testing.T, tools string) []span {
	spans := parseTree(t, "agent A main loop=1 in=100 out=9\n"+tools+"  model m loop=1 finish=length\n")
	for i := range spans {
		if spans[i].key == "m" {
			spans[i].Start = spans[0].Start - 1
		}
	}
	return spans
}

func TestRoundsBelowOneModelSpanAreSteps(t *testing.T) {
	tr, _ := newTestTracker(t)
	b := roundsOf(t, `  tool t1 search loop=1 args=q result=the-same-long-answer-again
  tool t2 search loop=1 args=q result=the-same-long-answer-again
  tool t3 search loop=1 args=q result=the-same-long-answer-again
`)
	marks := send(tr, testStart, b, 1)
	run := marks["A"].Run
	require.NotNil(t, run)
	assert.Equal(t, "REPEATED_TOOL_CALL", run.Fault.Code)
	assert.Equal(t, 2, run.OnsetStep)
	assert.EqualValues(t, 4, run.Steps, "three rounds and the answer")
	assert.NotEmpty(t, marks["t3"].Crossings, "found while the run was under way")
}

func TestCallsAtOneTimeAreOneRound(t *testing.T) {
	tr, _ := newTestTracker(t)
	spans := roundsOf(t, `  tool t1 search loop=1 args=q result=the-same-long-answer-again
  tool t2 search loop=1 args=q result=the-same-long-answer-again
  tool t3 search loop=1 args=q result=the-same-long-answer-again
`)
	for i := range 3 {
		spans[i].Start = spans[0].Start + int64(i)*1e6 // Clocks of one millisecond.
		spans[i].End = spans[i].Start + 1e5
	}
	run := send(tr, testStart, spans, 100)["A"].Run
	require.NotNil(t, run)
	assert.EqualValues(t, 2, run.Steps)
	assert.NotEqual(t, "REPEATED_TOOL_CALL", run.Fault.Code)
}

// Its agents' totals leave the agents below them out, and its model spans have
// none.
func TestTotalsOfAgentsThatLeaveNestedOnesOut(t *testing.T) {
	tr, _ := newTestTracker(t)
	b := send(tr, testStart, parseTree(t, `
agent A main loop=1 in=100 out=9
  model m1 loop=1 finish=stop
  tool t1 researcher loop=1
    agent B sub loop=1 in=70 out=7
      model m2 loop=1 finish=stop`), 1)
	assert.EqualValues(t, 100, b["A"].Run.InputTokens)
	assert.EqualValues(t, 70, b["B"].Run.InputTokens)
}

// VoltAgent ends a sub-agent after the tool that ran it: it may come alone, and
// is no part of the round before it.
func TestNestedRunThatEndsAfterItsToolIsInTheSameRound(t *testing.T) {
	text := ""
	for _, n := range []string{"1", "2", "3"} {
		text += "  tool t" + n + " delegate loop=1 args=q result=the-same-long-answer-again\n" +
			"    agent b" + n + " sub loop=1\n      model s" + n + " loop=1 finish=stop\n"
	}
	spans := roundsOf(t, text)
	late := make([]span, 0, len(spans))
	for _, s := range spans {
		if late = append(late, s); s.key[0] == 't' { // Swap the tool and the agent in it.
			i := len(late) - 1
			late[i].Start = late[i-1].Start
			late[i], late[i-1] = late[i-1], late[i]
		}
	}
	tr, _ := newTestTracker(t)
	run := send(tr, testStart, late, 1)["A"].Run
	require.NotNil(t, run)
	assert.EqualValues(t, 4, run.Steps)
}
