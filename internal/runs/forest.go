// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import "go.opentelemetry.io/collector/pdata/pcommon"

// forest knows which span hangs below which within one trace. It answers one
// question: above this span, which is the nearest one that is a run's own or
// has not arrived? Spans in between are skipped by path halving, so the answer
// costs amortised constant time, however deep the tree is.
type forest map[pcommon.SpanID]node

type nodeState uint8

const (
	// arrived spans of the current batch that have not settled yet end every
	// way up, as spans do that have not arrived at all.
	arrived nodeState = iota + 1
	// passing spans lead on to the span above them.
	passing
	// final spans own a run or have nothing above them.
	final
)

type node struct {
	up    pcommon.SpanID // Where a passing span leads; possibly far above it.
	via   pcommon.SpanID // The first tool span on that way, itself included.
	item  int32          // The item of an arrived span.
	state nodeState
}

// place is where a span hangs: below the span up (ok), or below nothing. via
// is the nearest tool span between, empty if there is none.
type place struct {
	up, via pcommon.SpanID
	ok      bool
}

// above says where a span with this parent hangs.
func (f forest) above(parent pcommon.SpanID) place {
	if parent.IsEmpty() {
		return place{}
	}
	p := place{up: parent, ok: true}
	for {
		n := f[p.up]
		if n.state != passing {
			return p
		}
		if next := f[n.up]; next.state == passing {
			if n.via.IsEmpty() {
				n.via = next.via
			}
			n.up = next.up
			f[p.up] = n
		}
		if p.via.IsEmpty() {
			p.via = n.via
		}
		p.up = n.up
	}
}

// seen reports whether a span with this id has arrived.
func (f forest) seen(id pcommon.SpanID) bool { return f[id].state != 0 }

// pass makes a span lead on to the place where it hangs.
func (f forest) pass(id pcommon.SpanID, at place, tool bool) {
	n := node{up: at.up, via: at.via, state: passing}
	if tool {
		n.via = id
	}
	f[id] = n
}

// end makes a span one that ends the ways up.
func (f forest) end(id pcommon.SpanID) { f[id] = node{state: final} }
