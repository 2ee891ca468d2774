// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// distinct is a step of n calls of as many tools, all failing with texts of
// their own, that begins at the given number.
func distinct(from, n int) StepDigest {
	var s StepDigest
	for i := from; i < from+n; i++ {
		f := Fingerprint{Exact: uint64(i) + 1, Normal: uint64(i) + 1}
		f.Shape = Shape{Rest: uint32(i) + 1, From: 1, To: 9}
		s.Calls = append(s.Calls, CallDigest{
			Tool: fmt.Sprint("t", i), Args: f,
			Outcome: Outcome{Fingerprint: f, Informative: true, Failed: i%2 == 0},
		})
	}
	return s
}

// One huge step leaves no more behind than the usual ones before and after it.
func TestMemoryAfterHugeStep(t *testing.T) {
	for name, o := range map[string]Options{
		"retrospective": Retrospective(), "seed": {NoHistory: true, MaxSteps: MaxSteps{Off: true}},
	} {
		heap := func() int {
			for range 3 { // pools let go of things at the second one
				runtime.GC()
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int(m.HeapAlloc)
		}
		judge := func(huge int) (size, bytes int) {
			before := heap()
			g := mustNew(t, o)
			for i := range 1100 {
				g.CheckDigest(distinct(i, 1))
			}
			g.CheckDigest(distinct(1<<20, huge))
			for i := range 30_000 {
				g.CheckDigest(distinct(2000+i, 1))
			}
			bytes = heap() - before
			return g.Size(), bytes
		}
		usual, usualBytes := judge(1)
		size, bytes := judge(50_000)
		assert.Less(t, size, usual*3/2, name)
		assert.Less(t, bytes, usualBytes*3/2, name)
	}
}

// Of what an oversized step has written the table keeps the end.
func TestTableKeepsTheNewest(t *testing.T) {
	tab := table[int]{limit: 4}
	for i := range 100 {
		tab.set(mark(i+1), i)
	}
	tab.begin()
	for i := range 100 {
		_, ok := tab.get(mark(i + 1))
		assert.Equal(t, i >= 96, ok, i)
	}
	tab.set(7, 70)
	tab.rewind()
	_, ok := tab.get(7)
	assert.False(t, ok)
}

func TestNoFindingsAreAList(t *testing.T) {
	data, err := json.Marshal(mustNew(t, Options{}).Summary())
	require.NoError(t, err)
	assert.Contains(t, string(data), `"findings":[]`)
}
