// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// purpose says what content is: it decides which parts are volatile.
type purpose uint8

const (
	purposeExact purpose = iota // nothing is left out
	purposeArgs
	purposeResult
	purposeError // as a result, but numbers in text stay
)

// node is the digest of one value.
type node struct {
	exact, normal, varied uint64
	// strict is normal with what masks take for identifiers and times.
	strict uint64
	// rest is the length of the values that normal keeps, without masks.
	rest int32
	// size is the length of what normal keeps, in characters of compact JSON.
	// It is not counted for arguments.
	size int32
	// long is a measure that is taken of arguments alone, see shape.go.
	long int32
	// trivial says that the value is a mere acknowledgement.
	trivial bool
	// progress says that the value names work that goes on; pending, that it
	// would if it stood under a key such as "status".
	progress, pending bool
	// noTool says that the value complains of a tool that does not exist.
	noTool bool
	// epoch says that the value is a number in the range of epoch times.
	epoch bool
}

// member is a key of an object with its value.
type member struct {
	key    uint64
	order  int32
	class  keyClass
	picked bool
	node
}

// builder makes nodes. Its buffers live on, so that it does not allocate once
// it is warm. It must not be used concurrently.
type builder struct {
	lists   *lists
	purpose purpose
	members []member
	digits  []byte
	masker  masker
	phrase  []byte
	classes classCache
	shapes  shaper
}

func (b *builder) begin(p purpose) {
	b.purpose = p
	b.members = b.members[:0]
	b.masker.result = p == purposeResult
	b.shapes.begin()
}

func tokenNode(s string) node {
	h := hashToken(s)
	return node{exact: h, normal: h, strict: h, size: int32(len(s)), rest: int32(len(s)), trivial: s == "true" || s == "null"}
}

// Literals are hashed once.
var (
	nullNode  = tokenNode("null")
	trueNode  = tokenNode("true")
	falseNode = tokenNode("false")
	depthNode = tokenNode(depthMark)
)

func (b *builder) number(lit string) node {
	if h, ok := hashShortInteger(lit); ok {
		return node{exact: h, normal: h, strict: h, size: int32(len(lit)), rest: int32(len(lit)), long: edgeOfInteger(lit), epoch: isEpoch(lit)}
	}
	d := parseDecimal(b.digits, lit)
	b.digits = d.digits
	h := d.hash()
	return node{exact: h, normal: h, strict: h, size: int32(d.size()), rest: int32(d.size()), long: edgeOfDecimal(d)}
}

func bigintNode(digits string) node {
	h := join(xxh3.HashString(digits), tagBigInt)
	return node{exact: h, normal: h, strict: h, size: int32(len(digits)), rest: int32(len(digits))}
}

// text digests valid UTF-8.
func (b *builder) text(s string) node {
	n := node{exact: hashText(s)}
	n.normal, n.strict = n.exact, n.exact
	if b.purpose == purposeExact {
		return n
	}
	kept, varied := b.masker.normalise(s)
	if varied != 0 {
		n.normal, n.varied = hashText(kept), varied
		if varied&VariedIdentifiers == 0 {
			n.strict = n.normal
		}
	}
	if b.purpose == purposeArgs {
		n.long = b.shapes.text(s)
		return n
	}
	n.size = int32(utf8.RuneCountInString(kept))
	n.rest = n.size - int32(b.masker.masks)
	if len(kept) <= maxPhrase {
		b.phrase = foldPhrase(b.phrase[:0], kept)
		n.trivial = b.lists.acknowledges(b.phrase)
		n.progress, n.pending = b.lists.inProgress(b.phrase)
	}
	if b.purpose == purposeError {
		b.phrase = foldPhrase(b.phrase[:0], kept[:min(len(kept), maxPhrase)])
		n.trivial = n.trivial || len(kept) <= maxPhrase && b.lists.vague(b.phrase)
		n.noTool = b.noSuchTool(kept[:min(len(kept), maxPhrase)], false)
	} else if len(kept) <= maxPhrase && mentionsTool(b.phrase) {
		n.noTool = b.noSuchTool(kept, true)
	}
	return n
}

// sequence digests an array, in order.
type sequence struct {
	node
	count       uint64
	first, last int32 // long of these elements
}

func newSequence() sequence {
	return sequence{node: node{exact: tagArray, normal: tagArray, strict: tagArray, size: 2, trivial: true}}
}

