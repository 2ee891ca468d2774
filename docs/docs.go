// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package docs holds the pages that programs show, so that there is one text.
package docs

import _ "embed" // for Detection

// Detection is detection.md: every code with its meaning, an example, its
// default and how to tune it.
//
//go:embed detection.md
var Detection string
