// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"math/bits"

	"github.com/zeebo/xxh3"
)

// Shape is what a fingerprint of arguments keeps of their form, besides being
// equal or not: enough to see that one input extends another, and which part of
// a resource is asked for. It holds no content.
type Shape struct {
	// Length is that of the longest text among the arguments, in bytes. It is
	// 0 if that is shorter than 16 bytes.
	Length uint32
	// Heads are hashes of beginnings of that text, of the four longest lengths
	// in the series 16, 22, 32, 45, 64, 90, … that it reaches, longest first.
	Heads [4]uint32
	// From and To are the first and the last unit asked for: lines, rows,
	// bytes or pages. They count only if Rest is not 0.
	From, To uint32
	// Rest is a hash of the other arguments: what the range is one of.
	Rest uint32
}

// minShaped is the shortest text that has a shape.
const minShaped = 16

// rungOf is the number of the longest length of the series up to n: powers of
// the square root of two.
func rungOf(n uint32) int {
	k := bits.Len32(n) - 1
	if n >= rung(2*k+1) {
		return 2*k + 1
	}
	return 2 * k
}

func rung(i int) uint32 {
	n := uint64(1) << (i / 2)
	if i%2 == 1 {
		n = n * 46341 >> 15
	}
	return uint32(n)
}

// extends reports whether the text of s goes on where that of t ends, as far
// as the hashes tell: they cover at least 70 % of t, and s is at most 2.8 times
// as long.
func (s *Shape) extends(t *Shape) bool {
	if t.Length == 0 || s.Length <= t.Length {
		return false
	}
	up := rungOf(s.Length) - rungOf(t.Length)
	return up < len(s.Heads) && s.Heads[up] == t.Heads[0]
}

// ranged reports whether a range was asked for.
func (s *Shape) ranged() bool { return s.Rest != 0 }

// shaper takes the shape of arguments while they are digested.
type shaper struct {
	texts []headed
	shape Shape
}

type headed struct {
	length uint32
	heads  [4]uint32
}

func (h *shaper) begin() { h.texts, h.shape = h.texts[:0], Shape{} }

// A node's long is the length of the longest text in it. It is negative for
// what may be an edge of a range: a whole number n below 1e9, as -1-n, or a pair
// of numbers below 2^15, marked by pairFlag.
const (
	pairFlag = 1 << 30
	pairBits = 15
)

// edgeOfInteger is the long of an integer's literal; 0 if it is no edge.
func edgeOfInteger(lit string) int32 {
	if lit == "-0" {
		return -1
	}
	if lit[0] == '-' || len(lit) > 9 {
		return 0
	}
	n := int32(0)
	for i := range len(lit) {
		n = n*10 + int32(lit[i]-'0')
	}
	return -1 - n
}

func edgeOfDecimal(d decimal) int32 {
	n, ok := d.whole(1e9)
	if !ok {
		return 0
	}
	return int32(-1 - n)
}

// pairOf is the long of a list of two, of which long is the longest text.
func pairOf(first, last, long int32) int32 {
	const limit = 1 << pairBits
	if first >= 0 || last >= 0 || -1-first >= limit || -1-last >= limit {
		return long
	}
	return -1 - (pairFlag | (-1-first)<<pairBits | (-1 - last))
}

// text takes the heads of a text and returns its long.
func (h *shaper) text(s string) int32 {
	if len(s) < minShaped || len(s) > 1<<30 {
		return 0
	}
	t := headed{length: uint32(len(s))}
	top := rungOf(t.length)
	for i := range t.heads {
		if n := rung(top - i); n >= minShaped {
			t.heads[i] = uint32(xxh3.HashString(s[:n]))
		}
	}
	h.texts = append(h.texts, t)
	return int32(len(s))
}

// edge is the part of a range that a key names.
type edge uint8

const (
	noEdge edge = iota
	edgeFrom
	edgeTo
	edgeCount
	edgePage
	edgePair
)

// edgeOf knows "page_size" and "end_line" for a count and an end.
func edgeOf(words string) edge {
	switch {
	case hasWord(words, edgePairWords):
		return edgePair
	case hasWord(words, edgeCountWords):
		return edgeCount
	case hasWord(words, edgeToWords):
		return edgeTo
	case hasWord(words, edgePageWords):
		return edgePage
	case hasWord(words, edgeFromWords):
		return edgeFrom
	default:
		return noEdge
	}
}

// members takes the range from the members at the top, those of the dropped
// kinds aside.
func (h *shaper) members(members []member, drop keyKind) {
	var edges [edgePair + 1]int32
	var rest uint64
	for i := range members {
		m := &members[i]
		switch {
		case m.class.kind&drop != 0:
		case m.class.edge == noEdge || m.long >= 0:
			rest += join(m.key, m.normal)
		case edges[m.class.edge] != 0:
			return // Two beginnings: who knows which counts.
		default:
			edges[m.class.edge] = m.long
		}
	}
	if from, to, ok := spanOf(&edges); ok {
		h.shape.From, h.shape.To = from, to
		h.shape.Rest = max(1, uint32(join(rest, tagObject)))
	}
}

// spanOf makes a range of what edges there are.
func spanOf(edges *[edgePair + 1]int32) (from, to uint32, ok bool) {
	value := func(e edge) uint32 { return uint32(-1 - edges[e]) }
	switch {
	case edges[edgePair] <= -1-pairFlag:
		pair := value(edgePair) &^ pairFlag
		return pair >> pairBits, pair & (1<<pairBits - 1), true
	case edges[edgePage] != 0:
		return value(edgePage), value(edgePage), true
	case edges[edgeFrom] != 0 && edges[edgeTo] != 0:
		from, to = value(edgeFrom), value(edgeTo)
		return from, to, to >= from
	case edges[edgeFrom] != 0 && edges[edgeCount] != 0:
		return value(edgeFrom), value(edgeFrom) + max(1, value(edgeCount)) - 1, true
	case edges[edgeFrom] != 0:
		return value(edgeFrom), value(edgeFrom), true
	case edges[edgeCount] != 0:
		return 0, max(1, value(edgeCount)) - 1, true
	default:
		return 0, 0, false
	}
}

// shaped is the fingerprint of arguments that have been digested.
func (b *builder) shaped(n node) Fingerprint {
	f := n.fingerprint()
	f.Shape = b.shapes.shape
	if n.long <= 0 {
		return f
	}
	// Of texts of one length any will do, but always the same.
	f.Shape.Length = uint32(n.long)
	for _, t := range b.shapes.texts {
		if t.length == f.Shape.Length && t.heads[0] >= f.Shape.Heads[0] {
			f.Shape.Heads = t.heads
		}
	}
	return f
}
