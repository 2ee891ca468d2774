// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
	"unique"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// maxName bounds agent and tool names, in characters.
const maxName = 128

// What one span may believably have spent, in tokens and in currency. Above it
// a number is a mistake or a lie, and would spoil every sum it goes into.
const (
	maxCount = 1e9
	maxCost  = 1e6
)

// textOf returns a value as text, structured values as JSON. Bytes are no text.
func textOf(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return v.Str()
	case pcommon.ValueTypeEmpty, pcommon.ValueTypeBytes:
		return ""
	}
	return v.AsString()
}

// text returns the field's value as text, "" if the span has none.
func (s *scan) text(f field) string {
	if s.present&(1<<f) == 0 {
		return ""
	}
	return textOf(s.slots[f].value)
}

func (s *scan) has(f field) bool { return s.present&(1<<f) != 0 }

// number coerces a value to a non-negative finite number.
func number(v pcommon.Value) (float64, bool) {
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return float64(v.Int()), v.Int() >= 0
	case pcommon.ValueTypeDouble:
		return sane(v.Double())
	case pcommon.ValueTypeStr:
		return parseNumber(v.Str())
	}
	return 0, false
}

func parseNumber(text string) (float64, bool) {
	text = strings.Trim(text, "\" \t\r\n")
	if text == "" || len(text) > 40 {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	return sane(n)
}

func sane(n float64) (float64, bool) {
	return n, n >= 0 && !math.IsInf(n, 0)
}

// hashID reduces an id to a hash; 0 for none and for words that stand for none.
func hashID(id string) uint64 {
	id = strings.TrimSpace(id)
	if noIDs[id] {
		return 0
	}
	if h := xxh3.HashString(id); h != 0 {
		return h
	}
	return 1
}

// noIDs are what emitters write when they have no id: MAF writes unknown, ADK
// <not specified>.
var noIDs = map[string]bool{
	"": true, "unknown": true, "<not specified>": true, "none": true, "None": true, "null": true,
	"N/A": true, "n/a": true, "undefined": true, "__REDACTED__": true, "[REDACTED]": true, "<elided>": true,
}

// nameOf trims and bounds a name and detaches it from the text it came from.
func nameOf(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxName {
		s = cutRunes(s, maxName)
	}
	if s == "" {
		return ""
	}
	return unique.Make(s).Value()
}

// cutRunes returns the first n characters of s.
func cutRunes(s string, n int) string {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i]
}
