// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// ring keeps the last beats and can take back those of the last step.
type ring struct {
	limit int
	beats []beat
	next  int
	// lost are the beats that this step has overwritten; length and start
	// are as they were before it.
	lost          []beat
	length, start int
}

func (r *ring) begin() {
	if cap(r.lost) > usualCalls {
		r.lost = nil
	}
	r.lost, r.length, r.start = r.lost[:0], len(r.beats), r.next
}

func (r *ring) put(b beat) {
	if len(r.beats) < r.limit {
		r.beats = append(r.beats, b)
	} else {
		r.lost = append(r.lost, r.beats[r.next])
		r.beats[r.next] = b
	}
	r.next = (r.next + 1) % r.limit
}

// back is the p-th last beat, counted from 1. It is asked for each lag of each
// beat: a division would be what most of that costs.
func (r *ring) back(p int) *beat {
	i := r.next - p
	if i < 0 {
		i += r.limit
	}
	return &r.beats[i]
}

func (r *ring) rewind() {
	for i := len(r.lost) - 1; i >= 0; i-- {
		r.next = (r.next - 1 + r.limit) % r.limit
		r.beats[r.next] = r.lost[i]
	}
	r.lost, r.beats, r.next = r.lost[:0], r.beats[:r.length], r.start
}
