// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// kind is what a file is by its first bytes. Those that cannot be read are
// named as a message names them.
type kind string

const (
	empty    kind = "empty"
	text     kind = "text"
	protobuf kind = "OTLP protobuf"
	frames   kind = "messages with their lengths before them"
	unknown  kind = "binary and not OTLP"
	words    kind = "text but no JSON"
	array    kind = "a JSON array"
)

// foreign are files that people hand over in good faith.
var foreign = []struct {
	magic string
	name  kind
}{
	{"BZh", "compressed with bzip2"},
	{"\xfd7zXZ\x00", "compressed with xz"},
	{"PK\x03\x04", "a zip archive"},
	{"\x04\x22\x4d\x18", "compressed with lz4"},
	{"\xff\x06\x00\x00sNaPpY", "compressed with snappy"},
	{"PAR1", "a Parquet file"},
	{"\x1f\x8b", "compressed twice"},
	{"\x28\xb5\x2f\xfd", "compressed twice"},
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// recognise says what a file is that has been decompressed.
func recognise(head []byte) kind {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.name
		}
	}
	if isText(head) {
		switch trimmed := bytes.TrimSpace(bytes.TrimPrefix(head, byteOrderMark)); {
		case len(trimmed) == 0 && len(head) < sniffed:
			return empty
		case len(trimmed) == 0:
			return text // That begins late.
		case trimmed[0] == '{':
			return text
		case trimmed[0] == '[':
			return array
		default:
			return words
		}
	}
	switch {
	case head[0] == resourceSpansTag:
		return protobuf
	case isFramed(head):
		return frames
	default:
		return unknown
	}
}

// isText reports whether there are no bytes that text does not have. Protobuf
// has some in its first span, for the ids are random.
func isText(head []byte) bool {
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return len(head) == sniffed && len(head)-i < utf8.UTFMax
		case r < ' ' && r != '\n' && r != '\r' && r != '\t':
			return false
		}
		i += n
	}
	return true
}

// isFramed reports whether the length of a message comes first, as the
// collector's file exporter writes it.
func isFramed(head []byte) bool {
	if len(head) < 5 {
		return false
	}
	size, body := binary.BigEndian.Uint32(head), head[4:]
	if size == 0 || int(size) > maxPiece {
		return false
	}
	return body[0] == resourceSpansTag || body[0] == '{' || bytes.HasPrefix(body, zstdMagic)
}
