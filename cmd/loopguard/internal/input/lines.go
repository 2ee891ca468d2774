// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// readText reads OTLP/JSON. Whether a line is a request of its own is told by
// the first two: in a document over several lines neither is complete.
func readText(r *bufio.Reader, h Handler) error {
	skipMark(r)
	l := &lines{r: r, h: h}
	first, err := l.next()
	if errors.Is(err, errLong) {
		return readDocument(io.MultiReader(bytes.NewReader(bytes.Clone(first)), r), 1, h)
	}
	if err != nil {
		return err
	}
	first = bytes.Clone(first)
	if complete(first) {
		return l.readFrom(first)
	}
	start := l.line
	second, err := l.next()
	if err == nil && complete(second) {
		h.Bad(start, badLine(first))
		return l.readFrom(second)
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errLong) {
		return err
	}
	rest := io.MultiReader(bytes.NewReader(first), bytes.NewReader(bytes.Clone(second)), r)
	return readDocument(rest, start, h)
}

func skipMark(r *bufio.Reader) {
	if head, _ := r.Peek(len(byteOrderMark)); bytes.Equal(head, byteOrderMark) {
		_, _ = r.Discard(len(byteOrderMark)) // Peeked already.
	}
}

func complete(line []byte) bool { return jsonscan.Closed(textOf(line)) }

// lines reads a request a line.
type lines struct {
	decoder
	r    *bufio.Reader
	h    Handler
	line int // Of what next returned last.
	long []byte
	good int
	bad  error // What was wrong with the first bad line.
}

// errLong is about a line that is longer than maxPiece.
var errLong = errors.New("the line is too long")

// next returns the next line that is not blank, with its end. It is valid until
// the following call. The error is io.EOF at the end.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if len(line) > 0 {
			l.line++
		}
		if len(bytes.TrimSpace(line)) > 0 || err != nil {
			return line, err
		}
	}
}

func (l *lines) read() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return part, endOf(part, err)
	}
	l.long = l.long[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(l.long) > maxPiece {
			return append(l.long, part...), errLong
		}
		l.long = append(l.long, part...)
		part, err = l.r.ReadSlice('\n')
	}
	l.long = append(l.long, part...)
	return l.long, endOf(l.long, err)
}

// endOf keeps the end of the file back as long as there is a last line.
func endOf(line []byte, err error) error {
	switch {
	case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
		return nil
	case errors.Is(err, io.EOF):
		return io.EOF
	default:
		return damaged(err)
	}
}

// readFrom reads a line and all that follow it.
func (l *lines) readFrom(line []byte) error {
	for {
		if err := l.take(line); err != nil {
			return err
		}
		var err error
		line, err = l.next()
		switch {
		case errors.Is(err, errLong):
			l.skip(errLong)
			if err = l.skipRest(); err != nil {
				return err
			}
			line = nil
		case errors.Is(err, io.EOF):
			return l.end()
		case err != nil:
			return fmt.Errorf("line %d: %w", l.line+1, err)
		}
	}
}

// take reads one line; nil is none.
func (l *lines) take(line []byte) error {
	if line == nil {
		return nil
	}
	td, err := l.decode(line)
	if err != nil {
		l.skip(err)
		return nil
	}
	l.good++
	return l.h.Traces(td, len(line))
}

func (l *lines) skip(err error) {
	if l.bad == nil {
		l.bad = fmt.Errorf("line %d: %w", l.line, err)
	}
	l.h.Bad(l.line, err)
}

// skipRest leaves out what remains of a line that is too long.
func (l *lines) skipRest() error {
	for {
		_, err := l.r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, errors.Is(err, io.EOF):
			return nil
		default:
			return damaged(err)
		}
	}
}

// end says at the end of the file whether it had traces at all.
func (l *lines) end() error {
	if l.good == 0 && l.bad != nil {
		return notTraces("%w", l.bad)
	}
	return nil
}

// decode reads one request.
func (d *decoder) decode(line []byte) (ptrace.Traces, error) {
	if !complete(line) {
		return ptrace.Traces{}, badLine(line)
	}
	td, err := d.unmarshal(line)
	if err != nil {
		return ptrace.Traces{}, fmt.Errorf("the JSON is no OTLP request: %w", err)
	}
	if td.ResourceSpans().Len() == 0 && !hasSpans(line) {
		return ptrace.Traces{}, errors.New(`the JSON has no "resourceSpans"; ` + expected)
	}
	return td, nil
}

// hasSpans reports whether a request has its list, which may be empty.
func hasSpans(line []byte) bool {
	for c := jsonscan.Members(textOf(line)); c.Next(); {
		if k := c.Key(); k == "resourceSpans" || k == "resource_spans" {
			return true
		}
	}
	return false
}

// badLine says why a line is not complete.
func badLine(line []byte) error {
	switch s := textOf(line); {
	case jsonscan.Kind(s) != '{':
		return errors.New("the line is no JSON object; " + expected)
	case jsonscan.Check(s) == jsonscan.Cut:
		return errors.New("the JSON ends in the middle; " + expected)
	default:
		return errors.New("the line is not valid JSON; " + expected)
	}
}
