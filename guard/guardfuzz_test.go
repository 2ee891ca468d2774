// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fuzzSteps reads any bytes as a run: odd numbers, texts and values included.
func fuzzSteps(data []byte) []Step {
	var steps []Step
	for len(data) > 0 {
		head := data[0]
		data = data[1:]
		s := Step{Boundary: head&0x80 != 0, FinishReason: []string{"", "stop", "weird", "Tool_Calls"}[head>>4&3]}
		if head&0x40 != 0 && len(data) >= 8 {
			odd := math.Float64frombits(binary.LittleEndian.Uint64(data))
			s.Usage = Usage{InputTokens: odd, OutputTokens: -odd, TotalTokens: odd / 2, CostUSD: odd * 3}
			s.DurationMs, data = odd, data[8:]
		}
		for range head & 3 {
			if len(data) < 2 {
				break
			}
			s.Calls = append(s.Calls, fuzzCall(data[0], data[1]))
			data = data[2:]
		}
		if head&0x0c == 0 && len(data) > 3 {
			s.Text, data = string(data[:3]), data[3:]
		}
		steps = append(steps, s)
	}
	return steps
}

func fuzzCall(a, b byte) ToolCall {
	values := []any{
		nil, Unknown, "x", "done", 1, math.NaN(), json.RawMessage(`{"a":[1,2]}`), json.RawMessage(`{`),
		hostile{}, map[string]any{"page": a}, []any{nil}, long, func() {}, true, "running", map[string]any{},
	}
	c := ToolCall{Name: string(rune('a' + a&3)), Args: values[a>>4], Result: values[b&15]}
	if b&0xc0 == 0xc0 {
		c.Error = values[b>>2&15]
	}
	return c
}

// templates are guards to make fresh ones from, in a fixed order.
func templates(f *testing.F) []*Guard {
	var all []*Guard
	named := profiles()
	for _, name := range slices.Sorted(maps.Keys(named)) {
		all = append(all, mustNew(f, named[name]))
	}
	return all
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"", "\x01\x21\x22\x01\x21\x22\x01\x21\x22", "\x4100000000a1\x81b2\x0d", "\x02aabb\x02aabb\x02aabb"} {
		f.Add([]byte(seed))
	}
	all := templates(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			t.Skip("long runs say no more")
		}
		for _, g := range all {
			first, second := g.Fresh(), g.Fresh()
			for _, s := range fuzzSteps(data) {
				v := first.Check(s)
				_, err := json.Marshal(v)
				require.NoError(t, err)
				require.Equal(t, v, second.Check(s), "the same run has the same verdict")
			}
			first.End()
			_ = Explain(Verdict{Stop: first.Verdict().Severity == Stop}) + first.Report()
			saved, err := first.Snapshot()
			require.NoError(t, err)
			require.NoError(t, second.Restore(saved))
			assert.Equal(t, account(t, first), account(t, second))
		}
	})
}

func FuzzRestore(f *testing.F) {
	all := templates(f)
	for _, g := range all {
		g = g.Fresh()
		for _, s := range scene("a=x/b a=x U:a=x a=x a=x b=1 a=x b=1 a=x b=1") {
			g.Check(s)
		}
		data, err := g.Snapshot()
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, g := range all {
			g = g.Fresh()
			if g.Restore(data) != nil {
				assert.Zero(t, g.Summary().Steps, "nothing has changed")
				continue
			}
			for _, s := range scene("a=x b a=x b a=x b a=x U:a=x a=x a=x a=x") {
				g.Check(s)
			}
			g.Amend(StepDigest{})
			g.End()
			_ = g.Report()
		}
	})
}
