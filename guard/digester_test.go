// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newDigester(t testing.TB) *Digester {
	t.Helper()
	d, err := NewDigester(Sameness{})
	require.NoError(t, err)
	return d
}

func TestTextThatIsNotJSONIsPlainText(t *testing.T) {
	d := newDigester(t)
	for _, text := range []string{
		"", "{", "[1,]", `{"a":1,}`, `{"a"}`, `{a:1}`, "nul", "01", "1.", "-", "1e", "+1", `"a`, `"\q"`, `"\u12"`, "\"\t\"", "1 2",
		"[1 2]", `{"a":1 "b":2}`, "\"\xff", "\xff", `{"a":tru}`, `["\`, `"\u`, `{1:2}`,
		strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), strings.Repeat("[", 70) + "nul" + strings.Repeat("]", 70),
		strings.Repeat("[", 70) + `{"a" 1}` + strings.Repeat("]", 70), strings.Repeat("[", 70) + "1 2" + strings.Repeat("]", 70),
		strings.Repeat("[", 70),
	} {
		require.False(t, json.Valid([]byte(text)), text)
		assert.Equal(t, FingerprintOf(text).Exact, d.Args(text).Exact, text)
	}
}

func TestBelowTheDepthLimitTextIsStillChecked(t *testing.T) {
	d := newDigester(t)
	deep := func(core string) string { return strings.Repeat("[", 70) + core + strings.Repeat("]", 70) }
	for _, core := range []string{`{"a":[1,-2.5e3],"b":null}`, `true,false,"x\n",{}`, "", `[10,[]]`} {
		assert.Equal(t, d.Args(deep("1")), d.Args(deep(core)), core)
	}
}

func TestDigestingDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool forget")
	}
	d := newDigester(t)
	m := NewMemo(d, 8)
	for name, f := range map[string]func(){
		"args":   func() { d.Args(argument1K) },
		"result": func() { d.Result(argument1K) },
		"error":  func() { d.Error("boom at 2026-11-03T10:00:05Z") },
		"text":   func() { d.Text("Let me write the document.") },
		"memo":   func() { m.Args(argument1K) },
	} {
		f()
		assert.Less(t, testing.AllocsPerRun(200, f), 0.5, name)
	}
}

func TestDigesterIsSafeForConcurrentUse(t *testing.T) {
	d := newDigester(t)
	want := d.Result(argument1K)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				assert.Equal(t, want, d.Result(argument1K))
			}
		})
	}
	wg.Wait()
}

// Time must grow with the length of a text alone, whoever wrote it.
func TestHostileTextCostsItsOwnSize(t *testing.T) {
	d := newDigester(t)
	for name, unit := range map[string]string{
		"open brackets": "[", "open objects": `{"a":`, "spaces": "          ", "escapes": "\x1b]", "slashes": "/tmp/",
		"digits": "1793700000 ", "hex": "8f3ab210-", "pid": "pid 1 ", "quotes": `"\u0041`, "hyphens": "deadbeef-",
	} {
		start := time.Now()
		d.Result(strings.Repeat(unit, 1<<20/len(unit)))
		assert.Less(t, time.Since(start), 3*time.Second, name)
	}
	start := time.Now()
	var b strings.Builder
	b.WriteString(`{"a":0`)
	for i := range 100_000 {
		b.WriteString(`,"k` + strings.Repeat("x", i%7) + `":1`)
	}
	d.Args(b.String() + "}")
	d.Args("1e" + strings.Repeat("9", 1<<20))
	assert.Less(t, time.Since(start), 3*time.Second, "members and exponents")
}

func TestMemoAnswersAsTheDigesterDoes(t *testing.T) {
	d := newDigester(t)
	m := NewMemo(d, 5)
	assert.Equal(t, 8*memoEntryBytes, m.Size())
	texts := []string{"", "ok", `{"a":1,"b":2}`, `{"a":2,"b":2}`, "running", argument1K}
	for range 3 {
		for _, text := range texts {
			assert.Equal(t, d.Args(text), m.Args(text))
			assert.Equal(t, d.Args(text, "b"), m.Args(text, "b"))
			assert.Equal(t, d.Args(text, "a", "b"), m.Args(text, "a", "b"))
			assert.Equal(t, d.Result(text), m.Result(text))
			assert.Equal(t, d.Error(text), m.Error(text))
		}
	}
}
