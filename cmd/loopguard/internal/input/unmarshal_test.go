// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// recorded returns the lines of all recordings that are at hand: the full set,
// if it lies beside the checkout, has those of this repository, too.
func recorded(t testing.TB) [][]byte {
	var lines [][]byte
	dirs := []string{"../../../../../shared/traces", "../../../../testdata/traces"}
	if raceEnabled {
		dirs = dirs[1:]
	}
	for _, dir := range dirs {
		paths, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl.gz"))
		require.NoError(t, err)
		for _, path := range paths {
			lines = append(lines, linesOf(t, path)...)
		}
		if len(paths) > 0 {
			break
		}
	}
	require.NotEmpty(t, lines)
	return lines
}

func linesOf(t testing.TB, path string) [][]byte {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var b bytes.Buffer
	_, err = b.ReadFrom(z)
	require.NoError(t, err)
	return bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))
}

func byTheCollector(t testing.TB, line []byte) ptrace.Traces {
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
	require.NoError(t, err)
	return td
}

func protoOf(t testing.TB, td ptrace.Traces) []byte {
	b, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	return b
}

func TestRequestsAreReadAsTheCollectorReadsThem(t *testing.T) {
	for _, line := range recorded(t) {
		td, err := new(decoder).unmarshal(line)
		require.NoError(t, err)
		require.True(t, bytes.Equal(protoOf(t, byTheCollector(t, line)), protoOf(t, td)), "%.200s", line)
	}
}

func wrapped(value string) []byte {
	return []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"a","value":` + value + `}]}]}]}]}`)
}

func TestStringsAreReadAsTheCollectorReadsThem(t *testing.T) {
	tests := map[string]string{
		"plain":                  `{"stringValue":"abc"}`,
		"escapes":                `{"stringValue":"a\"b\\c\/d\b\f\n\r\t"}`,
		"ends with a backslash":  `{"stringValue":"a\\"}`,
		"unicode":                `{"stringValue":"\u00e4 \ud83d\ude00 ä"}`,
		"half a pair":            `{"stringValue":"\ud83d x"}`,
		"space":                  `{ "stringValue" : "a\nb" }`,
		"the mark itself":        "{\"stringValue\":\"\uffff0\"}",
		"the mark, escaped":      `{"stringValue":"\uffff0"}`,
		"JSON in a string":       `{"stringValue":"{\"stringValue\":\"a\\nb\"}"}`,
		"in a list":              `{"arrayValue":{"values":[{"stringValue":"a\"b"},{"intValue":"3"}]}}`,
		"in a map":               `{"kvlistValue":{"values":[{"key":"k","value":{"stringValue":"a\"b"}}]}}`,
		"a key that ends so":     `{"x\"stringValue":"a\nb","stringValue":"c"}`,
		"no string after it all": `{"stringValue":null}`,
	}
	for name, value := range tests {
		t.Run(name, func(t *testing.T) {
			td, err := new(decoder).unmarshal(wrapped(value))
			require.NoError(t, err)
			assert.Equal(t, protoOf(t, byTheCollector(t, wrapped(value))), protoOf(t, td))
		})
	}
}

func TestBrokenStringsAreErrors(t *testing.T) {
	for _, value := range []string{`{"stringValue":"\x"}`, `{"stringValue":"\u12"}`, `{"stringValue":"a\`, `{"stringValue":"\"`} {
		_, err := new(decoder).unmarshal(wrapped(value))
		assert.Error(t, err, value)
	}
}

func TestErrorsQuoteNoContent(t *testing.T) {
	_, err := new(decoder).unmarshal([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":{"secret":1}}]}]}]}`))
	assert.NotContains(t, err.Error(), "secret")
}

func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"stringValue":"a\"b\u0041"}`))
	f.Add([]byte(`{"arrayValue":{"values":[{"stringValue":"\uffff1"}]}}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		line := wrapped(string(value))
		want, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		got, ours := new(decoder).unmarshal(line)
		if err != nil || ours != nil || !complete(line) {
			return // They differ in which nonsense they accept.
		}
		assert.Equal(t, protoOf(t, want), protoOf(t, got))
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	lines := recorded(b)
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	var d decoder
	for b.Loop() {
		for _, line := range lines {
			if _, err := d.unmarshal(line); err != nil {
				b.Fatal(err)
			}
		}
	}
}
