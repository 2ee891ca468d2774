// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"slices"
	"strings"
)

// keyKind is a set of the lists that a key is on.
type keyKind uint8

const (
	kindCommentary keyKind = 1 << iota
	kindVolatile
	kindResult
)

// keyClass is what the sameness lists say of a key.
type keyClass struct {
	kind      keyKind
	protected bool
	timely    bool
	status    bool
	edge      edge
	bit       uint8 // index into Varied
	size      uint8 // length of the key
}

// classCache remembers the classes of keys, which come again and again, in
// sets of four.
type classCache [64][4]struct {
	hash  uint64
	class keyClass
}

func (b *builder) classify(hash uint64, key string) keyClass {
	set := &b.classes[hash%uint64(len(b.classes))]
	for i := range set {
		if set[i].hash == hash {
			return set[i].class
		}
	}
	copy(set[1:], set[:3])
	set[0].hash, set[0].class = hash, b.lists.classify(key)
	return set[0].class
}

// keyPattern is an entry of a key list.
type keyPattern struct {
	name     string // as listed
	words    string // "_request_id_"
	squeezed string // "requestid"
	open     [2]bool
	kind     keyKind
}

func newKeyPattern(name string, kind keyKind) keyPattern {
	p := keyPattern{name: name, kind: kind}
	p.open = [2]bool{strings.HasPrefix(name, "*"), strings.HasSuffix(name, "*")}
	p.words = keyWords(strings.Trim(name, "*"))
	p.squeezed = strings.ReplaceAll(p.words, "_", "")
	return p
}

func (p keyPattern) matches(words, squeezed string) bool {
	switch {
	case p.squeezed == squeezed:
		return true
	case p.open[0] && p.open[1]:
		return strings.Contains(words, p.words)
	case p.open[0]:
		return strings.HasSuffix(words, p.words)
	}
	return p.open[1] && strings.HasPrefix(words, p.words)
}

// keyWords puts an underscore before, between and after the words of a key.
func keyWords(key string) string {
	var b strings.Builder
	b.WriteByte('_')
	last := byte('_')
	for i := range len(key) {
		c := key[i]
		upper := c >= 'A' && c <= 'Z'
		switch {
		case c == '_' || c == '-' || c == '.' || c == ' ':
			c = '_'
		case upper && last != '_' && (isLower(key[i-1]) || i+1 < len(key) && isLower(key[i+1])):
			b.WriteByte('_')
		}
		if upper {
			c |= 0x20
		}
		if c != '_' || last != '_' {
			b.WriteByte(c)
		}
		last = c
	}
	if last != '_' {
		b.WriteByte('_')
	}
	return b.String()
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// maxKey is the length beyond which a key is on no list.
const maxKey = 64

func (l *lists) classify(key string) keyClass {
	class := keyClass{size: uint8(min(len(key), maxKey))}
	if len(key) > maxKey {
		return class
	}
	words := keyWords(key)
	class.timely = hasWord(words, timeWords)
	class.status = hasWord(words, statusWords)
	class.edge = edgeOf(words)
	if class.protected = hasWord(words, protectedWords); class.protected {
		return class
	}
	squeezed := strings.ReplaceAll(words, "_", "")
	for i, p := range l.keys {
		if p.matches(words, squeezed) {
			class.kind |= p.kind
			class.bit = keyBit(i)
		}
	}
	return class
}

// variedName is the name of the i-th bit of Varied.
func (l *lists) variedName(i int) string {
	if i < len(variedNames) {
		return variedNames[i]
	}
	if i -= len(variedNames); i < len(l.keys) && keyBit(i) != otherBit {
		return l.keys[i].name
	}
	return "other"
}

func hasWord(words string, list []string) bool {
	for word := range strings.SplitSeq(words, "_") {
		if word != "" && slices.Contains(list, word) {
			return true
		}
	}
	return false
}

const otherBit = 63

// keyBit is the index of the bit of Varied for the i-th key pattern. The last bit stands
// for all that have none of their own.
func keyBit(i int) uint8 { return uint8(min(len(variedNames)+i, otherBit)) }
