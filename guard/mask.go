// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"math/bits"
	"unsafe"
)

// Bits of Fingerprint.Varied for the tokens that masks replace. The keys of
// the sameness lists follow.
const (
	variedSpace uint64 = 1 << iota
	variedANSI
	variedUUID
	variedTime
	variedEpoch
	variedHex
	variedTempPath
	variedCallID
	variedProcess
	variedDuration
	variedCounter
)

// VariedIdentifiers are the bits of Fingerprint.Varied for masked identifiers
// and times. In arguments these may be what a call is about: fingerprints that
// are equal in Normal alone, with one of these bits, are weaker evidence.
const VariedIdentifiers = variedUUID | variedTime | variedEpoch | variedHex | variedTempPath

var variedNames = [...]string{
	"white space", "ANSI escapes", "UUID", "time", "epoch time", "hex", "temp path",
	"call id", "pid", "duration", "read counter",
}

var epochHash = hashText("<epoch>")

// Classes of bytes. A byte without class is passed over.
const (
	classDigit  = 1 << iota
	classHex    // a-f, A-F
	classLetter // the others
	classSpace
	classEscape
	classSlash
)

var classOf = func() (t [256]uint8) {
	for c := range 256 {
		switch b := byte(c); {
		case b-'0' < 10:
			t[c] = classDigit
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			t[c] = classHex
		case b|0x20 >= 'a' && b|0x20 <= 'z':
			t[c] = classLetter
		case b == ' ' || b >= '\t' && b <= '\r':
			t[c] = classSpace
		case b == 0x1b:
			t[c] = classEscape
		case b == '/' || b == '\\':
			t[c] = classSlash
		}
	}
	return t
}()

const classWord = classDigit | classHex | classLetter

// masker replaces volatile tokens in text and collapses white space. Regular
// expressions would cost ten times the budget of the whole scan.
type masker struct {
	// result adds what is volatile in results alone.
	result bool
	out    []byte
	s      string
	done   int // s[:done] is in out
	footer int // where the last line begins if it stands in brackets
	varied uint64
	masks  int // length of the masks in out
}

// view looks at a buffer as a string. It is valid until the buffer changes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// normalise returns the text without volatile parts, and which ones it had.
// The text is valid until the next call.
func (m *masker) normalise(s string) (string, uint64) {
	m.s, m.out, m.done, m.varied, m.footer, m.masks = s, m.out[:0], 0, 0, len(s), 0
	if m.result {
		m.footer = footerStart(s)
	}
	for i := 0; i < len(s); {
		switch c := classOf[s[i]]; {
		case c == 0:
			i++
		case c&classWord != 0:
			end, seen := i+1, c
			for end < len(s) && classOf[s[end]]&classWord != 0 {
				seen |= classOf[s[end]]
				end++
			}
			// A word without a digit is plain, unless something follows.
			if seen&classDigit == 0 && (end == len(s) || s[end] != '-' && s[end] != '_') {
				i = end
				continue
			}
			i = m.word(i, end, seen)
		case c == classSpace:
			if i++; s[i-1] != ' ' || i == 1 || i == len(s) || classOf[s[i]] == classSpace {
				i = m.space(i - 1)
			}
		case c == classEscape:
			i = m.replace(variedANSI, i, escapeEnd(s, i), "")
		default:
			i = m.slash(i)
		}
	}
	m.s = ""
	if m.varied == 0 {
		return s, 0
	}
	m.out = append(m.out, s[m.done:]...)
	return view(m.out), m.varied
}

// replace puts a mask for s[from:to] and returns to.
func (m *masker) replace(bit uint64, from, to int, mask string) int {
	m.out = append(append(m.out, m.s[m.done:from]...), mask...)
	m.done = to
	m.varied |= bit
	if bit != variedSpace {
		m.masks += len(mask)
	}
	return to
}

// space collapses the white space from i on; at the ends of the text it goes.
func (m *masker) space(i int) int {
	end := i + 1
	for end < len(m.s) && classOf[m.s[end]] == classSpace {
		end++
	}
	mask := " "
	if i == 0 || end == len(m.s) {
		mask = ""
	}
	return m.replace(variedSpace, i, end, mask)
}

// word looks at the letters and digits from i to end, the classes of which
// have been seen.
func (m *masker) word(i, end int, seen uint8) int {
	s := m.s
	if seen&classDigit == 0 && (end-i != 8 || end == len(s) || s[end] != '-') {
		if m.result && end < len(s) && s[end] == '_' {
			if to := callIDEnd(s, i, end); to > 0 {
				return m.replace(variedCallID, i, to, "<id>")
			}
		}
		return end
	}
	if bit, to, mask := m.token(i, end, seen); to > 0 {
		return m.replace(bit, i, to, mask)
	}
	if m.result && classOf[s[i]] == classDigit {
		return m.measured(i, end)
	}
	return end
}

// VariedNames spells out the parts that a set of Varied bits stands for: masks
// by what they replace, dropped keys as the sameness lists have them.
func (d *Digester) VariedNames(varied uint64) []string {
	var names []string
	for varied != 0 {
		i := bits.TrailingZeros64(varied)
		varied &^= 1 << i
		names = append(names, d.lists.variedName(i))
	}
	return names
}
