// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// loopTree is a run that makes the given calls, one a step. A call is written
// tool:args:result.
func loopTree(calls ...string) string {
	var b strings.Builder
	b.WriteString("agent A main\n")
	for i, c := range calls {
		part := strings.Split(c, ":")
		fmt.Fprintf(&b, "  model m%d finish=tool-calls\n  tool t%d %s args=%s result=%s\n", i, i, part[0], part[1], part[2])
	}
	return b.String()
}

func TestCallsOfALoopAreMarked(t *testing.T) {
	tests := []struct {
		name  string
		calls []string
		want  map[string]int64
	}{
		{
			name:  "a healthy run has none",
			calls: []string{"a:1:x", "b:1:y", "c:1:z"},
			want:  map[string]int64{},
		},
		{
			name:  "a repeated call, from the first of the row",
			calls: []string{"a:1:x", "b:1:y", "a:1:x", "a:1:x", "a:1:x", "a:1:x", "c:1:z"},
			want:  map[string]int64{"t2": 1, "t3": 2, "t4": 3, "t5": 4},
		},
		{
			name:  "a cycle, call by call",
			calls: []string{"z:1:z", "a:1:x", "b:1:y", "a:1:x", "b:1:y", "a:1:x", "b:1:y"},
			want:  map[string]int64{"t1": 1, "t2": 1, "t3": 2, "t4": 2, "t5": 3, "t6": 3},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr, _ := newTestTracker(t, func(s *Settings) { s.MarkCalls = true })
			got := map[string]int64{}
			for key, m := range send(tr, testStart, parseTree(t, loopTree(tt.calls...)), 100) {
				if m.Call != nil {
					got[key] = m.Call.Repeat
					assert.Equal(t, spanID("A").String(), m.Call.Run)
				}
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestCallsAreMarkedOnRequestOnly(t *testing.T) {
	tr, _ := newTestTracker(t)
	for _, m := range send(tr, testStart, parseTree(t, loopTree("a:1:x", "a:1:x", "a:1:x")), 100) {
		assert.Nil(t, m.Call)
	}
}

func TestARunWithoutItsSpanMarksItsCalls(t *testing.T) {
	tr, _ := newTestTracker(t, func(s *Settings) { s.MarkCalls = true })
	spans := parseTree(t, loopTree("a:1:x", "a:1:x", "a:1:x"))
	marks := send(tr, testStart, spans[:len(spans)-1], 100) // The agent never comes.
	assert.Equal(t, &LoopCall{Run: spanID("A").String(), Repeat: 3}, marks["t2"].Call)
}