func (q *sequence) add(n node) {
	if q.count++; q.count == 1 {
		q.first = n.long
	}
	q.last, q.long = n.long, max(q.long, n.long)
	q.exact = join(q.exact, n.exact)
	q.normal = join(q.normal, n.normal)
	q.strict = join(q.strict, n.strict)
	q.rest += n.rest
	q.varied |= n.varied
	q.size += n.size + 1 // and a comma
	q.trivial = q.trivial && n.trivial
	q.progress = q.progress || n.progress
	q.noTool = q.noTool || n.noTool
}

func (q *sequence) close() node {
	if q.count == 2 {
		q.long = pairOf(q.first, q.last, q.long)
	}
	q.exact = join(q.exact, q.count)
	q.normal = join(q.normal, q.count)
	q.strict = join(q.strict, q.count)
	return q.node
}

// smallObject is the number of members up to which a search for an earlier
// member of the same name beats sorting.
const smallObject = 16

// push adds a member to the object whose members start at base. Of members
// with one name the last one counts, as in encoding/json.
func (b *builder) push(base int, m *member) {
	if m.class.protected {
		m.normal, m.strict, m.varied = m.exact, m.exact, 0
	}
	if m.class.timely && m.epoch {
		m.normal, m.varied, m.rest = epochHash, variedEpoch, 0
	}
	if m.class.status && m.pending {
		m.progress = true
	}
	m.order = int32(len(b.members) - base)
	if m.order < smallObject {
		for i := base; i < len(b.members); i++ {
			if b.members[i].key == m.key {
				b.members[i] = *m
				return
			}
		}
	}
	b.members = append(b.members, *m)
}

// closeObject digests the members from base on, whatever their order, and
// takes them off the stack.
func (b *builder) closeObject(base, depth int, tag uint64) node {
	if len(b.members)-base > smallObject {
		b.dropRepeated(base)
	}
	members := b.members[base:]
	b.members = b.members[:base]
	drop := keyKind(0)
	if picked := onlyPicked(members); len(picked) > 0 {
		members = picked
	} else {
		drop = b.dropped(members, depth)
	}
	if b.purpose == purposeArgs && depth == 0 {
		b.shapes.members(members, drop)
	}
	return total(members, drop, tag)
}

// dropRepeated keeps the last of the members with one name.
func (b *builder) dropRepeated(base int) {
	members := b.members[base:]
	slices.SortFunc(members, func(x, y member) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(y.order, x.order))
	})
	members = slices.CompactFunc(members, func(x, y member) bool { return x.key == y.key })
	b.members = b.members[:base+len(members)]
}

// onlyPicked moves the picked members to the front and returns them.
func onlyPicked(members []member) []member {
	n := 0
	for i := range members {
		if members[i].picked {
			members[n] = members[i]
			n++
		}
	}
	return members[:n]
}

// dropped says which kinds of members normal leaves out. What is volatile in
// arguments and the commentary at their top stay if nothing else would.
func (b *builder) dropped(members []member, depth int) keyKind {
	if b.purpose == purposeExact {
		return 0
	}
	if b.purpose != purposeArgs {
		return kindVolatile | kindResult
	}
	drop := kindVolatile
	if depth == 0 {
		drop |= kindCommentary
	}
	var rest, commentary int
	for i := range members {
		if members[i].class.kind&drop == 0 {
			rest++
		} else if members[i].class.kind&kindVolatile == 0 {
			commentary++
		}
	}
	switch {
	case rest > 0:
		return drop
	case commentary > 0:
		return kindVolatile
	}
	for i := range members {
		m := &members[i]
		m.normal, m.strict, m.varied = m.exact, m.exact, 0
	}
	return 0
}

// total adds up members without those of the dropped kinds.
func total(members []member, drop keyKind, tag uint64) node {
	n := node{size: 2, trivial: true}
	var kept uint64
	for i := range members {
		m := &members[i]
		n.exact += join(m.key, m.exact)
		if m.class.kind&drop != 0 {
			n.varied |= 1 << m.class.bit
			continue
		}
		kept++
		n.normal += join(m.key, m.normal)
		n.strict += join(m.key, m.strict)
		n.rest += m.rest
		n.varied |= m.varied
		n.size += m.size + int32(m.class.size) + 4
		n.long = max(n.long, m.long)
		n.trivial = n.trivial && m.trivial
		n.progress = n.progress || m.progress
		n.noTool = n.noTool || m.noTool
	}
	n.exact = join(n.exact+uint64(len(members)), tag)
	n.normal = join(n.normal+kept, tag)
	n.strict = join(n.strict+kept, tag)
	return n
}
