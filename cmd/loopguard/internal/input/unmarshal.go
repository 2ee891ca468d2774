// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The collector's decoder reads a string that has escapes byte by byte, and the
// messages of models are one long string full of them: they would take most of
// the time. Here they are taken out of the JSON before it decodes the rest, and
// put in their places afterwards. A string that was taken out is represented by
// a mark, which no text has (U+FFFF is no character), and its number. Strings
// that begin with the mark all the same are taken out as well.

const mark = "\uffff"

var stringValue = []byte(`"stringValue"`)

// decoder decodes requests one after the other; it keeps its buffers.
type decoder struct {
	slim  []byte
	texts []string
}

// unmarshal decodes one request of complete JSON.
func (d *decoder) unmarshal(line []byte) (ptrace.Traces, error) {
	slim, err := d.lift(line)
	if err != nil {
		return ptrace.Traces{}, err
	}
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(slim)
	if err != nil {
		return td, withoutContent(err)
	}
	if len(d.texts) > 0 {
		lower(td, d.texts)
		clear(d.texts)
	}
	return td, nil
}

// withoutContent drops the piece of the input that the decoder quotes.
func withoutContent(err error) error {
	what, _, _ := strings.Cut(err.Error(), ", error found in #")
	return errors.New(what)
}

// textOf is the line as a string, without a copy; it must not outlive it.
func textOf(line []byte) string { return unsafe.String(unsafe.SliceData(line), len(line)) }

// lift takes the strings with escapes out of a request. The bytes between
// quotes are a value's only if the key before them is whole, which holds in all
// valid JSON: an escaped quote would have a backslash before it.
func (d *decoder) lift(line []byte) ([]byte, error) {
	d.slim, d.texts = d.slim[:0], d.texts[:0]
	done := 0
	for at := 0; ; {
		n := bytes.Index(line[at:], stringValue)
		if n < 0 {
			break
		}
		from, ok := opening(line, at+n+len(stringValue))
		if at = from; !ok {
			continue
		}
		to, escapes := closing(line, from)
		if to < 0 {
			return nil, errors.New("a string does not end")
		}
		at = to
		if !escapes && !bytes.HasPrefix(line[from:to], []byte(mark)) {
			continue
		}
		s, err := unescape(line[from:to])
		if err != nil {
			return nil, err
		}
		d.slim = append(append(d.slim, line[done:from]...), mark...)
		d.slim = strconv.AppendInt(d.slim, int64(len(d.texts)), 10)
		d.texts, done = append(d.texts, s), to
	}
	if len(d.texts) == 0 {
		return line, nil
	}
	d.slim = append(d.slim, line[done:]...)
	return d.slim, nil
}

// opening finds the string that follows the key that ends at i.
func opening(line []byte, i int) (int, bool) {
	colon := false
	for ; i < len(line); i++ {
		switch line[i] {
		case ' ', '\t', '\r', '\n':
		case ':':
			if colon {
				return i, false
			}
			colon = true
		case '"':
			return i + 1, colon
		default:
			return i, false
		}
	}
	return i, false
}

// closing returns the index of the quote that ends a string, -1 if it has none,
// and whether there are escapes before it.
func closing(line []byte, i int) (end int, escapes bool) {
	from := i
	for {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			return -1, false
		}
		i += n
		slashes := 0
		for j := i - 1; j >= from && line[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 0 {
			return i, escapes || bytes.IndexByte(line[from:i], '\\') >= 0
		}
		escapes = true
		i++
	}
}

var errEscape = errors.New("a string has an invalid escape")

// unescape returns the text of a string's source.
func unescape(s []byte) (string, error) {
	var b strings.Builder
	b.Grow(len(s))
	for {
		n := bytes.IndexByte(s, '\\')
		if n < 0 {
			b.Write(s)
			return b.String(), nil
		}
		b.Write(s[:n])
		s = s[n:]
		if len(s) < 2 {
			return "", errEscape
		}
		if s[1] == 'u' {
			var err error
			if s, err = unicodeEscape(&b, s); err != nil {
				return "", err
			}
			continue
		}
		c := plainEscapes[s[1]]
		if c == 0 {
			return "", errEscape
		}
		b.WriteByte(c)
		s = s[2:]
	}
}

var plainEscapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unicodeEscape writes the \u escape, or the pair of them, that s begins with
// and returns the rest. Half a pair is no character.
func unicodeEscape(b *strings.Builder, s []byte) ([]byte, error) {
	r, ok := hex4(s)
	if !ok {
		return nil, errEscape
	}
	s = s[6:]
	if !utf16.IsSurrogate(r) {
		b.WriteRune(r)
		return s, nil
	}
	low, ok := hex4(s)
	pair := utf16.DecodeRune(r, low)
	if !ok || pair == utf8.RuneError {
		b.WriteRune(utf8.RuneError)
		return s, nil
	}
	b.WriteRune(pair)
	return s[6:], nil
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 32)
	return rune(n), err == nil
}

// lower puts the texts where their marks are.
func lower(td ptrace.Traces, texts []string) {
	for _, rs := range td.ResourceSpans().All() {
		lowerMap(rs.Resource().Attributes(), texts)
		for _, ss := range rs.ScopeSpans().All() {
			lowerMap(ss.Scope().Attributes(), texts)
			for _, s := range ss.Spans().All() {
				lowerSpan(s, texts)
			}
		}
	}
}

func lowerSpan(s ptrace.Span, texts []string) {
	lowerMap(s.Attributes(), texts)
	for _, e := range s.Events().All() {
		lowerMap(e.Attributes(), texts)
	}
	for _, l := range s.Links().All() {
		lowerMap(l.Attributes(), texts)
	}
}

func lowerMap(m pcommon.Map, texts []string) {
	for _, v := range m.All() {
		lowerValue(v, texts)
	}
}

func lowerValue(v pcommon.Value, texts []string) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		if n, ok := strings.CutPrefix(v.Str(), mark); ok {
			if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(texts) {
				v.SetStr(texts[i])
			}
		}
	case pcommon.ValueTypeMap:
		lowerMap(v.Map(), texts)
	case pcommon.ValueTypeSlice:
		for _, e := range v.Slice().All() {
			lowerValue(e, texts)
		}
	default:
	}
}

// unmarshalProto decodes the bytes of one TracesData message.
func unmarshalProto(message []byte) (ptrace.Traces, error) {
	return (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(message)
}

// appendVarint is how protobuf writes lengths.
func appendVarint(to []byte, n int) []byte { return binary.AppendUvarint(to, uint64(n)) }
