// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package jsonscan

import "strings"

// Cursor iterates over the members of an object or the elements of an array.
// It forgives: text that is cut short yields what there is, the last value as
// far as it goes, and Complete says which.
type Cursor struct {
	s      string
	i      int
	object bool
	key    string
	value  string
	cut    bool
}

// Members iterates over the object s; over nothing if s is no object.
func Members(s string) Cursor { return open(s, '{') }

// Elements iterates over the array s; over nothing if s is no array.
func Elements(s string) Cursor { return open(s, '[') }

func open(s string, bracket byte) Cursor {
	if Kind(s) != bracket {
		return Cursor{}
	}
	return Cursor{s: s, i: skipSpace(s, 0) + 1, object: bracket == '{'}
}

// Next moves to the next member or element.
func (c *Cursor) Next() bool {
	for c.i < len(c.s) && (isSpace(c.s[c.i]) || c.s[c.i] == ',') {
		c.i++
	}
	if c.cut || c.i >= len(c.s) || c.s[c.i] == '}' || c.s[c.i] == ']' {
		return false
	}
	if c.object && !c.readKey() {
		return false
	}
	end := valueEnd(c.s, c.i)
	if end < 0 {
		end, c.cut = len(c.s), true
	}
	c.value, c.i = c.s[c.i:end], end
	return true
}

func (c *Cursor) readKey() bool {
	if c.s[c.i] != '"' {
		return false
	}
	end := stringEnd(c.s, c.i)
	if end < 0 {
		return false
	}
	c.key = c.s[c.i:end]
	c.i = skipSpace(c.s, end)
	if c.i >= len(c.s) || c.s[c.i] != ':' {
		return false
	}
	c.i = skipSpace(c.s, c.i+1)
	return c.i < len(c.s)
}

// Key returns the member's key, unquoted; "" in an array.
func (c *Cursor) Key() string {
	if c.key == "" {
		return ""
	}
	return Unquote(c.key)
}

// Value returns the source text of the member's or element's value.
func (c *Cursor) Value() string { return c.value }

// Complete reports whether the value goes to its end.
func (c *Cursor) Complete() bool { return !c.cut }

// Newest returns the last elements of the array s that are no longer than
// limit together; "" if s is no whole array, or its last element is longer.
func Newest(s string, limit int) string {
	if !Closed(s) {
		return ""
	}
	for c := Elements(s); c.Next() && c.Complete(); {
		if start := c.i - len(c.value); len(s)-start <= limit {
			return "[" + s[start:]
		}
	}
	return ""
}

// Closed reports whether s is one bracketed value that ends with s. It looks at
// brackets and strings only, which is many times faster than Check.
func Closed(s string) bool {
	i := skipSpace(s, 0)
	if i == len(s) || s[i] != '{' && s[i] != '[' {
		return false
	}
	end := bracketEnd(s, i)
	return end > 0 && skipSpace(s, end) == len(s)
}

// Kind returns the byte that a value begins with ('{', '[', '"', …), 0 for
// empty text.
func Kind(s string) byte {
	if i := skipSpace(s, 0); i < len(s) {
		return s[i]
	}
	return 0
}

// IsNull reports whether the value is null.
func IsNull(s string) bool { return strings.TrimSpace(s) == "null" }

// Get returns the value of a member of the object s, "" if there is none.
func Get(s, key string) string {
	for c := Members(s); c.Next(); {
		if c.Key() == key {
			return c.Value()
		}
	}
	return ""
}

func skipSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// valueEnd returns the index behind the value at i, or -1 if it does not end.
// It does not validate.
func valueEnd(s string, i int) int {
	switch s[i] {
	case '"':
		return stringEnd(s, i)
	case '{', '[':
		return bracketEnd(s, i)
	}
	for j := i; j < len(s); j++ {
		switch s[j] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			// Never stand still, whatever the text is.
			return max(j, i+1)
		}
	}
	return len(s)
}

func bracketEnd(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			end := stringEnd(s, i)
			if end < 0 {
				return -1
			}
			i = end
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
