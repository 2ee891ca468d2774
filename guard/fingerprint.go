// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Fingerprint identifies content without keeping it. The zero value is
// unknown (not captured, masked or cut) and never equal to anything.
type Fingerprint struct {
	// Exact is the hash of the canonical form; 0 means unknown.
	Exact uint64
	// Normal is the hash of the canonical form without its commentary and
	// volatile parts; 0 exactly when Exact is 0.
	Normal uint64
	// Strict is Normal with the identifiers and times that masks take out: two
	// fingerprints that are equal in Normal alone may be about two things. 0
	// means not known.
	Strict uint64
	// Varied has one bit for each part that Normal leaves out, so that a
	// finding can say which ones. See Digester.VariedNames.
	Varied uint64
	// Shape is what arguments have besides; a Digester fills it in.
	Shape Shape
}

// Known reports whether the content was captured.
func (f Fingerprint) Known() bool { return f.Exact != 0 }

// Outcome is what a tool call came back with. The zero value is unknown.
type Outcome struct {
	Fingerprint
	// Failed says that the outcome is an error.
	Failed bool
	// Informative says that the outcome is long enough and no mere
	// acknowledgement ("ok", "done").
	Informative bool
	// InProgress says that the outcome names work that still goes on
	// ("pending", "running").
	InProgress bool
	// Bare says that the outcome tells no more than that the call has worked
	// ("ok", nothing at all) or has failed ("exit status 1").
	Bare bool
	// Hollow says that the outcome holds next to nothing but what is new each
	// time, as a clock's does: equal in Normal alone it is weaker evidence.
	Hollow bool
	// NoSuchTool says that the outcome is an error about a tool that does not
	// exist.
	NoSuchTool bool
}

// TextDigest identifies what a model said.
type TextDigest struct {
	// Print hashes the lower-cased text with its white space collapsed.
	// It is 0 only in the zero value, which means "not captured".
	Print uint64
	// Words counts the white-space separated words.
	Words int
	// Blank says that the text holds nothing but white space.
	Blank bool
	// Chant counts how often the text's end says the same, if it does so over
	// and over (at least 6 times and 60 words) and is no code, table or list;
	// else it is 0.
	Chant int
}

type unknown struct{}

// Unknown marks a part of a call that was not captured, as in
// ToolCall{Name: "search", Args: Unknown}. It is equal to nothing.
var Unknown unknown

// FingerprintOf fingerprints a Go value exactly, for callers without a
// Digester: two values have the same fingerprint if, and only if, Canonicalize
// writes them alike (but for collisions of 64 bit hashes), and the Exact of a
// Digester is the same. Normal equals Exact.
func FingerprintOf(v any) Fingerprint {
	if _, ok := v.(unknown); ok {
		return Fingerprint{}
	}
	var b builder
	return b.digest(v, purposeExact, nil).fingerprint()
}

// digest walks a Go value.
func (b *builder) digest(v any, p purpose, pick []string) node {
	b.begin(p)
	h := hashSink{builder: b, pick: pick}
	w := walker{sink: &h}
	w.root(v)
	return h.out
}

// hashSink makes a node of a value that comes in pieces.
type hashSink struct {
	*builder
	pick   []string
	frames []frame
	out    node
}

// frame is an open container.
type frame struct {
	sequence
	kind byte
	base int
	next member
	// mapped is the last key of a Map, again how often it has come before:
	// keys that are written alike (two NaN) are not one.
	mapped, again uint64
}

func (h *hashSink) add(n node) {
	if len(h.frames) == 0 {
		h.out = n
		return
	}
	f := &h.frames[len(h.frames)-1]
	if f.kind == kindArray {
		f.add(n)
		return
	}
	f.next.node = n
	h.push(f.base, &f.next)
}

func (h *hashSink) token(s string)       { h.add(tokenNode(s)) }
func (h *hashSink) number(lit string)    { h.add(h.builder.number(lit)) }
func (h *hashSink) bigint(digits string) { h.add(bigintNode(digits)) }

func (h *hashSink) text(s string) {
	h.add(h.builder.text(validText(s)))
}

func (h *hashSink) open(kind byte) {
	h.frames = append(h.frames, frame{sequence: newSequence(), kind: kind, base: len(h.members)})
}

func (h *hashSink) key(s string) {
	h.frames[len(h.frames)-1].next = h.keyed(s, len(h.frames)-1, h.pick)
}

func (h *hashSink) mapKey(form string) {
	f, key := &h.frames[len(h.frames)-1], xxh3.HashString(form)
	if f.again++; key != f.mapped {
		f.mapped, f.again = key, 0
	}
	if f.again > 0 {
		key = join(key, f.again)
	}
	f.next = member{key: key}
}

func (h *hashSink) close(kind byte) {
	depth := len(h.frames) - 1
	f := h.frames[depth]
	h.frames = h.frames[:depth]
	switch kind {
	case kindArray:
		h.add(f.sequence.close())
	case kindMap:
		h.add(h.closeObject(f.base, depth, tagMap))
	default:
		h.add(h.closeObject(f.base, depth, tagObject))
	}
}

// appendLower appends a text in lower case.
func appendLower(b []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			for _, r := range s[i:] {
				b = utf8.AppendRune(b, unicode.ToLower(r))
			}
			return b
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}
