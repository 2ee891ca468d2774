// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// readDocument reads OTLP/JSON documents that go over several lines, or are too
// long for one, in portions of spans: {"resourceSpans":[{"resource":…,
// "scopeSpans":[{"scope":…,"spans":[…]}]}]}.
func readDocument(r io.Reader, line int, h Handler) error {
	d := &document{r: bufio.NewReaderSize(r, 1<<18), line: line, h: h}
	for {
		if c, err := d.peek(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return d.at(err)
		} else if c != '{' {
			return d.at(fmt.Errorf("%q instead of a JSON object; %s", c, expected))
		}
		if err := d.object(d.request); err != nil {
			return d.at(err)
		}
	}
	if !d.found {
		return notTraces(`the JSON has no "resourceSpans"; %s`, expected)
	}
	return nil
}

type document struct {
	decoder
	r     *bufio.Reader
	h     Handler
	line  int
	found bool // There was a list of resource spans.

	// The parts of the portion that is being read, as JSON.
	resource, resourceURL []byte
	scope, scopeURL       []byte
	spans                 []byte
	passed                bool // Spans of this resource have been handed on.
}

// handlerError is an error of those who get the traces: not about the file.
type handlerError struct{ error }

func (e handlerError) Unwrap() error { return e.error }

func (d *document) at(err error) error {
	var own handlerError
	switch {
	case errors.As(err, &own):
		return own.error
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the JSON ends in the middle; %s", expected)
	}
	err = fmt.Errorf("line %d: %w", d.line, err)
	if d.found {
		return err
	}
	return notTraces("%w", err)
}

func (d *document) request(key string) error {
	if key != "resourceSpans" && key != "resource_spans" {
		return d.skip()
	}
	d.found = true
	return d.array(func() error {
		d.resource, d.resourceURL, d.passed = nil, nil, false
		if err := d.object(d.resourceSpans); err != nil {
			return err
		}
		return d.flush()
	})
}

func (d *document) resourceSpans(key string) (err error) {
	switch key {
	case "resource":
		if d.passed || d.spans != nil {
			return errors.New("a resource comes after its spans; it must stand before them")
		}
		d.resource, err = d.value(nil)
	case "schemaUrl", "schema_url":
		d.resourceURL, err = d.value(nil)
	case "scopeSpans", "scope_spans":
		return d.array(func() error {
			if err := d.flush(); err != nil {
				return err
			}
			d.scope, d.scopeURL = nil, nil
			return d.object(d.scopeSpans)
		})
	default:
		return d.skip()
	}
	return err
}

func (d *document) scopeSpans(key string) (err error) {
	switch key {
	case "scope":
		d.scope, err = d.value(nil)
	case "schemaUrl", "schema_url":
		d.scopeURL, err = d.value(nil)
	case "spans":
		return d.array(d.span)
	default:
		return d.skip()
	}
	return err
}

func (d *document) span() (err error) {
	if len(d.spans) > 0 {
		d.spans = append(d.spans, ',')
	}
	if d.spans, err = d.value(d.spans); err != nil {
		return err
	}
	if len(d.spans) < portion {
		return nil
	}
	return d.flush()
}

// flush hands on the spans that have been read, as a request of their own.
func (d *document) flush() error {
	if len(d.spans) == 0 {
		return nil
	}
	var b []byte
	b = member(append(b, `{"resourceSpans":[{`...), "resource", d.resource)
	b = member(b, "schemaUrl", d.resourceURL)
	b = member(append(b, `"scopeSpans":[{`...), "scope", d.scope)
	b = member(b, "schemaUrl", d.scopeURL)
	b = append(append(append(b, `"spans":[`...), d.spans...), `]}]}]}`...)
	size := len(d.spans)
	d.spans, d.passed = nil, true
	td, err := d.decode(b)
	if err != nil {
		return err
	}
	if err := d.h.Traces(td, size); err != nil {
		return handlerError{err}
	}
	return nil
}

