// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// link makes a symbolic link, or skips the test where there are none.
func link(t *testing.T, target, path string) {
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
}

func TestLinksAreFollowedToFiles(t *testing.T) {
	outside := write(t, "traces.jsonl", unzip(t, looping))
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(sub, "a"), unzip(t, ours+"/strands/healthy.on.jsonl.gz"), 0o600))
	link(t, outside, filepath.Join(dir, "linked"))
	link(t, filepath.Join("sub", "a"), filepath.Join(dir, "again"))
	link(t, dir, filepath.Join(sub, "circle"))
	link(t, filepath.Dir(outside), filepath.Join(dir, "elsewhere"))
	link(t, "nowhere", filepath.Join(dir, "dangling"))
	toDir := filepath.Join(t.TempDir(), "link")
	link(t, dir, toDir)

	for _, root := range []string{dir, toDir, toDir + string(filepath.Separator)} {
		r := execute(t, "scan", "--all", root)
		assert.Zero(t, r.code, r.log)
		assert.Contains(t, r.out, "2 runs: 1 stop, 0 warn, 1 ok", "each file once")
		assert.Contains(t, r.out, "Skipped: 2 files without traces.", "those that lead elsewhere and nowhere")
		assert.Contains(t, r.out, filepath.ToSlash(filepath.Join(root, "linked")))
		assert.Contains(t, r.out, filepath.ToSlash(filepath.Join(root, "sub", "a")))
	}
}

func TestOneMissingFileDoesNotKeepTheOthers(t *testing.T) {
	empty := t.TempDir()
	r := execute(t, "scan", "nowhere", looping, empty)
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.out, "1 run: 1 stop")
	assert.Contains(t, r.log, "loopguard: stat nowhere: ")
	assert.Contains(t, r.log, "\nloopguard: "+empty+": the directory has no files\n")
}

func TestOneLockedDirectoryDoesNotKeepTheOthers(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "a")
	require.NoError(t, os.Mkdir(locked, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b"), unzip(t, looping), 0o600))
	require.NoError(t, os.Chmod(locked, 0))
	t.Cleanup(func() { assert.NoError(t, os.Chmod(locked, 0o700)) })
	if _, err := os.ReadDir(locked); err == nil {
		t.Skip("this user may read everything")
	}
	r := execute(t, "scan", dir)
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.out, "1 run: 1 stop")
	assert.Contains(t, r.log, "loopguard: list directory: open "+locked+": permission denied\n")
}

func TestOutputIsKeptIfNothingCouldBeRead(t *testing.T) {
	bad := write(t, "bad", []byte("no traces"))
	for _, format := range []string{"text", "json", "jsonl", "otlp"} {
		path := write(t, "out", []byte("what was there before, which is longer than what comes"))
		for _, args := range [][]string{{"nowhere"}, {bad}, {filepath.Dir(bad)}} {
			r := execute(t, append([]string{"scan", "--format", format, "--output", path}, args...)...)
			assert.Equal(t, exitInput, r.code)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Contains(t, string(text), "what was there before")
		}

		fresh := filepath.Join(t.TempDir(), "fresh")
		assert.Equal(t, exitInput, execute(t, "scan", "--format", format, "--output", fresh, bad).code)
		assert.NoFileExists(t, fresh)

		r := execute(t, "scan", "--format", format, "--output", path, looping, "nowhere")
		assert.Equal(t, exitInput, r.code)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, execute(t, "scan", "--format", format, looping).out, string(text))
	}
}

func TestOutputWithoutRunsIsEmpty(t *testing.T) {
	path := write(t, "out", []byte("before"))
	in := write(t, "in", []byte(`{"resourceSpans":[]}`+"\n"))
	assert.Zero(t, execute(t, "scan", "--format", "jsonl", "--output", path, in).code)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Empty(t, text)
}

func TestOutputMayBeADevice(t *testing.T) {
	assert.Zero(t, execute(t, "scan", "--output", os.DevNull, looping).code)
}
