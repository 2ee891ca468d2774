// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

var fuzzSeeds = []string{
	``, ` `, `null`, `{}`, `[]`, `{"a":1,"a":2}`, `{"b":[1,2.50,-0,1e400,1e-400],"a":"\ud83d\ude00\ud800"}`,
	`"\u0000\u001b[31m"`, `10e99999999999999999999`, "\"\xff\"", `{"\ud800":1,"\udfff":2}`, `1E+2`, `-0.0`, `9007199254740993`,
	`0.30000000000000004`, `1.5e400`, `123456789012345678901.5`, `{"description":"x","page":1}`, `[[[[]]]]`, `{"a":1}x`, `01`, `"\x"`,
}

// FuzzScanner compares the scanner with encoding/json: what is valid, and what
// it means.
func FuzzScanner(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	d, err := NewDigester(Sameness{})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		args := d.Args(text)
		require.Equal(t, args, d.Args(text), "not deterministic")
		if !json.Valid([]byte(text)) {
			require.Equal(t, FingerprintOf(text).Exact, args.Exact, "no JSON: plain text")
			return
		}
		v, err := decodeJSON([]byte(text))
		require.NoError(t, err)
		require.Equal(t, FingerprintOf(v).Exact, args.Exact)
		require.Equal(t, args, d.ArgsValue(v))
		require.Equal(t, d.Result(text), d.ResultValue(v))
		require.Equal(t, d.Error(text), d.ErrorValue(v))
		require.Equal(t, args, d.ArgsValue(json.RawMessage(text)))
	})
}

// FuzzCanonicalize checks that the canonical form of JSON is stable and that
// it is JSON of the same value again.
func FuzzCanonicalize(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw := json.RawMessage(text)
		form := Canonicalize(raw)
		require.Equal(t, form, Canonicalize(raw), "not deterministic")
		require.Equal(t, StableHash(raw), StableHash(raw))
		require.NotEmpty(t, Canonicalize(text))
		if !json.Valid(raw) || !json.Valid([]byte(form)) { // marks are no JSON
			return
		}
		require.Equal(t, form, Canonicalize(json.RawMessage(form)))
		require.Equal(t, FingerprintOf(raw), FingerprintOf(json.RawMessage(form)))
	})
}
