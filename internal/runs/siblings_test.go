// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Bare clients have no span around a sub-agent: its responses lie between a
// call and the response that is told the result.
func TestResultsAreFoundBehindTheResponsesOfASubAgent(t *testing.T) {
	text := "container C\n"
	for i, id := range []string{"a", "b", "c"} {
		text += "  model m" + id
		if i > 0 {
			text += " answer=" + string(rune('a'+i-1)) + ":the-same-long-answer-again"
		}
		text += " call=" + id + ":research:q\n  model s" + id + " said=notes finish=stop\n"
	}
	text += "  model last answer=c:the-same-long-answer-again said=done\n"
	for _, n := range []int{1, 2, 100} {
		tr, _ := newTestTracker(t)
		run := send(tr, testStart, parseTree(t, strings.TrimSpace(text)), n)["C"].Run
		require.NotNil(t, run)
		assert.EqualValues(t, 3, run.Calls[CoverageFull], "batches of %d", n)
	}
}
