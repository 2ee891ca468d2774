// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sample = ` {"a":1,"b":[true,null,{"c":"x\"y\\"}],"d":-1.5e+3,"é":"\u00e9\ud83d\ude00","e":{},"f":[]} `

func TestCheckTellsCutFromNot(t *testing.T) {
	tests := map[string]State{
		sample: Whole, `""`: Whole, `0`: Whole, `-0.1E5`: Whole, `[[],{}]`: Whole, "null": Whole,
		``: Not, `  `: Not, `abc`: Not, `{'a': 1}`: Not, `[INFO] done`: Not, `{"a":1} {"b":2}`: Not,
		`{"a" 1}`: Not, `[1 2]`: Not, `{"a":1]`: Not, `tru`: Cut, `nul`: Cut, `nope`: Not, `1.`: Cut, `-`: Cut,
		`1.x`: Not, `2026-11-30`: Not, `{"a":1,}`: Not, `"Hello" he said`: Not, `{"a":1...`: Not,
		`"abc`: Cut, `{`: Cut, `[`: Cut, `{"a`: Cut, `{"a"`: Cut, `{"a":`: Cut, `{"a":1`: Cut, `{"a":1,`: Cut, `[1,`: Cut, `{"a":"x\"`: Cut,
	}
	for text, want := range tests {
		assert.Equal(t, want, Check(text), text)
	}
	assert.Equal(t, Not, Check(strings.Repeat("[", maxDepth+1)))
	assert.Equal(t, Cut, Check(strings.Repeat("[", maxDepth)))
}

func TestEveryPrefixOfJSONIsCut(t *testing.T) {
	whole := strings.TrimSpace(sample)
	for i := 1; i < len(whole); i++ {
		assert.Equal(t, Cut, Check(whole[:i]), whole[:i])
	}
}

func TestMembersAndElements(t *testing.T) {
	got := map[string]string{}
	for c := Members(sample); c.Next(); {
		require.True(t, c.Complete())
		got[c.Key()] = c.Value()
	}
	assert.Equal(t, map[string]string{"a": "1", "b": `[true,null,{"c":"x\"y\\"}]`, "d": "-1.5e+3", "é": `"\u00e9\ud83d\ude00"`, "e": "{}", "f": "[]"}, got)

	var list []string
	for c := Elements(Get(sample, "b")); c.Next(); {
		list = append(list, c.Value())
	}
	assert.Equal(t, []string{"true", "null", `{"c":"x\"y\\"}`}, list)
	assert.Empty(t, Get(sample, "z"))
	for _, other := range []string{"", "7", `"{}"`} {
		c := Members(other)
		assert.False(t, c.Next(), other)
	}
}

func TestCutTextYieldsWhatThereIs(t *testing.T) {
	c := Members(`{"id":"x","args":{"q":"ab`)
	require.True(t, c.Next())
	assert.True(t, c.Complete())
	require.True(t, c.Next())
	assert.Equal(t, `{"q":"ab`, c.Value())
	assert.False(t, c.Complete())
	assert.False(t, c.Next())
}

func TestClosed(t *testing.T) {
	for text, want := range map[string]bool{sample: true, "[]": true, `{"a":"}"`: false, `[1] x`: false, `"a"`: false, "": false, "[INFO] x": false} {
		assert.Equal(t, want, Closed(text), text)
	}
}

func TestUnquote(t *testing.T) {
	for in, want := range map[string]string{
		`"plain"`: "plain", ` "a\n\t\r\b\f\/\"\\" `: "a\n\t\r\b\f/\"\\", `"\u00e9\ud83d\ude00"`: "é😀",
		`"\ud83d x"`: "\uFFFD x", `"\u12"`: "\uFFFD12", `"cut`: "cut", `"`: "", `12`: "12", `"a\`: `a\`, `""`: "",
	} {
		assert.Equal(t, want, Unquote(in), in)
	}
}

func TestKind(t *testing.T) {
	assert.Equal(t, byte('{'), Kind(sample))
	assert.Zero(t, Kind(" "))
	assert.True(t, IsNull(" null "))
}

func FuzzAgreesWithTheStandardDecoder(f *testing.F) {
	for _, s := range []string{sample, `{"a":`, `[1,2`, `"\u12"`, `{"a":1}x`, `01`, `[-]`, "\"\x01\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if json.Valid([]byte(s)) {
			// Ours is laxer (control characters, leading zeros, escapes), never stricter.
			require.Equal(t, Whole, Check(s))
			if Kind(s) == '"' && utf8.ValidString(s) {
				var want string
				require.NoError(t, json.Unmarshal([]byte(s), &want))
				require.Equal(t, want, Unquote(s))
			}
		}
		for c := Members(s); c.Next(); {
			_ = c.Key()
		}
		for c := Elements(s); c.Next(); {
			_ = Unquote(c.Value())
		}
	})
}
