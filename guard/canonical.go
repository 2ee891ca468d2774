// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"fmt"

	"github.com/zeebo/xxh3"
)

// Canonicalize writes a value in its canonical form.
func Canonicalize(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(b)
}

// StableHash hashes the canonical form of a value to 28 hex characters.
func StableHash(v any) string {
	h := xxh3.HashString128(Canonicalize(v))
	return fmt.Sprintf("%016x%012x", h.Hi, h.Lo>>16)
}
