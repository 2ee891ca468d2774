// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// sameText is a key that is always written "k".
type sameText struct{ of int }

func (sameText) MarshalText() ([]byte, error) { return []byte("k"), nil }

// Go hands out the entries of a map in any order; a form has one.
func TestKeysThatAreWrittenAlike(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"numbers":        {map[any]string{1: "a", int64(1): "b", 1.0: "c"}, `Map{1:"a",1:"b",1:"c"}`},
		"NaN":            {map[float64]int{nan: 3, nan: 1, nan: 2}, `Map{NaN:1,NaN:2,NaN:3}`},
		"pointers":       {map[*int]int{new(int): 3, new(int): 1, new(int): 2}, `Map{0:1,0:2,0:3}`},
		"not UTF-8":      {map[string]int{"\xff": 1, "\xfe": 3, "\xfd": 2}, `{"` + "\ufffd" + `":3}`},
		"text marshaler": {map[sameText]int{{1}: 2, {2}: 3, {3}: 1}, `{"k":3}`},
		"nested": {
			map[any]any{1: map[any]int{2: 1, int8(2): 2}, int8(1): map[any]int{2: 0, int8(2): 3}},
			`Map{1:Map{2:0,2:3},1:Map{2:1,2:2}}`,
		},
	} {
		exact := FingerprintOf(c.value).Exact
		for range 200 {
			assert.Equal(t, c.want, Canonicalize(c.value), name)
			assert.Equal(t, exact, FingerprintOf(c.value).Exact, name)
		}
	}
}

// Fingerprints are equal exactly if the forms are.
func TestRepeatedKeysCountInFingerprints(t *testing.T) {
	nan := math.NaN()
	one, two := map[float64]int{nan: 2}, map[float64]int{nan: 2, nan: 2}
	assert.NotEqual(t, Canonicalize(one), Canonicalize(two))
	assert.NotEqual(t, FingerprintOf(one), FingerprintOf(two))
	assert.NotEqual(t, FingerprintOf(map[float64]int{nan: 1, nan: 2}), FingerprintOf(two))
}

// To order the entries of nested maps must not take twice as long at each level.
func TestNestedKeysThatAreWrittenAlike(t *testing.T) {
	var nest any = "leaf"
	for range 40 {
		nest = map[any]any{1: nest, int8(1): nest}
	}
	start := time.Now()
	Canonicalize(nest)
	assert.Less(t, time.Since(start), 10*time.Second)
}