func member(to []byte, key string, value []byte) []byte {
	if value == nil {
		return to
	}
	return append(append(append(append(to, '"'), key...), `":`...), append(value, ',')...)
}

// peek returns the next byte that is no space, without taking it.
func (d *document) peek() (byte, error) {
	for {
		c, err := d.r.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case c == '\n':
			d.line++
		case c != ' ' && c != '\t' && c != '\r':
			return c, d.r.UnreadByte()
		}
	}
}

// expect takes the next byte that is no space, which must be one of these.
func (d *document) expect(allowed string) (byte, error) {
	c, err := d.peek()
	if err != nil {
		return 0, err
	}
	if bytes.IndexByte([]byte(allowed), c) < 0 {
		return 0, fmt.Errorf("%q where the JSON needs one of %q", c, allowed)
	}
	_, err = d.r.ReadByte()
	return c, err
}

// object reads an object; member takes the value of each key.
func (d *document) object(member func(key string) error) error {
	return d.list("{", "}", func() error {
		key, err := d.value(nil)
		if err != nil {
			return err
		}
		if len(key) < 2 || key[0] != '"' {
			return fmt.Errorf("%.20q where the JSON needs a key", key)
		}
		if _, err = d.expect(":"); err != nil {
			return err
		}
		return member(string(key[1 : len(key)-1]))
	})
}

// array reads an array; element takes each value.
func (d *document) array(element func() error) error { return d.list("[", "]", element) }

func (d *document) list(open, end string, item func() error) error {
	if _, err := d.expect(open); err != nil {
		return err
	}
	if c, err := d.peek(); err != nil {
		return err
	} else if c == end[0] {
		_, err = d.r.ReadByte()
		return err
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if c, err := d.expect("," + end); err != nil || c == end[0] {
			return err
		}
	}
}

func (d *document) skip() error {
	_, err := d.value(nil)
	return err
}

// value appends the source of the next value.
func (d *document) value(to []byte) ([]byte, error) {
	if _, err := d.peek(); err != nil {
		return to, err
	}
	v := valueScanner{}
	start := len(to)
	for {
		part, err := d.r.Peek(max(1, d.r.Buffered()))
		if len(part) == 0 {
			return to, err
		}
		n, done := v.scan(part)
		to = append(to, part[:n]...)
		d.line += bytes.Count(part[:n], []byte{'\n'})
		if _, err = d.r.Discard(n); err != nil || done {
			return to, err
		}
		if len(to)-start > maxPiece {
			return to, fmt.Errorf("a value is longer than %d MiB", maxPiece>>20)
		}
	}
}

// valueScanner finds the end of a value that comes in parts.
type valueScanner struct {
	depth    int
	inString bool
	escaped  bool
	begun    bool
}

// scan returns how much of the part belongs to the value, and whether it ends
// with that.
func (v *valueScanner) scan(part []byte) (n int, done bool) {
	for i := 0; i < len(part); i++ {
		c := part[i]
		if v.inString {
			i += v.text(part[i:])
			if !v.inString && v.depth == 0 {
				return i + 1, true
			}
			continue
		}
		switch c {
		case '"':
			v.inString = true
		case '{', '[':
			v.depth++
		case '}', ']':
			if v.depth == 0 {
				return i, true // It ends the list that a scalar stands in.
			}
			if v.depth--; v.depth == 0 {
				return i + 1, true
			}
		case ',', ':', ' ', '\t', '\r', '\n':
			if v.depth == 0 && v.begun {
				return i, true
			}
		}
		v.begun = true
	}
	return len(part), false
}

// text goes over the inside of a string and returns the index of its last byte
// here.
func (v *valueScanner) text(part []byte) int {
	for i, c := range part {
		switch {
		case v.escaped:
			v.escaped = false
		case c == '\\':
			v.escaped = true
		case c == '"':
			v.inString = false
			return i
		}
	}
	return len(part) - 1
}
