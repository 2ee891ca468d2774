// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUserMessageAfterAnAnswerIsABoundary(t *testing.T) {
	tr, _ := newTestTracker(t)
	marks := send(tr, testStart, parseTree(t, `
agent A main
  model m1 user=1
  tool t1 search args=q result=the-same-long-answer-again
  model m2 finish=stop
  model m3 user=1
  tool t2 search args=q result=the-same-long-answer-again
  model m4 finish=stop
  model m5 user=1
  tool t3 search args=q result=the-same-long-answer-again
  model m6 finish=stop`), 100)
	require.NotNil(t, marks["A"].Run)
	assert.Equal(t, OK, marks["A"].Run.Severity)
}

func TestNotesInAUserMessageAreNoBoundary(t *testing.T) {
	tr, _ := newTestTracker(t)
	marks := send(tr, testStart, parseTree(t, `
agent A main
  model m1 user=1
  tool t1 search args=q result=the-same-long-answer-again
  model m3 user=1
  tool t2 search args=q result=the-same-long-answer-again
  model m5 user=1
  tool t3 search args=q result=the-same-long-answer-again`), 100)
	require.NotNil(t, marks["A"].Run)
	assert.Equal(t, Stop, marks["A"].Run.Severity)
}
