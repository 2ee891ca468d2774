// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

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

// str scans a string. The result is valid until the next one is scanned.
func (s *scanner) str() (string, bool) {
	if !s.take('"') {
		return "", false
	}
	start := s.pos
	ascii := true
	for {
		s.pos += plainPrefix(s.in[s.pos:])
		if s.pos >= len(s.in) {
			return "", false
		}
		switch c := s.in[s.pos]; {
		case c == '"':
			content := s.in[start:s.pos]
			s.pos++
			if !ascii && !utf8.ValidString(content) {
				return s.repair(content), true
			}
			return content, true
		case c == '\\':
			return s.escaped(start)
		case c < 0x20:
			return "", false
		}
		ascii = false
		s.pos++
	}
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// plainPrefix is the length of the prefix that is neither quote, backslash,
// control nor beyond ASCII, looking at eight bytes at a time.
func plainPrefix(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote := x ^ everyByte*'"'
		slash := x ^ everyByte*'\\'
		if ((quote-everyByte)|(slash-everyByte)|(x-everyByte*0x20)|x)&highBits != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= 0x20 && s[i] < 0x80 && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// repair puts U+FFFD for every byte that is not UTF-8.
func (s *scanner) repair(content string) string {
	s.unquote = appendValid(s.unquote[:0], content)
	return view(s.unquote)
}

// validText puts U+FFFD for every byte that is not UTF-8, as encoding/json
// does. (strings.ToValidUTF8 puts one for a whole run.)
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string(appendValid(nil, s))
}

// escaped scans on in a string that has a backslash at the current position.
func (s *scanner) escaped(start int) (string, bool) {
	out := appendValid(s.unquote[:0], s.in[start:s.pos])
	for s.pos < len(s.in) {
		switch c := s.in[s.pos]; {
		case c == '"':
			s.pos++
			s.unquote = out
			return view(out), true
		case c < 0x20:
			return "", false
		case c != '\\':
			from := s.pos
			if s.pos += plainPrefix(s.in[s.pos:]); s.pos > from {
				out = append(out, s.in[from:s.pos]...)
				continue
			}
			for s.pos < len(s.in) && s.in[s.pos] >= utf8.RuneSelf {
				s.pos++
			}
			out = appendValid(out, s.in[from:s.pos])
		default:
			r, ok := s.escape()
			if !ok {
				return "", false
			}
			out = utf8.AppendRune(out, r)
		}
	}
	return "", false
}

func appendValid(b []byte, s string) []byte {
	if utf8.ValidString(s) {
		return append(b, s...)
	}
	for _, r := range s {
		b = utf8.AppendRune(b, r)
	}
	return b
}

// escape scans one escape sequence. Half a surrogate pair is U+FFFD.
func (s *scanner) escape() (rune, bool) {
	if s.pos+1 >= len(s.in) {
		return 0, false
	}
	c := s.in[s.pos+1]
	s.pos += 2
	switch c {
	case '"', '\\', '/':
		return rune(c), true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'u':
		return s.unicode()
	}
	return 0, false
}

func (s *scanner) unicode() (rune, bool) {
	r := hex4(s.in[s.pos:])
	if r < 0 {
		return 0, false
	}
	s.pos += 4
	if !utf16.IsSurrogate(r) {
		return r, true
	}
	if strings.HasPrefix(s.in[s.pos:], `\u`) {
		if pair := utf16.DecodeRune(r, hex4(s.in[s.pos+2:])); pair != utf8.RuneError {
			s.pos += 6
			return pair, true
		}
	}
	return utf8.RuneError, true
}

// hex4 reads four hex digits, or returns -1.
func hex4(s string) rune {
	if len(s) < 4 {
		return -1
	}
	var r rune
	for i := range 4 {
		d := hexValue(s[i])
		if d < 0 {
			return -1
		}
		r = r<<4 | rune(d)
	}
	return r
}

func hexValue(c byte) int {
	switch {
	case c-'0' < 10:
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// skip checks the grammar of a container without digesting it.
func (s *scanner) skip(depth int) bool {
	if depth >= maxNesting {
		return false
	}
	object := s.in[s.pos] == '{'
	end := byte(']')
	if object {
		end = '}'
	}
	s.pos++
	if s.space(); s.take(end) {
		return true
	}
	for {
		if object {
			if _, ok := s.name(); !ok {
				return false
			}
		}
		if !s.skipValue(depth + 1) {
			return false
		}
		s.space()
		if s.take(end) {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *scanner) skipValue(depth int) bool {
	s.space()
	if s.pos >= len(s.in) {
		return false
	}
	switch s.in[s.pos] {
	case '"':
		_, ok := s.str()
		return ok
	case '{', '[':
		return s.skip(depth)
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	end := numberEnd(s.in, s.pos)
	if end < 0 {
		return false
	}
	s.pos = end
	return true
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
