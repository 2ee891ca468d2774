// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// released is what a window let go of, as "trace:times", times in seconds.
type released []string

func (r *released) take(s *segment) error {
	var times []string
	for _, h := range s.spans {
		times = append(times, fmt.Sprint(int64(h.span.EndTimestamp())/1e9))
	}
	*r = append(*r, fmt.Sprintf("%c:%s", s.trace[0], strings.Join(times, ",")))
	return nil
}

// feed adds spans written as "a:10": trace a, ended at second 10.
func feed(t *testing.T, w *window, spans ...string) {
	for _, text := range spans {
		var trace byte
		var at int64
		_, err := fmt.Sscanf(text, "%c:%d", &trace, &at)
		require.NoError(t, err)
		s := ptrace.NewSpan()
		s.SetTraceID(pcommon.TraceID{trace})
		s.SetEndTimestamp(pcommon.Timestamp(at * 1e9))
		w.add(held{span: s}, 100)
		require.NoError(t, w.advance())
	}
}

func newTestWindow(length, idle int64, maxBytes int64) (*window, *released) {
	r := new(released)
	return newWindow(length*1e9, idle*1e9, maxBytes, r.take), r
}

func TestWindow(t *testing.T) {
	tests := []struct {
		name     string
		maxBytes int64
		spans    string
		want     []string // What is let go of on the way, and then at the end.
		outside  int64
	}{
		{"nothing is let go of within the window", 1e6, "a:100 b:101 a:104", []string{"|", "b:101", "a:100,104"}, 0},
		{"a trace goes when the window has passed it", 1e6, "a:100 b:107 b:111", []string{"a:100", "|", "b:107,111"}, 0},
		{"spans of any order within the window come together", 1e6, "a:105 a:100 a:103", []string{"|", "a:105,100,103"}, 0},
		{"a silence as long as idle parts a trace", 1e6, "a:100 a:105 b:107", []string{"|", "a:100", "a:105", "b:107"}, 0},
		{"a span in between joins the parts", 1e6, "a:100 a:106 a:103", []string{"|", "a:100,106,103"}, 0},
		{"what is too late is counted and goes at once", 1e6, "a:100 b:120 a:101", []string{"a:100", "a:101", "|", "b:120"}, 1},
		{"too many bytes push the oldest out", 250, "a:100 b:101 c:102 a:100", []string{"a:100", "a:100", "|", "b:101", "c:102"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, got := newTestWindow(10, 5, tt.maxBytes)
			feed(t, w, strings.Fields(tt.spans)...)
			*got = append(*got, "|")
			require.NoError(t, w.drain())
			assert.Equal(t, tt.want, []string(*got))
			assert.Equal(t, tt.outside, w.outside)
			assert.Zero(t, w.bytes)
			assert.Empty(t, w.traces)
		})
	}
}

func TestOrderWithinTheWindowChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var spans []string
		for range 30 {
			spans = append(spans, fmt.Sprintf("%c:%d", 'a'+rune(random.IntN(4)), 100+random.IntN(50)))
		}
		segments := func() map[string]int {
			w, got := newTestWindow(60, 5, 1e6)
			feed(t, w, spans...)
			require.NoError(t, w.drain())
			counts := map[string]int{}
			for _, s := range *got {
				counts[fmt.Sprintf("%c%d", s[0], strings.Count(s, ","))]++
			}
			return counts
		}
		want := segments()
		random.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		assert.Equal(t, want, segments())
	}
}

func TestSpansWithoutTimesHaveTheirPlace(t *testing.T) {
	w, got := newTestWindow(10, 5, 1e6)
	feed(t, w, "a:100", "b:0")
	s := ptrace.NewSpan()
	s.SetTraceID(pcommon.TraceID{'a'})
	s.SetStartTimestamp(103e9)
	w.add(held{span: s}, 1)
	require.NoError(t, w.drain())
	assert.ElementsMatch(t, []string{"b:0", "a:100,0"}, []string(*got))
	assert.Zero(t, w.outside)
}
