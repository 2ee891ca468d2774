// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Canonicalize writes a value so that equal values are written alike. It
// never panics. The rules follow the README of agent-loopguard 0.1.0
// ("Canonical form"), put into Go:
//
//   - Objects are maps with string, integer or encoding.TextMarshaler keys
//     (or interface keys that are all strings) and structs, whose json tags
//     count as in encoding/json ("-", omitempty, omitzero, string, embedding).
//     Members are sorted by the UTF-16 code units of their keys (RFC 8785).
//     Of keys that spell the same, that with the greatest value counts.
//     Any other map is written Map{key:value,...}, sorted by its entries.
//   - Functions and channels stand for "undefined": as members they are left
//     out, elsewhere they are null. Nil pointers, slices, maps and interfaces
//     are null.
//   - Slices and arrays keep their order; []byte is base64 text.
//   - Numbers are written as in RFC 8785, but integers stay exact at any size
//     (more than 40 trailing zeros are written as an exponent). -0 is 0, and
//     1.0, 1 and 1e0 are all 1, be they floats, integers or json.Number.
//     NaN, Infinity and -Infinity are distinct from everything else.
//   - *big.Int is written 10n and differs from the number 10.
//   - time.Time is the RFC 3339 text of its instant, in UTC.
//   - A string is text, whatever it holds. Bytes that are not UTF-8 count as
//     U+FFFD. Only json.RawMessage is JSON text; it is written as the value
//     it decodes to, or as text if it is not JSON.
//   - json.Marshaler and encoding.TextMarshaler are written by calling them,
//     and error values as their text.
//   - A reference back to an ancestor is [Circular:<depth>], where the root
//     has depth 0.
//   - Below 64 levels stands [Depth]; after 200,000 values stands [Cut] and
//     nothing more, so that two huge values that agree on everything before
//     the cut are equal.
//   - What cannot be read (a marshaler fails or panics, Unknown, a map with
//     more than 200,000 values under keys that are written alike) is
//     [Unreadable:<n>] with an n that never comes again: it equals nothing.
func Canonicalize(v any) string {
	var f formSink
	w := walker{sink: &f}
	w.root(v)
	return string(f.form)
}

// StableHash hashes the canonical form of a value to 28 hex characters: the
// first 28 of its XXH3 128 bit hash, seed 0. It serves comparison, not
// security. Together with the form's length it stands for forms of more than
// 256 characters wherever forms are compared across processes.
func StableHash(v any) string {
	h := xxh3.HashString128(Canonicalize(v))
	return fmt.Sprintf("%016x%016x", h.Hi, h.Lo)[:28]
}

// formSink writes the canonical form.
type formSink struct {
	form []byte
	// inside says, per open container, whether it has a member already.
	inside  []bool
	keyed   bool
	scratch []byte
}

// comma goes before every value but the first of its container.
func (f *formSink) comma() {
	n := len(f.inside)
	if n == 0 {
		return
	}
	if f.keyed {
		f.keyed = false
		return
	}
	if f.inside[n-1] {
		f.form = append(f.form, ',')
	}
	f.inside[n-1] = true
}

func (f *formSink) token(s string) {
	f.comma()
	f.form = append(f.form, s...)
}

func (f *formSink) bigint(s string) { f.token(s + "n") }

func (f *formSink) number(lit string) {
	f.comma()
	d := parseDecimal(f.scratch, lit)
	f.scratch = d.digits
	f.form = d.appendTo(f.form)
}

func (f *formSink) text(s string) {
	f.comma()
	f.form = appendQuoted(f.form, s)
}

func (f *formSink) open(kind byte) {
	f.comma()
	if kind == kindMap {
		f.form = append(f.form, "Map{"...)
	} else {
		f.form = append(f.form, kind)
	}
	f.inside = append(f.inside, false)
}

func (f *formSink) key(s string) {
	f.comma()
	f.form = append(appendQuoted(f.form, s), ':')
	f.keyed = true
}

func (f *formSink) mapKey(form string) {
	f.comma()
	f.form = append(append(f.form, form...), ':')
	f.keyed = true
}

func (f *formSink) close(kind byte) {
	if kind == kindArray {
		f.form = append(f.form, ']')
	} else {
		f.form = append(f.form, '}')
	}
	f.inside = f.inside[:len(f.inside)-1]
}

// appendQuoted writes a JSON string with RFC 8785's escapes.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b = append(b, '\\', byte(r))
		case '\b':
			b = append(b, `\b`...)
		case '\t':
			b = append(b, `\t`...)
		case '\n':
			b = append(b, `\n`...)
		case '\f':
			b = append(b, `\f`...)
		case '\r':
			b = append(b, `\r`...)
		default:
			if r < 0x20 {
				b = append(b, `\u00`...)
				b = append(b, hex[r>>4], hex[r&15])
			} else {
				b = utf8.AppendRune(b, r)
			}
		}
	}
	return append(b, '"')
}

// compareUTF16 orders strings by their UTF-16 code units. That is the order of
// their code points, but for surrogate pairs, which come before U+E000.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			return firstUnit(ra) - firstUnit(rb) + tieBreak(ra, rb)
		}
		a, b = a[na:], b[nb:]
	}
	return len(a) - len(b)
}

func firstUnit(r rune) int {
	if hi, _ := utf16.EncodeRune(r); hi != utf8.RuneError {
		return int(hi)
	}
	return int(r)
}

// tieBreak orders two different code points that share their first unit.
func tieBreak(a, b rune) int {
	if firstUnit(a) != firstUnit(b) {
		return 0
	}
	return int(a - b)
}
