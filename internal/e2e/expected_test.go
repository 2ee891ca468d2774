// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// expectation is what must come out for one recording, see testdata/traces/README.md.
type expectation struct {
	Verdict      []string `json:"verdict"`
	Reasons      []string `json:"reasons"`
	OnsetStep    []int64  `json:"onset_step"`
	Calls        *int64   `json:"calls"`
	InputTokens  int64    `json:"input_tokens"`
	OutputTokens int64    `json:"output_tokens"`
	Spans        int      `json:"spans"`
	Traces       int      `json:"traces"`
	NotGrade     string   `json:"not_grade"`
}

type recorded struct {
	name string // such as ai7-otel/healthy.on
	*Recording
	want expectation
}

// recordings returns all recordings with what is expected of them. It fails if one has no expectation, or the other way round.
func recordings(t *testing.T) []recorded {
	t.Helper()
	want := expectations(t)
	paths, err := filepath.Glob(filepath.Join(root, "testdata", "traces", "*", "*.jsonl.gz"))
	require.NoError(t, err)
	var all []recorded
	for _, path := range paths {
		name := filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(filepath.Base(path), ".jsonl.gz")
		require.Contains(t, want, name, "no expectation for this recording")
		recording, err := ReadRecording(path)
		require.NoError(t, err)
		all = append(all, recorded{name: name, Recording: recording, want: want[name]})
	}
	require.Len(t, all, len(want), "a recording is missing")
	return all
}

func expectations(t *testing.T) map[string]expectation {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "testdata", "traces", "expected.json"))
	require.NoError(t, err)
	var bySDK map[string]struct {
		Files map[string]expectation `json:"files"`
	}
	require.NoError(t, json.Unmarshal(content, &bySDK))
	byName := map[string]expectation{}
	for sdk, part := range bySDK {
		for file, want := range part.Files {
			byName[sdk+"/"+file] = want
		}
	}
	return byName
}

func recording(t *testing.T, name string) recorded {
	t.Helper()
	for _, r := range recordings(t) {
		if r.name == name {
			return r
		}
	}
	require.Fail(t, "no such recording", name)
	return recorded{}
}
