// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFormsOfHugeNumbersAreShort(t *testing.T) {
	raw := json.RawMessage("[" + strings.Repeat("1e399,", 100_000) + "1]")
	assert.Less(t, len(Canonicalize(raw)), 2*len(raw))
	for _, lit := range []string{"1e40", "1e41", "1e399", "12e+38"} {
		n := json.Number(lit)
		assert.Less(t, len(Canonicalize(n)), 50, lit)
		assert.Equal(t, FingerprintOf(n), FingerprintOf(json.RawMessage(lit)))
	}
	assert.Equal(t, Canonicalize(json.Number("1"+strings.Repeat("0", 300))), Canonicalize(1e300))
}

// A preview is the beginning of the canonical form, and costs no more.
func TestArgsPreview(t *testing.T) {
	many := make([]any, 100_000)
	for i := range many {
		many[i] = map[string]any{"é": strings.Repeat("ü", i%200)}
	}
	for name, args := range map[string]any{
		"empty": map[string]any{}, "short": map[string]any{"q": "x"}, "text": strings.Repeat("ü\n", 1e6),
		"broken text": strings.Repeat("ü\xff", 1e6), "list": many, "numbers": json.RawMessage("[" + strings.Repeat("1e399,", 1000) + "1]"),
		"key": map[string]any{strings.Repeat("é", 100): 1},
	} {
		assert.Equal(t, clip(Canonicalize(args)), argsPreview(args), name)
	}
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { argsPreview(many) }), 100.0)
	assert.Equal(t, "a bé c", textPreview(" A\t\nBÉ  c "))
	long := strings.Repeat("Wörd ", 1000)
	assert.Equal(t, clip(strings.ToLower(strings.TrimSpace(long))), textPreview(long))
}
