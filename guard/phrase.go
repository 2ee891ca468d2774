// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"slices"
	"strings"
)

// maxPhrase is the length in bytes beyond which a text is no mere
// acknowledgement and no word on progress.
const maxPhrase = 200

// foldPhrase lower-cases a text, writes - and _ as a space and drops the final
// punctuation, so that IN_PROGRESS is "in progress".
func foldPhrase(buf []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case c == '_' || c == '-':
			c = ' '
		}
		buf = append(buf, c)
	}
	return bytes.TrimRight(buf, ".! ")
}

// glob is a phrase that stars divide.
type glob []string

func newGlob(phrase string) glob {
	var g glob
	for part := range strings.SplitSeq(phrase, "*") {
		g = append(g, string(foldPart(part)))
	}
	return g
}

// foldPart keeps the spaces at the ends of a part.
func foldPart(part string) []byte {
	folded := foldPhrase(nil, part+"x")
	return folded[:len(folded)-1]
}

func (g glob) matches(s []byte) bool {
	if len(g) == 1 {
		return string(s) == g[0]
	}
	if !bytes.HasPrefix(s, []byte(g[0])) {
		return false
	}
	s = s[len(g[0]):]
	for _, part := range g[1 : len(g)-1] {
		i := bytes.Index(s, []byte(part))
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return bytes.HasSuffix(s, []byte(g[len(g)-1]))
}

// acknowledges reports whether a folded text says no more than "done".
func (l *lists) acknowledges(phrase []byte) bool {
	if len(phrase) == 0 {
		return true
	}
	if _, ok := l.acks[string(phrase)]; ok {
		return true
	}
	return slices.ContainsFunc(l.ackGlobs, func(g glob) bool { return g.matches(phrase) })
}

// inProgress reports whether a folded text speaks of work that goes on
// (says), or would as the value of a key such as "status" (value).
func (l *lists) inProgress(phrase []byte) (says, value bool) {
	if l.phrased(phrase) {
		return true, true
	}
	end := 0
	for end < len(phrase) && isLower(phrase[end]) {
		end++
	}
	if _, ok := l.words[string(phrase[:end])]; !ok {
		return false, false
	}
	rest := bytes.TrimLeft(phrase[end:], " ")
	return false, len(rest) == 0 || classOf[rest[0]]&(classHex|classLetter) == 0
}

// phrased reports whether a text contains a phrase of several words.
func (l *lists) phrased(phrase []byte) bool {
	return bytes.IndexByte(phrase, ' ') >= 0 &&
		slices.ContainsFunc(l.phrases, func(p string) bool { return containsPhrase(phrase, p) })
}

func containsPhrase(s []byte, phrase string) bool {
	i := bytes.Index(s, []byte(phrase))
	if i < 0 {
		return false
	}
	end := i + len(phrase)
	return (i == 0 || classOf[s[i-1]]&classWord == 0) && (end == len(s) || classOf[s[end]]&classWord == 0)
}

// Masked reports whether a text is what an SDK or a collector writes in place
// of content: such content is unknown. Blank text is masked too.
func Masked(text string) bool {
	text = strings.TrimSpace(text)
	if strings.Trim(text, "*") == "" && len(text) != 1 && len(text) != 2 {
		return true
	}
	return slices.ContainsFunc(redactions, func(r string) bool { return strings.EqualFold(r, text) })
}

// vague reports whether a folded error text does not say what is wrong.
func (l *lists) vague(phrase []byte) bool {
	return slices.ContainsFunc(l.vagues, func(g glob) bool { return g.matches(phrase) })
}

// noSuchTool reports whether a text, folded in phrase, complains of a tool that
// does not exist. The name of a tool is one word, which folding may divide.
func (b *builder) noSuchTool(text string, result bool) bool {
	if b.lists.noSuchTool(b.phrase, result) {
		return true
	}
	if !strings.ContainsAny(text, "_-") {
		return false
	}
	b.phrase = appendLower(b.phrase[:0], text)
	return b.lists.noSuchTool(b.phrase, result)
}

// noSuchTool is builder.noSuchTool for a text in lower case. Of a result the
// complaint has to be all it says.
func (l *lists) noSuchTool(phrase []byte, result bool) bool {
	if len(l.noTool) == 0 {
		return false
	}
	var room [64][]byte
	words := room[:0]
	for word := range bytes.FieldsSeq(phrase) {
		words = append(words, bytes.Trim(word, "\"'`:;,.!()[]"))
	}
	for i := range words {
		for _, want := range l.noTool {
			if startsWith(words[i:], want) && (!result || isWhole(words, i, i+len(want))) {
				return true
			}
		}
	}
	return false
}

// mentionsTool tells, at little cost, the few results that may do so.
func mentionsTool(phrase []byte) bool {
	return bytes.Contains(phrase, []byte("tool")) || bytes.Contains(phrase, []byte("function"))
}

// isWhole reports whether the words from..to, which say that a tool does not
// exist, have nothing around them but "error", the name of the tool and a list
// of those that do: "Error: x is not a valid tool, try one of [y, z]".
func isWhole(words [][]byte, from, to int) bool {
	before, after := words[:from], words[to:]
	if len(before) > 0 && string(before[0]) == "error" {
		before = before[1:]
	}
	named := len(before) == 2 && string(before[1]) == "is"
	if len(before) > 0 && !named {
		return false
	}
	return len(after) <= 1 || slices.Contains(otherTools, string(after[0])) ||
		!named && slices.Contains(otherTools, string(after[1]))
}

func startsWith(words [][]byte, want []string) bool {
	if len(words) < len(want) {
		return false
	}
	for i, w := range want {
		if w != "*" && string(words[i]) != w {
			return false
		}
	}
	return true
}
