// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"errors"
	"strings"
	"sync"
	"unicode/utf8"
)

var (
	errKeyPattern = errors.New("want a key, with a star at its ends only")
	errPhrase     = errors.New("want a phrase that says something")
)

// Digester turns captured content into fingerprints. It does not change after
// NewDigester and is safe for concurrent use.
//
// Guaranteed: a JSON text and the Go value it decodes to (numbers kept as
// json.Number or exact) have the same fingerprint, and so have two texts that
// differ in key order, white space outside strings, escapes or the spelling of
// numbers. Exact fingerprints are equal if, and only if, Canonicalize writes
// the values alike (but for collisions of 64 bit hashes). Of object members
// with one name the last one counts, as in encoding/json. Text that is not
// JSON is the string that holds it. JSON inside of strings is not unwrapped.
// Cost is linear in the size of the text, whoever wrote it.
type Digester struct {
	lists *lists
	pool  sync.Pool // of *scanner
}

// NewDigester checks the lists and prepares them for look-up.
func NewDigester(s Sameness) (*Digester, error) {
	l, err := newLists(s)
	if err != nil {
		return nil, err
	}
	d := &Digester{lists: l}
	d.pool.New = func() any { return &scanner{builder: builder{lists: l}} }
	return d, nil
}

// Args fingerprints the arguments of a call: a JSON text, or plain text. If
// keys are given, only these members at the top count, and all of them do; if
// none of them is there, everything counts as usual.
func (d *Digester) Args(text string, keys ...string) Fingerprint {
	s := d.borrow()
	defer d.pool.Put(s)
	return s.shaped(s.read(text, purposeArgs, keys))
}

// ArgsValue is Args for a Go value. A Go string is plain text even if it holds
// JSON; wrap it in json.RawMessage if it is to be read.
func (d *Digester) ArgsValue(v any, keys ...string) Fingerprint {
	if _, ok := v.(unknown); ok {
		return Fingerprint{}
	}
	s := d.borrow()
	defer d.pool.Put(s)
	return s.shaped(s.digest(v, purposeArgs, keys))
}

// Result fingerprints what a call returned: a JSON text, or plain text.
func (d *Digester) Result(text string) Outcome {
	return d.resultOf(d.read(text, purposeResult))
}

// ResultValue is Result for a Go value.
func (d *Digester) ResultValue(v any) Outcome {
	if _, ok := v.(unknown); ok {
		return Outcome{}
	}
	return d.resultOf(d.walk(v, purposeResult))
}

// Error fingerprints the error of a call: a JSON text, or plain text.
func (d *Digester) Error(text string) Outcome {
	o := d.outcomeOf(d.read(text, purposeError))
	o.Failed = true
	return o
}

// ErrorValue is Error for a Go value; an error counts by its text.
func (d *Digester) ErrorValue(v any) Outcome {
	if _, ok := v.(unknown); ok {
		return Outcome{Failed: true}
	}
	o := d.outcomeOf(d.walk(v, purposeError))
	o.Failed = true
	return o
}

func (d *Digester) borrow() *scanner { return d.pool.Get().(*scanner) }

func (d *Digester) read(text string, p purpose) node {
	s := d.borrow()
	defer d.pool.Put(s)
	return s.read(text, p, nil)
}

func (d *Digester) walk(v any, p purpose) node {
	s := d.borrow()
	defer d.pool.Put(s)
	return s.digest(v, p, nil)
}

// read digests a text as JSON if it is, else as plain text.
func (s *scanner) read(text string, p purpose, keys []string) node {
	n, ok := s.scan(text, p, keys)
	if s.values > maxValues {
		// Only the walker knows what comes first in canonical order.
		if v, err := decodeJSON([]byte(text)); err == nil {
			return s.digest(v, p, keys)
		}
		ok = false
	}
	if ok {
		return n
	}
	s.begin(p)
	if !utf8.ValidString(text) {
		text = s.repair(text)
	}
	return s.text(text)
}

func (n node) fingerprint() Fingerprint {
	return Fingerprint{Exact: nonZero(n.exact), Normal: nonZero(n.normal), Strict: nonZero(n.strict), Varied: n.varied}
}

func (d *Digester) outcomeOf(n node) Outcome {
	return Outcome{
		Fingerprint: n.fingerprint(),
		Informative: int(n.size) >= d.lists.minChars && !n.trivial,
		InProgress:  n.progress || n.pending,
		Bare:        n.trivial,
		NoSuchTool:  n.noTool,
	}
}

// What is left of a result besides its masks, in characters of its values: less
// than sparse is little evidence, less than void none.
const (
	voidRest   = 10
	sparseRest = 32
)

// made are the parts of a result that name something which was made or found:
// if there is nothing else, another one is another result.
const made = variedUUID | variedHex | variedTempPath

// lapsed are those that only say when it was, or how long it took.
const lapsed = variedTime | variedEpoch | variedDuration

func (d *Digester) resultOf(n node) Outcome {
	o := d.outcomeOf(n)
	o.NoSuchTool = n.noTool && n.size <= maxPhrase
	switch {
	case n.varied&made != 0 && n.rest < voidRest:
		o.Normal = o.Strict
	case n.varied&(made|lapsed) != 0 && n.rest < sparseRest, n.varied&^(variedSpace|variedANSI) != 0 && n.rest == 0:
		o.Hollow = true
	}
	return o
}

// Text digests what a model said.
func (d *Digester) Text(text string) TextDigest {
	s := d.borrow()
	defer d.pool.Put(s)
	words := 0
	out := s.unquote[:0]
	for word := range strings.FieldsSeq(text) {
		if words++; words > 1 {
			out = append(out, ' ')
		}
		out = appendLower(out, word)
	}
	s.unquote = out
	t := TextDigest{Print: nonZero(hashText(view(out))), Words: words, Blank: words == 0}
	if len(text) >= 2*chantWords {
		t.Chant = s.chants.laps(text)
	}
	return t
}
