// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assertSame checks that values are one to the canonical form and to the
// fingerprint alike.
func assertSame(t *testing.T, a, b any) {
	t.Helper()
	assert.Equal(t, Canonicalize(a), Canonicalize(b))
	assert.Equal(t, StableHash(a), StableHash(b))
	assert.Equal(t, FingerprintOf(a), FingerprintOf(b))
}

func assertDifferent(t *testing.T, values ...any) {
	t.Helper()
	forms, prints := map[string]int{}, map[uint64]int{}
	for i, v := range values {
		form, print := Canonicalize(v), FingerprintOf(v).Exact
		assert.NotContains(t, forms, form, "value %d is written like an earlier one", i)
		assert.NotContains(t, prints, print, "value %d has the fingerprint of an earlier one", i)
		forms[form], prints[print] = i, i
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func TestObjectKeysAreSorted(t *testing.T) {
	assertSame(t, raw(`{"b":1,"a":{"d":2,"c":3}}`), raw(`{"a":{"c":3,"d":2},"b":1}`))
	// RFC 8785, section 3.2.3: the order of UTF-16 code units, in which a
	// surrogate pair comes before U+FB33.
	assert.Equal(t, "{\"\":0,\"1\":1,\"é\":2,\"€\":3,\"😀\":4,\"\ufb33\":5}",
		Canonicalize(map[string]int{"\ufb33": 5, "😀": 4, "€": 3, "é": 2, "1": 1, "": 0}))
	assert.Equal(t, `{"😀":1,"😁":2}`, Canonicalize(map[string]int{"😁": 2, "😀": 1}))
}

func TestPropertiesWhoseValueIsUndefinedAreOmitted(t *testing.T) {
	type options struct {
		Query  string       `json:"q"`
		Hook   func()       `json:"hook"`
		Events chan int     `json:"events"`
		Secret string       `json:"-"`
		Page   int          `json:"page,omitempty"`
		After  time.Time    `json:"after,omitzero"`
		Extra  func() error `json:"extra"`
	}
	assertSame(t, options{Query: "x", Secret: "y", Hook: func() {}}, raw(`{"q":"x"}`))
	assertSame(t, map[string]any{"q": "x", "hook": func() {}}, raw(`{"q":"x"}`))
	assertSame(t, []any{func() {}, make(chan int)}, raw(`[null,null]`))
	assertDifferent(t, raw(`{"q":null}`), raw(`{}`))
}

func TestArrayOrderIsKept(t *testing.T) {
	assertDifferent(t, []int{1, 2}, []int{2, 1}, []int{1, 2, 2}, []any{[]int{1}, 2}, []any{1, []int{2}})
	assertSame(t, [2]int{1, 2}, []int64{1, 2})
}

func TestNaNInfinityAndBigintStayDistinctFromWhatPrintsAlike(t *testing.T) {
	assertDifferent(t, math.NaN(), math.Inf(1), math.Inf(-1), "NaN", "Infinity", "-Infinity",
		big.NewInt(10), 10, "10", "10n", nil, "null", true, "true", "[Circular:0]", "[Cut]")
	assertSame(t, math.NaN(), float32(math.NaN()))
	assertSame(t, big.NewInt(10), *big.NewInt(10))
	assert.Equal(t, "10n", Canonicalize(big.NewInt(10)))
}

func TestMinusZeroEqualsZero(t *testing.T) {
	for _, zero := range []any{math.Copysign(0, -1), 0.0, uint8(0), raw("-0"), raw("-0.0e7"), json.Number("0e400"), json.Number("")} {
		assertSame(t, 0, zero)
	}
}

func TestNumbersCompareByValue(t *testing.T) {
	for _, one := range []any{1, int8(1), 1.0, float32(1), raw("1.0"), raw("1e0"), raw("10e-1"), json.Number("0.1E+1")} {
		assertSame(t, uint64(1), one)
	}
	assertSame(t, 1e21, raw("1000000000000000000000"))
	assertSame(t, 0.1, raw("0.1000000000000000055"))
	assertSame(t, 0, raw("1e-400"))
	assertSame(t, raw("25e399"), raw("2.5e400"))
	assertDifferent(t, raw("9007199254740992"), raw("9007199254740993"), raw("1152921504606846977"),
		raw("1152921504606846978"), raw("-1152921504606846978"), raw("1e400"), raw("1e401"), raw("1e999999999"), 0.1, 0.2)
	assert.Equal(t, "123456789012345678901234567890", Canonicalize(raw("123456789012345678901234567890")))
	assert.Equal(t, "not a number", Canonicalize(json.Number("not a number"))[1:13])
}

func TestDatesAreWrittenAsISOStrings(t *testing.T) {
	at := time.Date(2026, 11, 3, 10, 0, 5, 0, time.UTC)
	assertSame(t, at, "2026-11-03T10:00:05Z")
	assertSame(t, at, at.In(time.FixedZone("CET", 3600)))
	assertSame(t, map[string]any{"t": &at}, raw(`{"t":"2026-11-03T10:00:05Z"}`))
}

func TestMapsAndSetsAreSortedByTheirEntries(t *testing.T) {
	a, b := map[any]any{1: "x", true: "y"}, map[any]any{true: "y", 1: "x"}
	assertSame(t, a, b)
	assert.Equal(t, `Map{1:"x",true:"y"}`, Canonicalize(a))
	assertDifferent(t, a, map[any]any{"1": "x", true: "y"}, map[string]any{"1": "x", "true": "y"})
	assertSame(t, map[string]struct{}{"b": {}, "a": {}}, map[string]struct{}{"a": {}, "b": {}})
	assertSame(t, map[any]any{"a": 1}, raw(`{"a":1}`))
	assertSame(t, map[int]string{2: "b", 10: "a"}, raw(`{"10":"a","2":"b"}`))
	assertSame(t, map[uint8]int{7: 1}, raw(`{"7":1}`))
	assertSame(t, map[netip.Addr]int{netip.MustParseAddr("::1"): 1}, raw(`{"::1":1}`))
	assertSame(t, map[float64]any{1.5: 1, 2: func() {}}, map[float64]any{1.5: 1})
}

type celsius float64

func (c celsius) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `{"c": %g}`, float64(c)), nil }

