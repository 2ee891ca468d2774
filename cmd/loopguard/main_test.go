// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asCommand makes the test binary the command, for tests about signals.
const asCommand = "LOOPGUARD_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// result is what a command line leads to.
type result struct {
	code     int
	out, log string
}

func execute(t *testing.T, args ...string) result { return executeWith(t, "", args...) }

func executeWith(t *testing.T, in string, args ...string) result {
	var out, log bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(in), &out, &log)
	return result{code, out.String(), log.String()}
}

// write makes a file with this content.
func write(t *testing.T, name string, content []byte) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

func TestHelpHasExamples(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"scan", "--help"}, {"explain", "--help"}, {"replay", "--help"}} {
		r := execute(t, args...)
		assert.Zero(t, r.code)
		assert.Contains(t, r.out, "Examples:\n", args)
		assert.Contains(t, r.out, "loopguard "+strings.Join(args[:len(args)-1], ""), args)
	}
}

func TestVersion(t *testing.T) {
	r := execute(t, "version")
	assert.Zero(t, r.code)
	assert.Regexp(t, `^loopguard \S+ go1\.\d+`, r.out)
	assert.Equal(t, r, execute(t, "--version"))
}

func TestWrongArguments(t *testing.T) {
	traces := "../../testdata/traces"
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"unknown command", []string{"scam"}, `unknown command "scam"`},
		{"nothing to scan", []string{"scan"}, "nothing to scan: name a file or a directory of traces, or - for the standard input"},
		{"unknown flag", []string{"scan", "--colour", traces}, "unknown flag: --colour"},
		{"format", []string{"scan", "--format", "xml", traces}, `--format is "xml", must be one of: text, json, jsonl, otlp`},
		{"fail-on", []string{"scan", "--fail-on", "error", traces}, `--fail-on is "error", must be warn or stop`},
		{"coverage", []string{"scan", "--min-coverage", "none", traces}, `--min-coverage is "none", must be one of: full, no_results, no_arguments, names_only`},
		{"processor without a file", []string{"scan", "--processor", "loop_guard/a", traces}, "--processor chooses from the file that --config names"},
		{"memory", []string{"scan", "--max-memory", "1MiB", traces}, `--max-memory is "1MiB", must be at least 64MiB`},
		{"no memory", []string{"scan", "--max-memory", "lots", traces}, `--max-memory is "lots", must be at least 64MiB`},
		{"window", []string{"scan", "--window", "-1s", traces}, "--window is -1s, must not be negative"},
		{"output", []string{"scan", "--output", filepath.Join(traces, "none", "x"), traces}, "create output: "},
		{"no such code", []string{"explain", "NOPE"}, `"NOPE" is no code; the codes are: REPEATED_TOOL_CALL, `},
		{"rules", []string{"replay", "--rules", "x", "-"}, `--rules is "x", must be hindsight or live`},
		{"replay format", []string{"replay", "--format", "otlp", "-"}, `--format is "otlp", must be text or jsonl`},
		{"replay fail-on", []string{"replay", "--fail-on", "ok", "-"}, `--fail-on is "ok", must be warn or stop`},
		{"replay config", []string{"replay", "--rules", "live", "--config", "x", "-"}, "--config and --processor are for --rules hindsight only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := execute(t, tt.args...)
			assert.Equal(t, exitInput, r.code)
			assert.Contains(t, r.log, "loopguard: ")
			assert.Contains(t, r.log, tt.want)
		})
	}
}

func TestExplain(t *testing.T) {
	r := execute(t, "explain", "repeated-tool-call")
	assert.Zero(t, r.code)
	for _, want := range []string{"REPEATED_TOOL_CALL\n", "- Found: ", "repeated_tool_call: {threshold: ", "Notation. "} {
		assert.Contains(t, r.out, want)
	}
	for line := range strings.Lines(r.out) {
		assert.True(t, utf8.RuneCountInString(line) <= textWidth+1 || strings.HasPrefix(line, "    "), line)
	}
	all := execute(t, "explain")
	for code := range strings.FieldsSeq(all.out) {
		r := execute(t, "explain", code)
		assert.Zero(t, r.code, code)
		assert.Contains(t, r.out, "- Default: ", code)
	}
}

func TestBytes(t *testing.T) {
	for s, want := range map[string]int64{"12": 12, "3B": 3, "2kB": 2000, "1KiB": 1024, "5MB": 5e6, "1MiB": 1 << 20, "1GB": 1e9, "2 GiB": 2 << 30} {
		got, err := parseBytes(s)
		assert.NoError(t, err, s)
		assert.Equal(t, want, got, s)
	}
	for _, s := range []string{"", "MiB", "-1", "1.5GB", "9000000000GiB"} {
		_, err := parseBytes(s)
		assert.Error(t, err, s)
	}
}
