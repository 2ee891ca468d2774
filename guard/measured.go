// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"slices"
	"strings"
)

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
