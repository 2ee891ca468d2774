// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	commandLine = regexp.MustCompile(`loopguard"? (scan|replay|explain|version)\b([^|#\n]*)`)
	longFlag    = regexp.MustCompile(`--([a-z][a-z-]+)`)
	yamlBlock   = regexp.MustCompile("(?s)```yaml\n(loop_guard:.*?)```")
)

func TestDocumentedCommandsExist(t *testing.T) {
	for _, path := range []string{"../../docs/scan.md", "../../README.md"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		commands := commandLine.FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, commands, path)
		for _, m := range commands {
			cmd, _, err := rootCommand().Find([]string{m[1]})
			require.NoError(t, err, m[0])
			for _, flag := range longFlag.FindAllStringSubmatch(m[2], -1) {
				assert.True(t, knows(cmd, flag[1]), m[0])
			}
		}
	}
}

func knows(cmd *cobra.Command, flag string) bool {
	return flag == "help" || cmd.Flags().Lookup(flag) != nil
}

func TestEveryFlagIsDocumentedOrPlain(t *testing.T) {
	page, err := os.ReadFile("../../docs/scan.md")
	require.NoError(t, err)
	for _, flag := range []string{"all", "config", "fail-on", "format", "max-memory", "min-coverage", "output", "processor", "strict", "why-not", "window"} {
		assert.Contains(t, string(page), "--"+flag)
	}
}

func TestDocumentedSettingsAreValid(t *testing.T) {
	page, err := os.ReadFile("../../docs/scan.md")
	require.NoError(t, err)
	blocks := yamlBlock.FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, blocks)
	for _, m := range blocks {
		config := configFlags{file: write(t, "config.yaml", []byte(strings.TrimSpace(m[1])))}
		_, err := config.load()
		assert.NoError(t, err, m[1])
	}
}
