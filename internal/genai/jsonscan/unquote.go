// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package jsonscan

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns the text of a JSON string value; any other value comes back
// as it is. A string without escapes is not copied. A string that does not end
// comes back as far as it goes.
func Unquote(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || s[0] != '"' {
		return s
	}
	s = s[1:]
	if end := stringEnd(s, -1); end >= 0 {
		s = s[:end-1]
	}
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return unescape(s)
}

func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		n := strings.IndexByte(s, '\\')
		if n < 0 || n+1 >= len(s) {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:n])
		s = writeEscape(&b, s[n:])
	}
}

// writeEscape writes the escape that s begins with and returns the rest.
func writeEscape(b *strings.Builder, s string) string {
	switch s[1] {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'u':
		return writeUnicode(b, s)
	default:
		b.WriteByte(s[1])
	}
	return s[2:]
}

func writeUnicode(b *strings.Builder, s string) string {
	r, ok := hex4(s)
	if !ok {
		b.WriteRune(utf8.RuneError)
		return s[2:]
	}
	s = s[6:]
	if !utf16.IsSurrogate(r) {
		b.WriteRune(r)
		return s
	}
	low, ok := hex4(s)
	pair := utf16.DecodeRune(r, low)
	if !ok || pair == utf8.RuneError {
		b.WriteRune(utf8.RuneError)
		return s
	}
	b.WriteRune(pair)
	return s[6:]
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	return rune(n), err == nil
}
