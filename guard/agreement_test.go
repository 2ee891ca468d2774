// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// randomValue draws from a small world, so that equal values turn up.
func randomValue(r *rand.Rand, depth int) any {
	n := 9
	if depth == 0 {
		n = 6
	}
	switch r.IntN(n) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return json.Number(strconv.Itoa(r.IntN(3)) + []string{"", ".0", "e0", ".5", "e1"}[r.IntN(5)])
	case 3:
		return float64(r.IntN(5)) / 2
	case 4, 5:
		return []string{"", "a", "1", "null", "é\"\n", "2026-11-03T10:00:05Z", "550e8400-e29b-41d4-a716-446655440000"}[r.IntN(7)]
	case 6:
		list := make([]any, r.IntN(3))
		for i := range list {
			list[i] = randomValue(r, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for range r.IntN(4) {
		object[[]string{"a", "b", "request_id", "description", "page"}[r.IntN(5)]] = randomValue(r, depth-1)
	}
	return object
}

func TestFingerprintsAreEqualWhereCanonicalFormsAre(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	forms := map[uint64]string{}
	prints := map[string]uint64{}
	for range 20_000 {
		v := randomValue(r, 3)
		form, print := Canonicalize(v), FingerprintOf(v).Exact
		if other, ok := forms[print]; ok {
			require.Equal(t, other, form)
		}
		if other, ok := prints[form]; ok {
			require.Equal(t, other, print, form)
		}
		forms[print], prints[form] = form, print
	}
	require.Less(t, len(prints), 19_000, "nothing came twice")
}

// respelled writes a value as JSON with other key order, white space, escapes
// and number forms.
func respelled(r *rand.Rand, b *strings.Builder, v any) {
	gap := func() { b.WriteString([]string{"", "", " ", "\n\t"}[r.IntN(4)]) }
	gap()
	defer gap()
	switch x := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		first := true
		for k, value := range x { // in Go's random order
			if !first {
				b.WriteByte(',')
			}
			first = false
			respelled(r, b, k)
			b.WriteByte(':')
			respelled(r, b, value)
		}
		gap()
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, value := range x {
			if i > 0 {
				b.WriteByte(',')
			}
			respelled(r, b, value)
		}
		gap()
		b.WriteByte(']')
	case string:
		b.WriteByte('"')
		for _, c := range x {
			if c < 0x20 || c == '"' || c < 0x10000 && r.IntN(4) == 0 {
				fmt.Fprintf(b, `\u%04x`, c)
			} else {
				b.WriteRune(c)
			}
		}
		b.WriteByte('"')
	case float64:
		fmt.Fprintf(b, []string{"%g", "%e", "%f"}[r.IntN(3)], x)
	default:
		out, _ := json.Marshal(x)
		b.Write(out)
	}
}

func TestSpellingOfJSONChangesNothing(t *testing.T) {
	d := newDigester(t)
	r := rand.New(rand.NewPCG(3, 4))
	for range 5_000 {
		v := randomValue(r, 3)
		var b strings.Builder
		respelled(r, &b, v)
		text := b.String()
		require.Equal(t, d.ArgsValue(v), d.Args(text), text)
		require.Equal(t, d.ResultValue(v), d.Result(text), text)
		require.Equal(t, d.ErrorValue(v), d.Error(text), text)
		require.Equal(t, FingerprintOf(v).Exact, d.Args(text).Exact, text)
	}
}

func TestStructsAreWhatEncodingJSONMakesOfThem(t *testing.T) {
	type base struct {
		ID   int    `json:"id"`
		Name string `json:"name,omitempty"`
		Same string
	}
	type Other struct {
		Same   string
		Tagged string `json:"tagged"`
		Clash  int
	}
	type Third struct{ Clash int }
	type Recursive struct {
		*Recursive
		Own int
	}
	seven := 7
	oddTags := reflect.StructOf([]reflect.StructField{
		{Name: "Dash", Type: reflect.TypeFor[int](), Tag: `json:"-,"`},
		{Name: "Bad", Type: reflect.TypeFor[int](), Tag: `json:"a\"b"`},
	})
	values := []any{
		reflect.New(oddTags).Elem().Interface(),
		struct {
			base
			*Other
			Third
			Name   string
			hidden int
			Tagged bool            `json:"tagged"`
			Int    int             `json:",string"`
			Ptr    *int            `json:"ptr,string"`
			Text   string          `json:",string"`
			List   []int           `json:",omitempty"`
			Map    map[string]int  `json:"map,omitempty"`
			Zero   struct{ A int } `json:"zero,omitzero"`
			Inner  struct{ A int } `json:",omitempty"`
			Bytes  []byte
			Any    any
		}{base: base{ID: 1, Same: "b"}, Other: &Other{Same: "o", Tagged: "t"}, Name: "n", hidden: 1, Ptr: &seven, Text: "x", Bytes: []byte("hi")},
		struct {
			*Other
			Third `json:"third"`
			Ptr   *int    `json:",string,omitempty"`
			F     float32 `json:"f,omitempty"`
			B     bool    `json:"b,omitempty"`
		}{F: 0.1},
		Recursive{Recursive: &Recursive{Own: 2}, Own: 1},
		struct {
			base `json:"base,omitzero"`
			X    [2]bool
		}{base: base{ID: 1}},
		struct {
			At  time.Time  `json:"at,omitzero"`
			Ptr *time.Time `json:"ptr,omitzero"`
		}{},
	}
	for _, v := range values {
		out, err := json.Marshal(v)
		require.NoError(t, err)
		require.Equal(t, Canonicalize(json.RawMessage(out)), Canonicalize(v))
		require.Equal(t, FingerprintOf(json.RawMessage(out)), FingerprintOf(v))
	}
}
