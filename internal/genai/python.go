// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// pythonToJSON rewrites a Python literal of a dict, list or tuple as JSON, so
// that what str() wrote compares like what json.dumps() would have written.
// The state is Cut if the text ends inside the literal.
func pythonToJSON(s string) (string, jsonscan.State) {
	if !pythonStart(s) {
		return "", jsonscan.Not
	}
	p := pythonReader{s: s}
	p.out.Grow(len(s) + 16)
	st := p.value(0)
	if st == jsonscan.Whole {
		if p.space(); p.i < len(s) {
			return "", jsonscan.Not
		}
	}
	return p.out.String(), st
}

// pythonStart is a cheap test that most text fails: a bracket and then a quote
// or another bracket, or a dict whose key is a number.
func pythonStart(s string) bool {
	if s == "" || s[0] != '{' && s[0] != '[' && s[0] != '(' {
		return false
	}
	rest := strings.TrimLeft(s[1:], " \t\r\n")
	return rest != "" && strings.IndexByte(`'"{[(TFN`, rest[0]) >= 0
}

type pythonReader struct {
	s   string
	i   int
	out strings.Builder
}

func (p *pythonReader) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

func (p *pythonReader) value(depth int) jsonscan.State {
	if p.space(); p.i == len(p.s) {
		return jsonscan.Cut
	}
	if depth > 32 {
		return jsonscan.Not
	}
	switch c := p.s[p.i]; c {
	case '{':
		return p.list('{', '}', depth)
	case '[':
		return p.list('[', ']', depth)
	case '(':
		return p.list('[', ')', depth)
	case '\'', '"':
		return p.str(c)
	}
	return p.atom()
}

// list reads the items of a bracket; "key: value" pairs in a dict.
func (p *pythonReader) list(open, end byte, depth int) jsonscan.State {
	p.i++
	p.out.WriteByte(open)
	for n := 0; ; n++ {
		if p.space(); p.i == len(p.s) {
			return jsonscan.Cut
		}
		if p.s[p.i] == end {
			p.i++
			p.out.WriteByte(map[byte]byte{'{': '}', '[': ']'}[open])
			return jsonscan.Whole
		}
		if n > 0 {
			p.out.WriteByte(',')
		}
		if st := p.item(open == '{', depth); st != jsonscan.Whole {
			return st
		}
		if p.space(); p.i < len(p.s) && p.s[p.i] == ',' {
			p.i++
		} else if p.i < len(p.s) && p.s[p.i] != end {
			return jsonscan.Not
		}
	}
}

func (p *pythonReader) item(pair bool, depth int) jsonscan.State {
	if pair && p.s[p.i] != '\'' && p.s[p.i] != '"' {
		return jsonscan.Not // a set, or keys that JSON has not
	}
	st := p.value(depth + 1)
	if st != jsonscan.Whole || !pair {
		return st
	}
	if p.space(); p.i == len(p.s) {
		return jsonscan.Cut
	}
	if p.s[p.i] != ':' {
		return jsonscan.Not
	}
	p.i++
	p.out.WriteByte(':')
	return p.value(depth + 1)
}

func (p *pythonReader) str(quote byte) jsonscan.State {
	p.out.WriteByte('"')
	for p.i++; p.i < len(p.s); {
		switch c := p.s[p.i]; {
		case c == quote:
			p.i++
			p.out.WriteByte('"')
			return jsonscan.Whole
		case c == '\\' && p.i+1 < len(p.s):
			p.escape()
		case c == '"':
			p.out.WriteString(`\"`)
			p.i++
		case c < ' ':
			p.out.WriteString(`\u00` + strconv.FormatUint(uint64(c>>4), 16) + strconv.FormatUint(uint64(c&15), 16))
			p.i++
		default:
			p.out.WriteByte(c)
			p.i++
		}
	}
	return jsonscan.Cut
}

// escape rewrites one escape; those that both languages have stay.
func (p *pythonReader) escape() {
	c := p.s[p.i+1]
	switch c {
	case 'n', 't', 'r', 'b', 'f', '\\', '"', 'u':
		p.out.WriteByte('\\')
		p.out.WriteByte(c)
	case 'x':
		if n, err := strconv.ParseUint(p.s[min(p.i+2, len(p.s)):min(p.i+4, len(p.s))], 16, 8); err == nil {
			p.out.WriteString(`\u00` + strconv.FormatUint(n>>4, 16) + strconv.FormatUint(n&15, 16))
			p.i += 4
			return
		}
		p.out.WriteByte('x')
	case '\'':
		p.out.WriteByte('\'')
	default:
		_, size := utf8.DecodeRuneInString(p.s[p.i+1:])
		p.out.WriteString(`\\` + p.s[p.i+1:p.i+1+size])
		p.i += size - 1
	}
	p.i += 2
}

var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null"}

// atom reads a number or one of the words; calls like TextContent(…) are Not.
func (p *pythonReader) atom() jsonscan.State {
	start := p.i
	for p.i < len(p.s) && strings.IndexByte(",:]}) \t\r\n", p.s[p.i]) < 0 {
		p.i++
	}
	word := p.s[start:p.i]
	if w, ok := pythonWords[word]; ok {
		p.out.WriteString(w)
		return jsonscan.Whole
	}
	if jsonscan.Check(word) == jsonscan.Whole && word[0] != '"' {
		p.out.WriteString(word)
		return jsonscan.Whole
	}
	if p.i == len(p.s) {
		return jsonscan.Cut
	}
	return jsonscan.Not
}
