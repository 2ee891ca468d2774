// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"strings"
)

// Digester turns captured content into fingerprints. It is immutable and safe
// for concurrent use.
type Digester struct {
	minResultChars int
}

// NewDigester checks the lists and prepares them for look-up.
func NewDigester(s Sameness) (*Digester, error) {
	if s.MinResultChars == 0 {
		s.MinResultChars = 40
	}
	return &Digester{minResultChars: s.MinResultChars}, nil
}

func textValue(text string) any {
	if json.Valid([]byte(text)) {
		var v any
		_ = json.Unmarshal([]byte(text), &v)
		return v
	}
	return text
}

// Args fingerprints the arguments of a call.
func (d *Digester) Args(text string, keys ...string) Fingerprint {
	return d.ArgsValue(textValue(text), keys...)
}

// ArgsValue is Args for a Go value.
func (d *Digester) ArgsValue(v any, keys ...string) Fingerprint { return FingerprintOf(v) }

// Result fingerprints what a call returned.
func (d *Digester) Result(text string) Outcome { return d.ResultValue(textValue(text)) }

// ResultValue is Result for a Go value.
func (d *Digester) ResultValue(v any) Outcome {
	n := len(Canonicalize(v))
	f := FingerprintOf(v)
	return Outcome{Fingerprint: f, Informative: f.Known() && n >= d.minResultChars}
}

// Error fingerprints the error text of a call.
func (d *Digester) Error(text string) Outcome { return d.ErrorValue(text) }

// ErrorValue is Error for a Go value.
func (d *Digester) ErrorValue(v any) Outcome {
	return Outcome{Fingerprint: FingerprintOf(v), Failed: true}
}

// Text digests what a model said.
func (d *Digester) Text(text string) TextDigest {
	words := strings.Fields(strings.ToLower(text))
	return TextDigest{
		Print: hashString(strings.Join(words, " ")),
		Words: len(words),
		Blank: len(words) == 0,
	}
}
