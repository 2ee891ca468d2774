// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../.."

func TestEndToEndDemo(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	collector := os.Getenv("LOOPGUARD_COLLECTOR")
	if collector == "" {
		collector = filepath.Join(root, "_build", "otelcol-loopguard")
	}
	require.FileExists(t, collector, "the end-to-end tests need a collector: make build")

	var out strings.Builder
	require.NoError(t, demo(t.Context(), collector, root, report{out: &out}))
	looping, healthy, found := strings.Cut(out.String(), "healthy.on.jsonl.gz")
	require.True(t, found, out.String())
	assert.Contains(t, looping, "verdict  stop REPEATED_TOOL_CALL (confirmed)")
	assert.Contains(t, looping, "stop at  step 2, counting from 0: execute_tool search")
	assert.Contains(t, looping, "waste    3 steps, 3 tool calls, ")
	assert.Contains(t, healthy, "agent    main-agent\n  verdict  ok\n")
	assert.NotContains(t, healthy, "waste")

	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left, "nothing is left behind")
}

func TestDemoLeavesNothingBehindWhenItFails(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	err := demo(t.Context(), "no-such-collector", root, report{out: &strings.Builder{}})
	require.ErrorContains(t, err, "no-such-collector")
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left)
}
