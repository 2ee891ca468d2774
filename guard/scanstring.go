// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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
