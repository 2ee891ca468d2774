// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"math/bits"
	"slices"
	"strings"
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
}

// view looks at a buffer as a string. It is valid until the buffer changes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// normalise returns the text without volatile parts, and which ones it had.
// The text is valid until the next call.
func (m *masker) normalise(s string) (string, uint64) {
	m.s, m.out, m.done, m.varied, m.footer = s, m.out[:0], 0, 0, len(s)
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

// escapeEnd returns the end of the terminal control sequence at s[i]
// (ECMA-48: CSI, OSC, or two bytes).
func escapeEnd(s string, i int) int {
	if i++; i >= len(s) {
		return i
	}
	switch s[i] {
	case '[':
		for i++; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7e {
				return i
			}
		}
		return i
	case ']':
		for i++; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b {
				return min(i+2, len(s))
			}
		}
		return i
	}
	if s[i] < 0x20 || s[i] > 0x7e {
		return i
	}
	return i + 1
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

// token matches the masks that hold in arguments, results and errors alike.
func (m *masker) token(i, end int, seen uint8) (bit uint64, to int, mask string) {
	s := m.s
	switch n := end - i; {
	case n == 4 && seen == classDigit:
		return variedTime, isoEnd(s, i), "<time>"
	case n == 8 && seen&classLetter == 0 && uuidAt(s, i):
		return variedUUID, i + 36, "<uuid>"
	case seen == classDigit:
		if isEpoch(s[i:end]) {
			return variedEpoch, fractionEnd(s, end), "<epoch>"
		}
	case n >= 15 && s[i+8] == 'T':
		return variedTime, basicISOEnd(s, i), "<time>"
	case n >= 8 && seen == classDigit|classHex:
		return variedHex, end, "<hex>"
	case n >= 10 && seen == classDigit|classHex|classLetter && s[i] == '0' && s[i+1] == 'x' && allHex(s[i+2:end]):
		return variedHex, end, "<hex>"
	}
	return 0, 0, ""
}

func allHex(s string) bool {
	for i := range len(s) {
		if classOf[s[i]]&(classDigit|classHex) == 0 {
			return false
		}
	}
	return true
}

// uuidAt reports whether the 36 characters from i on are a UUID (RFC 9562).
func uuidAt(s string, i int) bool {
	if len(s) < i+36 || len(s) > i+36 && classOf[s[i+36]]&classWord != 0 {
		return false
	}
	for k := range 36 {
		c := s[i+k]
		if k == 8 || k == 13 || k == 18 || k == 23 {
			if c != '-' {
				return false
			}
		} else if classOf[c]&(classDigit|classHex) == 0 {
			return false
		}
	}
	return true
}

// match reports whether s[i:] begins with a pattern, in which 0 stands for a
// digit, and returns its end, else 0.
func match(s string, i int, pattern string) int {
	if i+len(pattern) > len(s) {
		return 0
	}
	for k := range len(pattern) {
		c := s[i+k]
		if pattern[k] == '0' && c-'0' >= 10 || pattern[k] != '0' && pattern[k] != c {
			return 0
		}
	}
	return i + len(pattern)
}

// isoEnd returns the end of the date and time at i, or 0. A date alone is no
// time: it is what the call is about ("2026-12-24").
func isoEnd(s string, i int) int {
	end := match(s, i, "0000-00-00")
	if end == 0 {
		end = match(s, i, "0000/00/00")
	}
	if end == 0 || end >= len(s) || s[end] != 'T' && s[end] != ' ' && s[end] != 't' {
		return 0
	}
	if end = match(s, end+1, "00:00"); end == 0 {
		return 0
	}
	if to := match(s, end, ":00"); to > 0 {
		end = fractionEnd(s, to)
	}
	return zoneEnd(s, end)
}

// basicISOEnd is isoEnd for 20261103T114210Z.
func basicISOEnd(s string, i int) int {
	end := match(s, i, "00000000T000000")
	if end == 0 {
		return 0
	}
	end = zoneEnd(s, fractionEnd(s, end))
	if end < len(s) && classOf[s[end]]&classWord != 0 {
		return 0
	}
	return end
}

func fractionEnd(s string, i int) int {
	if i < len(s) && (s[i] == '.' || s[i] == ',') {
		if end := digitsEnd(s, i+1); end > i+1 {
			return end
		}
	}
	return i
}

func zoneEnd(s string, i int) int {
	if i < len(s) && s[i]|0x20 == 'z' {
		return i + 1
	}
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		for _, pattern := range [...]string{"00:00", "0000", "00"} {
			if end := match(s, i+1, pattern); end > 0 {
				return end
			}
		}
	}
	return i
}

// isEpoch reports whether digits are a time from 2017 to 2033 in seconds,
// milli-, micro- or nanoseconds since 1970.
func isEpoch(digits string) bool {
	switch len(digits) {
	case 10, 13, 16, 19:
		return digitsEnd(digits, 0) == len(digits) && digits[:2] >= "15" && digits[:2] < "20"
	}
	return false
}

