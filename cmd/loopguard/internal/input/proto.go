// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Field numbers of the OTLP messages (opentelemetry-proto, trace.proto v1),
// with the wire type of all of them.
const (
	resourceSpansTag = 1<<3 | lengthPrefixed // TracesData.resource_spans
	resourceTag      = 1<<3 | lengthPrefixed // ResourceSpans.resource
	scopeSpansTag    = 2<<3 | lengthPrefixed // ResourceSpans.scope_spans
	scopeTag         = 1<<3 | lengthPrefixed // ScopeSpans.scope
	spanTag          = 2<<3 | lengthPrefixed // ScopeSpans.spans
	schemaURLTag     = 3<<3 | lengthPrefixed // of both

	lengthPrefixed = 2
)

// readProto reads one TracesData message, or several that follow each other,
// which is the same.
func readProto(r *bufio.Reader, h Handler) error {
	p := &protoReader{r: r, h: h}
	for {
		tag, err := r.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(err)
		}
		p.offset++
		if err := p.message(tag); err != nil {
			return p.at(err)
		}
	}
}

type protoReader struct {
	r      *bufio.Reader
	h      Handler
	offset int64
	found  bool

	resource, scope []byte // Fields that belong to all spans of the portion.
	spans           []byte
	passed          bool // Spans of this resource have been handed on.
}

func (p *protoReader) at(err error) error {
	var own handlerError
	switch {
	case errors.As(err, &own):
		return own.error
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the protobuf message ends in the middle")
	}
	err = fmt.Errorf("byte %d: %w", p.offset, err)
	if p.found {
		return err
	}
	return notTraces("%w; %s", err, expected)
}

// message reads one ResourceSpans: at once if that is possible, for the
// collector writes the resource behind its spans.
func (p *protoReader) message(tag byte) error {
	if tag != resourceSpansTag {
		return fmt.Errorf("field %d is none of TracesData", tag>>3)
	}
	size, err := p.length()
	if err != nil {
		return err
	}
	if size > int64(maxPiece) {
		return p.resourceSpans(size)
	}
	body, err := p.bytes(nil, size)
	if err != nil {
		return err
	}
	return p.emit(field(nil, resourceSpansTag, body))
}

// resourceSpans reads a large ResourceSpans in portions.
func (p *protoReader) resourceSpans(size int64) error {
	p.resource, p.passed = nil, false
	return p.fields(size, func(tag byte, size int64) (err error) {
		switch tag {
		case resourceTag, schemaURLTag:
			if p.passed && tag == resourceTag {
				return fmt.Errorf("a resource comes after its spans in a message of more than %d MiB", maxPiece>>20)
			}
			p.resource, err = p.keep(p.resource, tag, size)
			return err
		case scopeSpansTag:
			return p.scopeSpans(size)
		default:
			return fmt.Errorf("field %d is none of ResourceSpans", tag>>3)
		}
	})
}

