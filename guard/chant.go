// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// A text chants when its end is one passage over and over: at least chantLaps
// times, chantWords words in all. VS Code's detector asks for 30 to 60 tokens;
// whoever judges afterwards can wait for the more.
const (
	chantLaps  = 6
	chantWords = 60
	// chantTail is how much of a text's end is looked at, in bytes, and
	// chantPeriod how long the passage may be at most, in words.
	chantTail   = 8 << 10
	chantPeriod = 120
)

// chants is the scratch of the search for a chant.
type chants struct {
	words   []uint64
	borders []int32
	folded  []byte
}

// laps is how often the text's end says the same; 0 if it does not chant. The
// last word may be cut off.
func (c *chants) laps(text string) int {
	tail, code := tailOf(text)
	if !recurs(tail) {
		return 0
	}
	c.read(tail, code)
	n := c.period()
	if n == 0 && len(c.words) > 0 {
		c.words = c.words[:len(c.words)-1]
		n = c.period()
	}
	return n
}

// tailOf is the end of a text from a line on, or from a word on if the line is
// long, and whether it begins inside a block of code.
func tailOf(text string) (tail string, code bool) {
	if len(text) <= chantTail {
		return text, false
	}
	from := len(text) - chantTail
	if i := strings.IndexAny(text[from:from+chantTail/2], "\n "); i >= 0 {
		from += i + 1
	}
	return text[from:], strings.Count(text[:from], "```")%2 == 1
}

// recurs reports whether the last whole word is said often enough, which rules
// out most texts at little cost.
func recurs(tail string) bool {
	end := strings.LastIndexAny(strings.TrimRight(tail, " \t\r\n"), " \n")
	if end < 0 {
		return !isASCIIAt(tail, 0)
	}
	tail = strings.TrimRight(tail[:end], " \t\r\n")
	word := tail[strings.LastIndexAny(tail, " \n\t")+1:]
	return len(word) > chantTail/chantLaps || strings.Count(tail, word) >= chantLaps-1
}

func isASCIIAt(s string, i int) bool { return i >= len(s) || s[i] < utf8.RuneSelf }

// read takes the words after the last line of code, table or list: what is laid
// out repeats itself by right.
func (c *chants) read(tail string, code bool) {
	c.words = c.words[:0]
	for line := range strings.Lines(tail) {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")
		if fence {
			code = !code
		}
		if code || fence || laidOut(line, trimmed) {
			c.words = c.words[:0]
			continue
		}
		for word := range strings.FieldsSeq(trimmed) {
			c.word(word)
		}
	}
}

// laidOut reports whether a line belongs to code, a table, a list, a heading or
// a quotation.
func laidOut(line, trimmed string) bool {
	if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
		return true
	}
	if trimmed == "" {
		return false
	}
	if strings.Count(trimmed, "|") >= 2 || strings.HasSuffix(trimmed, ";") || strings.HasSuffix(trimmed, "{") {
		return true
	}
	switch trimmed[0] {
	case '#', '>', '|', '}', ']', '<':
		return true
	case '-', '*', '+':
		return len(trimmed) > 1 && (trimmed[1] == ' ' || trimmed[1] == trimmed[0])
	}
	return isBullet(trimmed) || isNumbered(trimmed)
}

func isBullet(s string) bool { return strings.HasPrefix(s, "•") || strings.HasPrefix(s, "–") }

// isNumbered reports whether a line begins as in "12. " or "3) ".
func isNumbered(s string) bool {
	i := digitsEnd(s, 0)
	return i > 0 && i < len(s) && (s[i] == '.' || s[i] == ')' || s[i] == ':')
}

// word takes one word, or the characters of one where a script has no spaces.
// The lowest bit marks words of prose.
func (c *chants) word(s string) {
	if r, _ := utf8.DecodeRuneInString(s); r >= 0x2e80 {
		for _, r := range s {
			c.words = append(c.words, join(uint64(r), tagToken)|1)
		}
		return
	}
	c.folded = appendLower(c.folded[:0], s)
	h := xxh3.Hash(c.folded) &^ 1
	if isProse(s) {
		h |= 1
	}
	c.words = append(c.words, h)
}

// isProse reports whether a word could stand in a sentence.
func isProse(s string) bool {
	letters := false
	for i := range len(s) {
		letters = letters || classOf[s[i]]&(classHex|classLetter) != 0 || s[i] >= utf8.RuneSelf
		if strings.IndexByte("{}[]<>=\\|`;_$", s[i]) >= 0 {
			return false
		}
	}
	return letters
}

// period is the number of laps of the longest periodic end, 0 if there is none.
// The borders of the reversed words give the period of every end in one pass
// (Knuth, Morris and Pratt).
func (c *chants) period() int {
	n := len(c.words)
	if n < chantWords {
		return 0
	}
	at := func(i int) uint64 { return c.words[n-1-i] }
	c.borders = slices.Grow(c.borders[:0], n+1)[:n+1]
	c.borders[0] = -1
	laps, period := 0, 0
	for i := range n {
		b := c.borders[i]
		for b >= 0 && at(int(b)) != at(i) {
			b = c.borders[b]
		}
		c.borders[i+1] = b + 1
		p := i + 1 - int(b+1)
		if i+1 >= chantWords && p <= chantPeriod && (i+1)/p >= chantLaps {
			laps, period = (i+1)/p, p
		}
	}
	if laps == 0 || !c.prose(period) {
		return 0
	}
	return laps
}

// prose reports whether most of the last words are.
func (c *chants) prose(n int) bool {
	plain := 0
	for _, w := range c.words[len(c.words)-n:] {
		plain += int(w & 1)
	}
	return plain*3 >= n*2
}