// tempRoots are directories whose children programs name at random.
var tempRoots = [...]string{"/tmp/", "/var/tmp/", "/var/folders/", "/private/tmp/", "/private/var/folders/", "/dev/shm/", `\Temp\`}

// slash masks the directory that a program made up below a root for
// temporary files. A name that somebody chose ("/tmp/report.txt") stays.
func (m *masker) slash(i int) int {
	if i+1 == len(m.s) || strings.IndexByte("tvpdT", m.s[i+1]) < 0 {
		return i + 1
	}
	for _, root := range tempRoots {
		if !strings.HasPrefix(m.s[i:], root) {
			continue
		}
		from := i + len(root)
		to := segmentEnd(m.s, from)
		if strings.HasSuffix(root, "folders/") {
			// macOS: two made-up segments, then T.
			to = segmentEnd(m.s, min(to+1, len(m.s)))
		}
		if to > from && madeUp(m.s[from:to]) {
			return m.replace(variedTempPath, from, to, "<temp>")
		}
	}
	return i + 1
}

func segmentEnd(s string, i int) int {
	for i < len(s) && (classOf[s[i]]&classWord != 0 || s[i] == '_' || s[i] == '-' || s[i] == '.' || s[i] >= 0x80) {
		i++
	}
	return i
}

// madeUp reports whether a file name looks as if a program had drawn it: it
// has "tmp" and more, a digit before a letter, or five digits in a row.
func madeUp(name string) bool {
	if strings.HasPrefix(name, "tmp") && len(name) > 6 {
		return true
	}
	digits, word := 0, 0
	for i := range len(name) {
		c := classOf[name[i]]
		switch {
		case c == classDigit:
			digits++
			word++
		case c&classWord != 0:
			if digits > 0 && word >= 2 {
				return true
			}
			digits = 0
			word++
		default:
			digits, word = 0, 0
		}
		if digits >= 5 {
			return true
		}
	}
	return false
}

// callIDPrefixes begin the ids that model providers give to calls, messages
// and requests, before an underscore.
var callIDPrefixes = [...]string{"call", "toolu", "msg", "req", "resp", "run", "fc", "rs"}

// callIDEnd returns the end of the id whose prefix is s[i:end], or 0.
func callIDEnd(s string, i, end int) int {
	for _, prefix := range callIDPrefixes {
		if s[i:end] != prefix {
			continue
		}
		to, seen := end+1, uint8(0)
		for to < len(s) && classOf[s[to]]&classWord != 0 {
			seen |= classOf[s[to]]
			to++
		}
		if to-end > 8 && seen&classDigit != 0 {
			return to
		}
	}
	return 0
}

// measured masks a number in a result that says which process it was, how long
// it took or how often something was read. A whole number of seconds is a
// setting unless a word such as "took" stands before it; a fraction of one has
// been measured. The word that the number begins ends at end.
func (m *masker) measured(i, end int) int {
	s := m.s
	number := digitsEnd(s, i)
	if i >= m.footer {
		if to := counterEnd(s, number); to > 0 {
			return m.replace(variedCounter, i, to, "<count>")
		}
	}
	if number == end && labelled(s, i, "pid") {
		return m.replace(variedProcess, i, end, "<pid>")
	}
	fraction := fractionEnd(s, number)
	unit := unitEnd(s, fraction)
	if unit == 0 {
		return end
	}
	if fraction > number || slices.ContainsFunc(durationWords, func(w string) bool { return labelled(s, i, w) }) {
		return m.replace(variedDuration, i, unit, "<duration>")
	}
	return end
}

// unitEnd returns the end of the unit of time at i, or 0.
func unitEnd(s string, i int) int {
	if i < len(s) && s[i] == ' ' {
		i++
	}
	end := i
	for end < len(s) && classOf[s[end]]&classWord != 0 {
		end++
	}
	switch s[i:end] {
	case "s", "ms", "us", "ns", "sec", "secs", "second", "seconds", "milliseconds":
		return end
	}
	return 0
}

// labelled reports whether a word and one or two of " :=(" stand before s[i:].
func labelled(s string, i int, word string) bool {
	at := i
	for at > 0 && i-at < 2 && strings.IndexByte(" :=(", s[at-1]) >= 0 {
		at--
	}
	from := at - len(word)
	return at < i && from >= 0 && strings.EqualFold(s[from:at], word) &&
		(from == 0 || classOf[s[from-1]]&classWord == 0)
}

// footerStart returns where the last line begins if it stands in brackets, as
// in "(this file was read 3x in this session)", else the end.
func footerStart(s string) int {
	t := strings.TrimRight(s, " \t\r\n")
	if t == "" || t[len(t)-1] != ')' && t[len(t)-1] != ']' {
		return len(s)
	}
	start := strings.LastIndexByte(t, '\n') + 1
	if t[start] != '(' && t[start] != '[' {
		return len(s)
	}
	return start
}

// counterEnd returns the end of the "x" or "times" after a number, or 0.
func counterEnd(s string, i int) int {
	for _, unit := range [...]string{"x", " times", " time"} {
		end := i + len(unit)
		if strings.HasPrefix(s[i:], unit) && end < len(s) && classOf[s[end]]&classWord == 0 {
			return end
		}
	}
	return 0
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
