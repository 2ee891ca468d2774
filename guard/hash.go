// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"math/bits"

	"github.com/zeebo/xxh3"
)

// Kinds of values. They keep 1, "1" and [1] apart.
const (
	tagText   = 0x9e3779b97f4a7c15
	tagNumber = 0xbf58476d1ce4e5b9
	tagBigInt = 0x94d049bb133111eb
	tagToken  = 0xd6e8feb86659fd93
	tagArray  = 0xa0761d6478bd642f
	tagObject = 0xe7037ed1a0b428db
	tagMap    = 0x8ebc6af09c88c6e3
)

// join hashes a pair. The order of the two matters.
func join(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x2d358dccaa6c78a5, b^0x8bb84b93962eacc9)
	return hi ^ lo
}

// nonZero keeps 0 free for "unknown".
func nonZero(h uint64) uint64 {
	if h == 0 {
		return 1
	}
	return h
}

func hashText(s string) uint64 { return join(xxh3.HashString(s), tagText) }

func hashToken(s string) uint64 { return join(xxh3.HashString(s), tagToken) }
