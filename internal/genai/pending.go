// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// pending finds which call of a step a result answers, in constant time
// whatever the numbers of both. Calls are counted through all steps, so that
// what the maps hold of earlier steps is known by its number and never cleared.
type pending struct {
	calls []pendingCall
	// first is the number of the step's first call.
	first int
	// waiting is the index of a call before which none waits.
	waiting int
	byID    map[uint64]int
	byName  map[string]nameQueue
}

// pendingCall is a call of the step. next is the index of the next call of the
// same name, 0 if there is none.
type pendingCall struct {
	next     int
	answered bool
}

// nameQueue holds the numbers of the first call of a name that may wait, and
// of the last one.
type nameQueue struct{ head, last int }

// begin forgets the calls of the step before.
func (p *pending) begin() {
	p.first += len(p.calls)
	p.calls = p.calls[:0]
	p.waiting = 0
}

// call adds a call that waits. Of equal ids the first one counts.
func (p *pending) call(id uint64, name string) {
	if p.byID == nil {
		p.byID, p.byName = map[uint64]int{}, map[string]nameQueue{}
	}
	i := len(p.calls)
	number := p.first + i
	p.calls = append(p.calls, pendingCall{})
	if id != 0 {
		if of, ok := p.byID[id]; !ok || of < p.first {
			p.byID[id] = number
		}
	}
	q, ok := p.byName[name]
	if !ok || q.last < p.first {
		q.head = number
	} else {
		p.calls[q.last-p.first].next = i
	}
	q.last = number
	p.byName[name] = q
}

// lone adds a call of which only the result is known.
func (p *pending) lone() { p.calls = append(p.calls, pendingCall{answered: true}) }

// answer returns the index of the call that a result answers, -1 if there is
// none: the one with the result's id, else the first that waits and has the
// result's name, or any name if the result has none.
func (p *pending) answer(id uint64, name string) int {
	i := -1
	switch {
	case id != 0:
		if number, ok := p.byID[id]; ok {
			i = number - p.first
		}
	case name == "":
		i = p.any()
	default:
		i = p.named(name)
	}
	if i < 0 {
		return -1
	}
	p.calls[i].answered = true
	return i
}

func (p *pending) any() int {
	for ; p.waiting < len(p.calls); p.waiting++ {
		if !p.calls[p.waiting].answered {
			return p.waiting
		}
	}
	return -1
}

func (p *pending) named(name string) int {
	q, ok := p.byName[name]
	if !ok || q.last < p.first {
		return -1
	}
	i := q.head - p.first
	for p.calls[i].answered && p.calls[i].next > 0 {
		i = p.calls[i].next
	}
	q.head = p.first + i
	p.byName[name] = q
	if p.calls[i].answered {
		return -1
	}
	return i
}
