// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"

	"github.com/zeebo/xxh3"
)

// maxNesting is where encoding/json calls a text invalid.
const maxNesting = 10_000

// scanner digests JSON text in one pass: no tree, no reflection and, once its
// buffers are warm, no allocation. It accepts exactly what json.Valid does,
// and the digest is that of the value the text decodes to.
type scanner struct {
	builder
	in      string
	pos     int
	values  int
	pick    []string
	unquote []byte
	chants  chants
}

// scan digests a text. It returns false if the text is not JSON.
func (s *scanner) scan(text string, p purpose, pick []string) (node, bool) {
	s.begin(p)
	s.in, s.pos, s.values, s.pick = text, 0, 0, pick
	defer func() { s.in, s.pick = "", nil }()
	n, ok := s.value(0)
	if !ok {
		return node{}, false
	}
	s.space()
	return n, s.pos == len(s.in)
}

func (s *scanner) space() {
	for s.pos < len(s.in) {
		switch s.in[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// take moves over a byte if it is the next one.
func (s *scanner) take(c byte) bool {
	if s.pos < len(s.in) && s.in[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// value scans the value after any white space, in depth containers.
func (s *scanner) value(depth int) (node, bool) {
	s.space()
	s.values++
	if s.pos >= len(s.in) {
		return node{}, false
	}
	switch c := s.in[s.pos]; c {
	case '"':
		text, ok := s.str()
		if !ok {
			return node{}, false
		}
		return s.builder.text(text), true
	case '{', '[':
		if depth >= maxDepth {
			return depthNode, s.skip(depth)
		}
		s.pos++
		if c == '{' {
			return s.object(depth)
		}
		return s.array(depth)
	case 't':
		return trueNode, s.literal("true")
	case 'f':
		return falseNode, s.literal("false")
	case 'n':
		return nullNode, s.literal("null")
	}
	return s.num()
}

func (s *scanner) literal(word string) bool {
	if !strings.HasPrefix(s.in[s.pos:], word) {
		return false
	}
	s.pos += len(word)
	return true
}

func (s *scanner) num() (node, bool) {
	end := numberEnd(s.in, s.pos)
	if end < 0 {
		return node{}, false
	}
	lit := s.in[s.pos:end]
	s.pos = end
	return s.builder.number(lit), true
}

func (s *scanner) array(depth int) (node, bool) {
	q := newSequence()
	if s.space(); s.take(']') {
		return q.close(), true
	}
	for {
		n, ok := s.value(depth + 1)
		if !ok {
			return node{}, false
		}
		q.add(n)
		s.space()
		if s.take(']') {
			return q.close(), true
		}
		if !s.take(',') {
			return node{}, false
		}
	}
}

func (s *scanner) object(depth int) (node, bool) {
	base := len(s.members)
	if s.space(); s.take('}') {
		return s.closeObject(base, depth, tagObject), true
	}
	for {
		key, ok := s.name()
		if !ok {
			return node{}, false
		}
		m := s.keyed(key, depth, s.pick)
		if m.node, ok = s.value(depth + 1); !ok {
			return node{}, false
		}
		s.push(base, &m)
		s.space()
		if s.take('}') {
			return s.closeObject(base, depth, tagObject), true
		}
		if !s.take(',') {
			return node{}, false
		}
	}
}

// name scans a key and its colon.
func (s *scanner) name() (string, bool) {
	s.space()
	key, ok := s.str()
	if !ok {
		return "", false
	}
	s.space()
	return key, s.take(':')
}

// keyed starts a member with the given key.
func (b *builder) keyed(key string, depth int, pick []string) member {
	h := xxh3.HashString(key)
	m := member{key: h}
	if b.purpose != purposeExact {
		m.class = b.classify(h, key)
	}
	if depth == 0 {
		for _, p := range pick {
			m.picked = m.picked || p == key
		}
	}
	return m
}
