// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "strings"

// token matches the masks that hold in arguments, results and errors alike.
func (m *masker) token(i, end int, seen uint8) (bit uint64, to int, mask string) {
	s := m.s
	switch n := end - i; {
	case n == 4 && seen == classDigit:
		return variedTime, isoEnd(s, i), "<time>"
	case n == 8 && seen&classLetter == 0 && uuidAt(s, i):
		return variedUUID, i + 36, "<uuid>"
	case seen == classDigit:
		if n <= 2 {
			return variedTime, datedEnd(s, i, end), "<time>"
		}
		if isEpoch(s[i:end]) {
			return variedEpoch, fractionEnd(s, end), "<epoch>"
		}
	case n >= 15 && s[i+8] == 'T':
		return variedTime, basicISOEnd(s, i), "<time>"
	case n >= 8 && seen == classDigit|classHex:
		return variedHex, end, "<hex>"
	case n >= 8 && seen&^classHex == classDigit|classLetter && s[i] == '0' && s[i+1]|0x20 == 'x' && allHex(s[i+2:end]):
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

// datedEnd returns the end of the date and time whose day is s[i:end], or 0:
// 30 Nov 2026 10:00:05 GMT (RFC 1123), 30-Nov-26 10:00:05 (RFC 850),
// 30/Nov/2026:10:00:05 +0000 (access logs), Nov 30 10:00:05 (RFC 3164, asctime),
// of which the month stays.
func datedEnd(s string, i, end int) int {
	if end+9 > len(s) || s[end] != ' ' && s[end] != '-' && s[end] != '/' {
		return 0
	}
	if to := match(s, end, " 00:00:00"); to > 0 {
		month := i - 4
		if i > 4 && end == i+1 && s[i-1] == ' ' && s[i-2] == ' ' {
			month--
		}
		if month < 0 || s[month+3] != ' ' || !isMonth(s[month:month+3]) || month > 0 && classOf[s[month-1]]&classWord != 0 {
			return 0
		}
		return fractionEnd(s, to)
	}
	if s[end+4] != s[end] || !isMonth(s[end+1:end+4]) {
		return 0
	}
	for _, pattern := range [...]string{"0000 00:00:00", "0000:00:00:00", "00 00:00:00"} {
		if to := match(s, end+5, pattern); to > 0 {
			return namedZoneEnd(s, fractionEnd(s, to))
		}
	}
	return 0
}

func isMonth(name string) bool {
	const names = "JanFebMarAprMayJunJulAugSepOctNovDec"
	return strings.Index(names, name)%3 == 0
}

// namedZoneEnd is zoneEnd for zones after a space.
func namedZoneEnd(s string, i int) int {
	if strings.HasPrefix(s[i:], " GMT") || strings.HasPrefix(s[i:], " UTC") {
		return i + 4
	}
	if to := zoneEnd(s, min(i+1, len(s))); i < len(s) && s[i] == ' ' && to == i+6 {
		return to
	}
	return i
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