type pointerMarshaler struct{ name string }

func (p *pointerMarshaler) MarshalText() ([]byte, error) { return []byte(p.name), nil }

func TestObjectsThatWriteThemselvesAreWrittenByCallingThem(t *testing.T) {
	assertSame(t, celsius(21), raw(`{"c":21}`))
	assertSame(t, []any{netip.MustParseAddr("10.0.0.1")}, raw(`["10.0.0.1"]`))
	assertSame(t, &pointerMarshaler{"x"}, "x")
	assertSame(t, &struct{ P pointerMarshaler }{pointerMarshaler{"x"}}, raw(`{"P":"x"}`))
	assertSame(t, (*pointerMarshaler)(nil), nil)
	u, err := url.Parse("https://example.org/a?b=c")
	require.NoError(t, err)
	out, err := json.Marshal(u)
	require.NoError(t, err)
	assertSame(t, u, raw(string(out)))
	// In Go it is errors that hide what they say from encoding/json.
	assertSame(t, fmt.Errorf("call: %w", errors.New("no such file")), "call: no such file")
}

func TestReferenceBackToAnAncestorIsCircularWithItsDepth(t *testing.T) {
	m := map[string]any{}
	m["list"] = []any{1, m}
	assert.Equal(t, `{"list":[1,[Circular:0]]}`, Canonicalize(m))

	type node struct{ Next *node }
	n := &node{}
	n.Next = &node{Next: n}
	assert.Equal(t, `{"Next":{"Next":[Circular:0]}}`, Canonicalize(n))

	s := []any{nil}
	s[0] = s
	assert.Equal(t, `{"a":[[Circular:1]]}`, Canonicalize(map[string]any{"a": s}))

	type loop *loop
	var l loop
	l = &l
	assert.Equal(t, `[Circular:0]`, Canonicalize(l))

	twice := map[string]any{"x": 1}
	assertSame(t, []any{twice, twice}, raw(`[{"x":1},{"x":1}]`))
	assertSame(t, m, map[string]any{"list": []any{1, m}}["list"].([]any)[1])
}

func TestNestingDeeperThan64LevelsIsCutOffWithAMarker(t *testing.T) {
	deep := func(levels int, core string) json.RawMessage {
		return raw(strings.Repeat("[", levels) + core + strings.Repeat("]", levels))
	}
	assertDifferent(t, deep(64, "1"), deep(64, "2"), deep(65, "1"))
	assertSame(t, deep(65, "1"), deep(65, "2"))
	assertSame(t, deep(65, "1"), deep(900, "null"))
	assert.Equal(t, strings.Repeat("[", 64)+"[Depth]"+strings.Repeat("]", 64), Canonicalize(deep(65, "")))

	var chain any = 1
	for range 200 {
		held := chain
		chain = &held
	}
	assert.Equal(t, "[Depth]", Canonicalize(chain))
}