func (p *protoReader) scopeSpans(size int64) error {
	p.scope, p.spans = nil, nil
	err := p.fields(size, func(tag byte, size int64) (err error) {
		switch tag {
		case scopeTag, schemaURLTag:
			p.scope, err = p.keep(p.scope, tag, size)
		case spanTag:
			if p.spans, err = p.keep(p.spans, tag, size); err == nil && len(p.spans) > portion {
				return p.flush()
			}
		default:
			err = fmt.Errorf("field %d is none of ScopeSpans", tag>>3)
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.flush()
}

// flush hands on the spans that have been read, as a message of their own.
func (p *protoReader) flush() error {
	if len(p.spans) == 0 {
		return nil
	}
	scopeSpans := append(append([]byte(nil), p.scope...), p.spans...)
	resourceSpans := field(append([]byte(nil), p.resource...), scopeSpansTag, scopeSpans)
	p.spans, p.passed = nil, true
	return p.emit(field(nil, resourceSpansTag, resourceSpans))
}

func (p *protoReader) emit(message []byte) error {
	td, err := unmarshalProto(message)
	if err != nil {
		return fmt.Errorf("not OTLP: %v", err) // Its end of file is not the file's.
	}
	p.found = true
	if err := p.h.Traces(td, len(message)); err != nil {
		return handlerError{err}
	}
	return nil
}

// fields goes over the fields of a message of this size.
func (p *protoReader) fields(size int64, take func(tag byte, size int64) error) error {
	for end := p.offset + size; p.offset < end; {
		tag, err := p.r.ReadByte()
		if err != nil {
			return err
		}
		p.offset++
		if tag&7 != lengthPrefixed {
			return fmt.Errorf("field %d is none of OTLP", tag>>3)
		}
		n, err := p.length()
		if err != nil {
			return err
		}
		if n > end-p.offset {
			return fmt.Errorf("field %d is longer than its message", tag>>3)
		}
		if err := take(tag, n); err != nil {
			return err
		}
	}
	return nil
}

// keep appends a whole field.
func (p *protoReader) keep(to []byte, tag byte, size int64) ([]byte, error) {
	if size > int64(maxPiece) {
		return to, fmt.Errorf("field %d is longer than %d MiB", tag>>3, maxPiece>>20)
	}
	return p.bytes(appendVarint(append(to, tag), int(size)), size)
}

func (p *protoReader) bytes(to []byte, size int64) ([]byte, error) {
	n := len(to)
	to = append(to, make([]byte, size)...)
	read, err := io.ReadFull(p.r, to[n:])
	p.offset += int64(read)
	return to, err
}

func (p *protoReader) length() (int64, error) {
	n, err := binary.ReadUvarint(p)
	if err != nil {
		return 0, err
	}
	if n > 1<<40 {
		return 0, errors.New("the length of a message is impossible")
	}
	return int64(n), nil
}

// ReadByte is for binary.ReadUvarint.
func (p *protoReader) ReadByte() (byte, error) {
	c, err := p.r.ReadByte()
	if err == nil {
		p.offset++
	}
	return c, err
}

func field(to []byte, tag byte, body []byte) []byte {
	return append(appendVarint(append(to, tag), len(body)), body...)
}

// readFrames reads messages with their lengths before them, four bytes, most
// significant first: what the collector's file exporter writes as protobuf and
// whenever it compresses, each message by itself.
func readFrames(r *bufio.Reader, h Handler) error {
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2*uint64(maxPiece)))
	if err != nil {
		return fmt.Errorf("create decoder: %w", err)
	}
	defer unzip.Close()
	var d decoder
	for n := 1; ; n++ {
		body, err := frame(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = readFrame(body, &d, unzip, h)
		}
		var own handlerError
		if errors.As(err, &own) {
			return own.error
		}
		if err != nil && n == 1 {
			return notTraces("message %d: %w; %s", n, err, expected)
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", n, err)
		}
	}
}

func frame(r *bufio.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("the file ends within the length of a message")
		}
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if int(n) > maxPiece {
		return nil, fmt.Errorf("the message is longer than %d MiB", maxPiece>>20)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("the message ends in the middle: %w", errCut)
	}
	return body, nil
}

var errCut = errors.New("the file is cut off")

func readFrame(body []byte, d *decoder, unzip *zstd.Decoder, h Handler) error {
	size := len(body)
	if len(body) >= len(zstdMagic) && string(body[:len(zstdMagic)]) == string(zstdMagic) {
		var err error
		if body, err = unzip.DecodeAll(body, nil); err != nil {
			return damaged(err)
		}
	}
	var td ptrace.Traces
	var err error
	if len(body) > 0 && body[0] == '{' {
		td, err = d.decode(body)
	} else if td, err = unmarshalProto(body); err != nil {
		err = fmt.Errorf("not OTLP: %w", err)
	}
	if err != nil {
		return err
	}
	if err := h.Traces(td, size); err != nil {
		return handlerError{err}
	}
	return nil
}
