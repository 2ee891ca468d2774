// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

// idIndex finds things by the hash of an id; 0 is no id and never found. A few
// are searched, many are looked up. The last one entered under an id counts.
type idIndex struct {
	ids  []uint64
	at   []int32
	many map[uint64]int32
}

// few is how many ids are searched one by one.
const few = 16

func (x *idIndex) reset() {
	x.ids, x.at = x.ids[:0], x.at[:0]
	clear(x.many)
}

func (x *idIndex) set(id uint64, at int) {
	if id == 0 {
		return
	}
	if len(x.many) > 0 {
		x.many[id] = int32(at)
		return
	}
	x.ids, x.at = append(x.ids, id), append(x.at, int32(at))
	if len(x.ids) <= few {
		return
	}
	if x.many == nil {
		x.many = make(map[uint64]int32)
	}
	for i, id := range x.ids {
		x.many[id] = x.at[i]
	}
}

func (x *idIndex) get(id uint64) (at int, ok bool) {
	if id == 0 {
		return 0, false
	}
	if len(x.many) > 0 {
		at, ok := x.many[id]
		return int(at), ok
	}
	for i := len(x.ids) - 1; i >= 0; i-- {
		if x.ids[i] == id {
			return int(x.at[i]), true
		}
	}
	return 0, false
}