func TestMoreThan200000ValuesAreCutOffWithAMarker(t *testing.T) {
	long := func(n int, last string) json.RawMessage { return raw("[" + strings.Repeat("1,", n-1) + last + "]") }
	assertDifferent(t, long(199_999, "2"), long(199_999, "3"), long(200_000, "1"))
	assertSame(t, long(200_000, "1"), long(200_001, "2"))
	assert.True(t, strings.HasSuffix(Canonicalize(long(200_000, "1")), "1,1,[Cut]]"))

	d := newDigester(t)
	for _, n := range []int{199_999, 200_000, 250_000} {
		assert.Equal(t, FingerprintOf(long(n, "2")).Exact, d.Args(string(long(n, "2"))).Exact)
	}
	assert.Equal(t, FingerprintOf(string(long(250_000, "x"))).Exact, d.Args(string(long(250_000, "x"))).Exact)

	// What stands before the cut is a matter of the canonical order.
	wide := func(z string) json.RawMessage {
		return raw(`{"z":` + z + `,"a":` + string(long(200_000, "1")) + `}`)
	}
	assertSame(t, wide("1"), wide("2"))
}

type failing struct{ how func() error }

func (f failing) MarshalJSON() ([]byte, error) { return []byte(`{`), f.how() }

type panicky struct{}

func (panicky) Error() string { panic("no text") }

func TestWhatCannotBeReadEqualsNothing(t *testing.T) {
	unreadable := []any{
		failing{func() error { return errors.New("no") }}, failing{func() error { panic("no") }},
		failing{func() error { return nil }}, panicky{}, map[string]any{"a": Unknown},
		map[badKey]int{{}: 1},
	}
	for _, v := range unreadable {
		assert.NotEqual(t, Canonicalize(v), Canonicalize(v), "%T", v)
		assert.NotEqual(t, FingerprintOf(v), FingerprintOf(v), "%T", v)
		assert.True(t, FingerprintOf(v).Known(), "%T", v)
	}
	assert.False(t, FingerprintOf(Unknown).Known())
}

type badKey struct{}

func (badKey) MarshalText() ([]byte, error) { panic("no key") }

func TestFormsOver256CharactersCompareByLengthAndHash(t *testing.T) {
	body := strings.Repeat("sensor,ts,value\n", 400)
	assert.Len(t, StableHash(body), 28)
	assertDifferent(t, body+"a", body+"b", body)
	assertSame(t, body+"a", strings.Clone(body)+"a")
}

func TestStringStaysAString(t *testing.T) {
	assertDifferent(t, `{"a":1}`, raw(`{"a":1}`), `[]`, raw(`[]`))
	assertSame(t, raw(`"a\u0041\/"`), "aA/")
	assertSame(t, "a\xff\xfe", raw(`"a\ufffd\ud800"`))
	assertSame(t, raw(`{"a":`), `{"a":`)
	assertSame(t, json.RawMessage(nil), nil)
	assertSame(t, []byte("hi"), "aGk=")
	assert.Equal(t, `"\b\t\n\f\r\"\\\u001f/é"`, Canonicalize("\b\t\n\f\r\"\\\x1f/é"))
}

func TestOfMembersWithOneNameTheLastCounts(t *testing.T) {
	assertSame(t, raw(`{"a":1,"b":2,"a":3}`), raw(`{"b":2,"a":3}`))
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `"k%d":%d,`, i%50, i)
	}
	d := newDigester(t)
	text := "{" + strings.TrimSuffix(b.String(), ",") + "}"
	assert.Equal(t, FingerprintOf(raw(text)).Exact, d.Args(text).Exact)
	assert.NotEqual(t, d.Args(text), d.Args(strings.Replace(text, ":99", ":98", 1)))
	assertSame(t, map[string]int{"\xff": 1}, map[string]int{"\ufffd": 1})
}

func TestOddKindsOfValues(t *testing.T) {
	assert.Equal(t, "(1+2i)", Canonicalize(complex(1, 2)))
	assertSame(t, func() {}, nil)
	assertSame(t, []int(nil), nil)
	assertSame(t, map[string]int(nil), nil)
	assertSame(t, uintptr(7), 7)
	assertSame(t, time.Duration(5), 5)
}

// vector is one line of testdata/canonical.json.
type vector struct {
	About string          `json:"about"`
	Value json.RawMessage `json:"value"`
	Form  string          `json:"form,omitempty"`
	// Length in characters is given in place of a form of more than 256 characters.
	Length int    `json:"length,omitempty"`
	Hash   string `json:"hash"`
}

func TestVectors(t *testing.T) {
	file, err := os.ReadFile("testdata/canonical.json")
	require.NoError(t, err)
	var vectors []vector
	require.NoError(t, json.Unmarshal(file, &vectors))
	require.NotEmpty(t, vectors)
	for i, v := range vectors {
		form := Canonicalize(v.Value)
		want := vector{About: v.About, Value: v.Value, Form: form, Hash: StableHash(v.Value)}
		if n := len([]rune(form)); n > 256 {
			want.Form, want.Length = "", n
		}
		assert.Equal(t, want, v, "vector %d", i)
	}
}
