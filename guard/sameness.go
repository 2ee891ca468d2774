// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// Sameness holds the lists that decide when two values count as the same.
// A nil list stands for the default in words.go, an empty one for none.
type Sameness struct {
	CommentaryKeys   []string
	VolatileKeys     []string
	ResultKeys       []string
	Acknowledgements []string
	InProgress       []string
	// MinResultChars is the length from which a result is informative;
	// 0 stands for the default, 40.
	MinResultChars int
}
