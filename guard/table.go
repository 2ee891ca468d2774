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
	if len(t.young) >= t.limit {
		t.old, t.young = t.newest(), t.emptied()
	}
	if t.undo = t.undo[:0]; cap(t.undo) > 2*t.limit {
		t.undo = nil
	}
}

// oversized reports whether a step has brought so much that a map, which never
// shrinks, is not to be kept.
func (t *table[V]) oversized(m map[mark]V) bool { return len(m) > 2*t.limit }

// newest is the young generation; of an oversized one, what was written last.
func (t *table[V]) newest() map[mark]V {
	if !t.oversized(t.young) {
		return t.young
	}
	kept := make(map[mark]V, t.limit)
	for i := len(t.undo) - 1; i >= 0 && len(kept) < t.limit; i-- {
		kept[t.undo[i].Key] = t.young[t.undo[i].Key]
	}
	return kept
}

// emptied is the room of the old generation, for the next one.
func (t *table[V]) emptied() map[mark]V {
	if t.oversized(t.old) || t.oversized(t.young) {
		return nil
	}
	clear(t.old)
	return t.old
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
