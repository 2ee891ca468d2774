// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Handler gets what is read.
type Handler struct {
	// Traces gets a portion and the bytes that it took in the file. Its error
	// ends the reading.
	Traces func(td ptrace.Traces, size int) error
	// Bad hears of a line that was skipped, counted from 1.
	Bad func(line int, err error)
}

// ErrNoTraces is the error about a file that holds no traces; what it holds
// instead is said by the errors that wrap it.
var ErrNoTraces = errors.New("no traces")

// notTraces says what was found instead of traces.
func notTraces(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrNoTraces, fmt.Errorf(format, args...))
}

// expected ends the messages about files that hold something else.
const expected = "expected OTLP/JSON ({\"resourceSpans\":[…]}, in one document or one a line) or OTLP protobuf, plain, gzip or zstd"

// maxPiece bounds what is held at once: a line, a span, a protobuf message that
// is not read in parts. It is a variable for the tests.
var maxPiece = 32 << 20

// portion is how large the parts are in which one large document is read.
const portion = 1 << 20

// sniffed is how many bytes are looked at to tell what a file is.
const sniffed = 4096

// Read reads one file to its end. A file whose lines are requests of their own
// may have bad ones; anything else that is wrong is an error. Those of r come
// back as they are.
func Read(r io.Reader, h Handler) error {
	raw := &rawReader{r: r}
	if err := read(raw, h); raw.err == nil {
		return err
	}
	return raw.err
}

// rawReader remembers what went wrong below the decompression, which would
// blame the data.
type rawReader struct {
	r   io.Reader
	err error
}

func (r *rawReader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

func read(r io.Reader, h Handler) error {
	plain, err := decompress(bufio.NewReaderSize(r, 1<<16))
	if err != nil {
		return err
	}
	defer plain.Close()
	buffered := bufio.NewReaderSize(plain, 1<<18)
	head, err := buffered.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return damaged(err)
	}
	switch kind := recognise(head); kind {
	case empty:
		return notTraces("the file is empty; %s", expected)
	case text:
		return readText(buffered, h)
	case protobuf:
		return readProto(buffered, h)
	case frames:
		return readFrames(buffered, h)
	default:
		return notTraces("the file is %s; %s", kind, expected)
	}
}
