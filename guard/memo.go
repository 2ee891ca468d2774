// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"math/bits"

	"github.com/zeebo/xxh3"
)

// Memo remembers what a Digester made of the texts it saw last, so that a text
// that comes again costs one hash of its bytes. Looping agents and emitters
// that send one call in several spans repeat themselves a lot. A Memo is not
// safe for concurrent use.
type Memo struct {
	digester *Digester
	entries  []memoEntry
}

// memoEntry takes the place of an earlier one with the same low bits.
type memoEntry struct {
	raw     xxh3.Uint128
	outcome Outcome
}

// memoEntryBytes is the memory that one entry takes.
const memoEntryBytes = 48

// NewMemo makes a memo of the given number of entries, rounded up to a power
// of two and at least 1.
func NewMemo(d *Digester, entries int) *Memo {
	n := 1 << bits.Len(uint(max(entries, 1)-1))
	return &Memo{digester: d, entries: make([]memoEntry, n)}
}

// Size is the memory that the memo takes, in bytes.
func (m *Memo) Size() int { return len(m.entries) * memoEntryBytes }

// Args is Digester.Args.
func (m *Memo) Args(text string, keys ...string) Fingerprint {
	var salt uint64
	for _, k := range keys {
		salt = join(salt, xxh3.HashString(k))
	}
	slot, known := m.slot(text, join(uint64(purposeArgs), salt))
	if !known {
		slot.outcome = Outcome{Fingerprint: m.digester.Args(text, keys...)}
	}
	return slot.outcome.Fingerprint
}

// Result is Digester.Result.
func (m *Memo) Result(text string) Outcome {
	slot, known := m.slot(text, uint64(purposeResult))
	if !known {
		slot.outcome = m.digester.Result(text)
	}
	return slot.outcome
}

// Error is Digester.Error.
func (m *Memo) Error(text string) Outcome {
	slot, known := m.slot(text, uint64(purposeError))
	if !known {
		slot.outcome = m.digester.Error(text)
	}
	return slot.outcome
}

// slot returns the entry for a text, taking it over if it held another.
func (m *Memo) slot(text string, salt uint64) (*memoEntry, bool) {
	raw := xxh3.HashString128(text)
	raw.Hi ^= salt
	e := &m.entries[raw.Lo&uint64(len(m.entries)-1)]
	if e.raw == raw && e.outcome.Known() {
		return e, true
	}
	*e = memoEntry{raw: raw}
	return e, false
}
