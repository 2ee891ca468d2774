// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "github.com/zeebo/xxh3"

// nonZero keeps 0 free for "unknown".
func nonZero(h uint64) uint64 {
	if h == 0 {
		return 1
	}
	return h
}

func hashString(s string) uint64 { return nonZero(xxh3.HashString(s)) }
