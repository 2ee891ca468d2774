// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	loopguard "github.com/agentloopguard/loopguardprocessor"
	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/scan"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

// found collects the trace ids of runs with findings.
type found struct {
	runs  int
	loops []string
}

func (f *found) Run(_ string, r *runs.Run) error {
	f.runs++
	if r.Severity > runs.OK {
		f.loops = append(f.loops, r.Trace.String())
	}
	return nil
}

func (f *found) History(string, ptrace.Span, *runs.Crossing) error { return nil }
func (f *found) Spans(ptrace.Traces) error                         { return nil }
func (f *found) Bad(string, int, error)                            {}

func TestPlantedLoopsAreFoundAndNoOther(t *testing.T) {
	var out bytes.Buffer
	loops := filepath.Join(t.TempDir(), "loops")
	require.NoError(t, run("12MB", 7, loops, &out, io.Discard))
	planted, err := os.ReadFile(loops)
	require.NoError(t, err)

	f := new(found)
	s, err := scan.New(scan.Options{
		Config: loopguard.NewFactory().CreateDefaultConfig().(*loopguard.Config),
		Window: time.Minute, MaxMemory: 256 << 20, Output: f,
	})
	require.NoError(t, err)
	require.NoError(t, s.File("generated", &out))
	assert.NotEmpty(t, f.loops)
	assert.ElementsMatch(t, strings.Fields(string(planted)), f.loops)
	assert.Greater(t, f.runs, loopEvery)
}

func TestTheSameSeedGivesTheSameFile(t *testing.T) {
	var a, b bytes.Buffer
	require.NoError(t, run("300kB", 3, "", &a, io.Discard))
	require.NoError(t, run("300kB", 3, "", &b, io.Discard))
	assert.True(t, bytes.Equal(a.Bytes(), b.Bytes()))
}

func TestNoLoopsAreNoLine(t *testing.T) {
	loops := filepath.Join(t.TempDir(), "loops")
	require.NoError(t, run("1kB", 1, loops, io.Discard, io.Discard))
	planted, err := os.ReadFile(loops)
	require.NoError(t, err)
	assert.Empty(t, planted)
}

func TestSizesAreChecked(t *testing.T) {
	for _, size := range []string{"", "2", "-1GB", "2TB", "xMB"} {
		assert.ErrorContains(t, run(size, 1, "", io.Discard, io.Discard), "such as 2GB", size)
	}
}
