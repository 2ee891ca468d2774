// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package input

// raceEnabled says that the race detector watches, with which reading and judging
// take ten times as long; the tests that read all recordings then read fewer.
const raceEnabled = true
