// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package runs

// raced says that the race detector is on: it makes tests ten times as slow.
const raced = true
