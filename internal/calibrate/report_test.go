// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func calibrate(t *testing.T, dir string) string {
	var out bytes.Buffer
	file := filepath.Join(t.TempDir(), "report.md")
	require.NoError(t, run([]string{"-data", dir, "-date", "2026-01-02", "-o", file}, &out))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, out.String(), string(text))
	return out.String()
}

func TestReport(t *testing.T) {
	dir := sampleDir(t)
	text := calibrate(t, dir)
	assert.Contains(t, text, "on 2026-01-02;")
	assert.Contains(t, text, "| REPEATED_TOOL_CALL | confirmed | stop | 1/1 100.0 % [20.7, 100.0] |")
	assert.Equal(t, text, calibrate(t, dir), "the same data make the same report")
}

func TestTargets(t *testing.T) {
	half := func(hits, alone int) *tally {
		t := newTally(datasets[0])
		t.Runs = counts{other: 100, solved: 100, positive: 100}
		*t.Alarms[judgeStop] = counts{positive: hits, solved: 1}
		*t.Alarms[judgeInRow] = counts{positive: alone}
		return t
	}
	met := report{Sets: []set{{Tune: half(1, 1), Fresh: half(1, 1), Once: half(1, 1), Report: half(40, 20)}}}.Targets()
	assert.Contains(t, met, "| 1/100 1.0 % [0.2, 5.4] | yes |")
	assert.Contains(t, met, "| 2.00 times (40.0 % against 20.0 %) | yes | 1.00 times")
	assert.Contains(t, met, "| 40/41 97.6 % [87.4, 99.6] | yes | 1/2 50.0 %")
	missed := report{Sets: []set{{Tune: half(1, 1), Fresh: half(1, 1), Once: half(1, 1), Report: half(19, 10)}}}.Targets()
	assert.Contains(t, missed, "| 1.90 times (19.0 % against 10.0 %) | **no** |")
	assert.Contains(t, missed, "| 19/20 95.0 % [76.4, 99.1] | yes |")
}

func TestMeasure(t *testing.T) {
	sets, err := measure(sampleDir(t))
	require.NoError(t, err)
	runs := 0
	for _, s := range sets {
		runs += s.Tune.Runs.Sum() + s.Report.Runs.Sum()
	}
	assert.Equal(t, 10, runs)
	for _, s := range sets[:2] {
		assert.Equal(t, 1, s.Tune.Alarms[judgeStop].Sum()+s.Report.Alarms[judgeStop].Sum(), s.Name())
	}
	assert.Equal(t, 1, sets[0].Tune.Missed[nothingRepeats]+sets[0].Report.Missed[nothingRepeats], "sql#2")
}

func TestFreshRunsAreNotInTheTuneHalf(t *testing.T) {
	j, err := newJudges()
	require.NoError(t, err)
	dir := t.TempDir()
	// d is even, f, i and n are odd.
	pack(t, datasets[2].path(dir), []byte(`
		{"id":"d","labels":{"reward":1},"steps":[{"kind":"llm","name":"a","text":"x"}]}
		{"id":"f","labels":{"reward":1},"steps":[{"kind":"llm","name":"a","text":"x"}]}
		{"id":"i","labels":{"reward":1},"steps":[{"kind":"llm","name":"a","text":"y"}]}
		{"id":"n","labels":{"reward":1},"steps":[{"kind":"llm","name":"a","text":"y"}]}`))
	s, err := j.measureSet(datasets[2], dir)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 3, 1, 2}, []int{s.Tune.Runs.Sum(), s.Report.Runs.Sum(), s.Fresh.Runs.Sum(), s.Once.Runs.Sum()})
}

func TestFaults(t *testing.T) {
	missing := t.TempDir() + "/none"
	assert.ErrorContains(t, run([]string{"-data", missing}, io.Discard), "no data sets (-data names their directory)")
	err := run([]string{"-data", t.TempDir()}, io.Discard)
	assert.ErrorContains(t, err, "data set intercode")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.Error(t, run([]string{"-what"}, io.Discard))
	assert.ErrorContains(t, run([]string{"-data", sampleDir(t)}, full{}), "disk full")
	assert.ErrorIs(t, run([]string{"-data", sampleDir(t), "-o", missing + "/x"}, io.Discard), fs.ErrNotExist)
	assert.ErrorContains(t, write(io.Discard, report{}), "no data set")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }
