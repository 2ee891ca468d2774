// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// DefaultNoOpTools are tools that only take a note: repeating them is no loop.
var DefaultNoOpTools = []string{"think", "TodoWrite"}
