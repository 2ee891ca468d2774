// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package jsonscan walks JSON text without building anything: values are
// substrings of their source. It tells JSON that was cut short from text that
// never was JSON, which no decoder does.
package jsonscan

import "strings"

// State says what a text is.
type State uint8

const (
	// Not is text that is no JSON.
	Not State = iota
	// Cut is JSON up to its last byte, but not complete.
	Cut
	// Whole is one complete JSON value with nothing behind it.
	Whole
)

// maxDepth bounds the nesting that Check follows; deeper text counts as Not.
const maxDepth = 512

// Check says whether s is one JSON value, the beginning of one, or neither.
// Empty text is Not.
func Check(s string) State {
	c := checker{s: s}
	if c.space(); c.i == len(s) {
		return Not
	}
	if st := c.value(); st != Whole {
		return st
	}
	if c.space(); c.i < len(s) {
		return Not
	}
	return Whole
}

// checker validates iteratively, so that hostile nesting costs no stack.
type checker struct {
	s     string
	i     int
	depth int
	// object has one bit per level: set inside an object.
	object [maxDepth / 64]uint64
}

func (c *checker) space() {
	for c.i < len(c.s) && isSpace(c.s[c.i]) {
		c.i++
	}
}

// value consumes one value, however deep.
func (c *checker) value() State {
	for {
		closed, st := c.open()
		if st != Whole {
			return st
		}
		if !closed {
			continue
		}
		// A value has ended: leave every level that ends with it.
		more, st := c.after()
		if st != Whole || !more {
			return st
		}
	}
}

// open consumes a scalar or an opening bracket; closed says that a value is
// complete, and otherwise the first value of a new level comes next.
func (c *checker) open() (closed bool, st State) {
	if c.space(); c.i == len(c.s) {
		return false, Cut
	}
	switch c.s[c.i] {
	case '{':
		return c.enter(true, '}')
	case '[':
		return c.enter(false, ']')
	case '"':
		return true, c.str()
	case 't':
		return true, c.literal("true")
	case 'f':
		return true, c.literal("false")
	case 'n':
		return true, c.literal("null")
	}
	return true, c.number()
}

func (c *checker) enter(object bool, end byte) (closed bool, st State) {
	if c.depth == maxDepth {
		return false, Not
	}
	c.i++
	if c.space(); c.i == len(c.s) {
		return false, Cut
	}
	if c.s[c.i] == end {
		c.i++
		return true, Whole
	}
	bit := uint64(1) << (c.depth % 64)
	c.object[c.depth/64] &^= bit
	if object {
		c.object[c.depth/64] |= bit
	}
	c.depth++
	if object {
		return false, c.key()
	}
	return false, Whole
}

func (c *checker) inObject() bool {
	d := c.depth - 1
	return c.object[d/64]&(1<<(d%64)) != 0
}

// after consumes what follows a value: commas and closing brackets; more says
// that another value comes.
func (c *checker) after() (more bool, st State) {
	for c.depth > 0 {
		if c.space(); c.i == len(c.s) {
			return false, Cut
		}
		end := byte(']')
		if c.inObject() {
			end = '}'
		}
		switch c.s[c.i] {
		case ',':
			c.i++
			if end == '}' {
				return true, c.key()
			}
			return true, Whole
		case end:
			c.i++
			c.depth--
		default:
			return false, Not
		}
	}
	return false, Whole
}

func (c *checker) key() State {
	if c.space(); c.i == len(c.s) {
		return Cut
	}
	if c.s[c.i] != '"' {
		return Not
	}
	if st := c.str(); st != Whole {
		return st
	}
	if c.space(); c.i == len(c.s) {
		return Cut
	}
	if c.s[c.i] != ':' {
		return Not
	}
	c.i++
	return Whole
}

func (c *checker) str() State {
	end := stringEnd(c.s, c.i)
	if end < 0 {
		return Cut
	}
	c.i = end
	return Whole
}

func (c *checker) literal(word string) State {
	rest := c.s[c.i:]
	if strings.HasPrefix(rest, word) {
		c.i += len(word)
		return Whole
	}
	if strings.HasPrefix(word, rest) {
		return Cut
	}
	return Not
}

func (c *checker) number() State {
	if c.s[c.i] == '-' {
		c.i++
	}
	if st := c.digits(); st != Whole {
		return st
	}
	if c.i < len(c.s) && c.s[c.i] == '.' {
		c.i++
		if st := c.digits(); st != Whole {
			return st
		}
	}
	if c.i < len(c.s) && c.s[c.i]|0x20 == 'e' {
		c.i++
		if c.i < len(c.s) && (c.s[c.i] == '+' || c.s[c.i] == '-') {
			c.i++
		}
		return c.digits()
	}
	return Whole
}

func (c *checker) digits() State {
	start := c.i
	for c.i < len(c.s) && c.s[c.i]-'0' <= 9 {
		c.i++
	}
	switch {
	case c.i > start:
		return Whole
	case c.i == len(c.s):
		return Cut
	}
	return Not
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// stringEnd returns the index behind the string that opens at i, or -1.
func stringEnd(s string, i int) int {
	for i++; i < len(s); {
		n := strings.IndexByte(s[i:], '"')
		if n < 0 {
			return -1
		}
		end := i + n
		if !escaped(s, i, end) {
			return end + 1
		}
		i = end + 1
	}
	return -1
}

// escaped reports whether an odd number of backslashes, none of them before
// from, precedes the quote at i.
func escaped(s string, from, i int) bool {
	n := 0
	for i--; i >= from && s[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}
