// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"slices"
	"strconv"
)

// mark is the hash of whatever a detector compares; 0 is unknown. In JSON it is
// a hexadecimal string, because not every reader of JSON keeps 64 bit integers.
type mark uint64

// MarshalText writes the mark in hexadecimal.
func (m mark) MarshalText() ([]byte, error) {
	return strconv.AppendUint(nil, uint64(m), 16), nil
}

// UnmarshalText reads what MarshalText wrote.
func (m *mark) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 16, 64)
	*m = mark(v)
	return err
}

// with is the mark of the pair, unknown if one of the two is.
func (m mark) with(n mark) mark {
	if m == 0 || n == 0 {
		return 0
	}
	return mark(nonZero(join(uint64(m), uint64(n))))
}

// setOf is the mark of a set; it sorts the marks. The empty set is 0.
func setOf(marks []mark) mark {
	if len(marks) == 0 {
		return 0
	}
	slices.Sort(marks)
	m := marks[0]
	for i, n := range marks[1:] {
		if n != marks[i] {
			m = m.with(n)
		}
	}
	return m
}
