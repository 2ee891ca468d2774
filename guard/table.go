// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "unsafe"

// tableLimit bounds a generation of the tables of small entries.
const tableLimit = 4096

// entryBytes is what a map needs for a key, beside the value: it has up to half
// as much room again as entries.
const entryBytes = 16

// table is a map that forgets what has not been written for long and can take
// back the writes of the last step.
type table[V any] struct {
	// limit bounds a generation: the table holds at most twice as many
	// entries, plus those of one step.
	limit      int
	young, old map[mark]V
	undo       []written[V]
}

type written[V any] struct {
	Key     mark
	Value   V
	Existed bool
}

// begin starts a step. Only here does the table forget, so that rewind never
// has to bring a generation back.
func (t *table[V]) begin() {
	t.undo = t.undo[:0]
	if len(t.young) >= t.limit {
		t.old, t.young = t.young, t.old
		clear(t.young)
	}
}

func (t *table[V]) get(k mark) (V, bool) {
	if v, ok := t.young[k]; ok {
		return v, true
	}
	v, ok := t.old[k]
	return v, ok
}

func (t *table[V]) set(k mark, v V) {
	if t.young == nil {
		t.young = make(map[mark]V)
	}
	before, existed := t.young[k]
	t.undo = append(t.undo, written[V]{k, before, existed})
	t.young[k] = v
}

// rewind takes back the writes since begin.
func (t *table[V]) rewind() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		if u := t.undo[i]; u.Existed {
			t.young[u.Key] = u.Value
		} else {
			delete(t.young, u.Key)
		}
	}
	t.undo = t.undo[:0]
}

// size estimates the bytes.
func (t *table[V]) size() int {
	var v V
	var w written[V]
	return (len(t.young)+len(t.old))*(entryBytes+int(unsafe.Sizeof(v)))*3/2 + cap(t.undo)*int(unsafe.Sizeof(w))
}
