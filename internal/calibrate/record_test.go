// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sampleDir packs the samples as the data sets are packed.
func sampleDir(t *testing.T) string {
	dir := t.TempDir()
	for _, d := range datasets {
		text, err := os.ReadFile(filepath.Join("testdata", d.Name+".jsonl"))
		require.NoError(t, err)
		pack(t, d.path(dir), text)
	}
	return dir
}

func pack(t *testing.T, path string, text []byte) {
	f, err := os.Create(path)
	require.NoError(t, err)
	z := gzip.NewWriter(f)
	_, err = z.Write(text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
}

// sample reads the runs of one data set by their ids.
func sample(t *testing.T, name string) map[string]*record {
	runs := map[string]*record{}
	for r, err := range records(filepath.Join(sampleDir(t), name+".jsonl.gz")) {
		require.NoError(t, err)
		runs[r.ID] = r
	}
	return runs
}

func TestClasses(t *testing.T) {
	tests := []struct {
		set  string
		want map[string]class
	}{
		{"intercode", map[string]class{"sql#1": positive, "sql#2": positive, "sql#3": solved, "bash#1": other}},
		{"reflexion_hotpot", map[string]class{"h#1": positive, "h#2": solved, "h#3": other}},
		{"taubench", map[string]class{"t#1": solved, "t#2": other}},
		{"whowhen", map[string]class{"w#1": other}},
	}
	for i, tt := range tests {
		t.Run(tt.set, func(t *testing.T) {
			got := map[string]class{}
			for id, r := range sample(t, tt.set) {
				got[id] = datasets[i].class(r)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestACapOfOneTurnIsNotPositive(t *testing.T) {
	r := sample(t, "intercode")["sql#1"]
	r.Labels.TurnsMax = 1
	assert.Equal(t, other, datasets[0].class(r))
}

func TestHalvesComeFromTheID(t *testing.T) {
	// As sha256sum writes them: d is 18ac…f8e4, e 3f79…6dea, f 252f…f111.
	assert.Equal(t, []int{0, 0, 1}, []int{(&record{ID: "d"}).half(), (&record{ID: "e"}).half(), (&record{ID: "f"}).half()})
}

func TestRecordsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	cut, plain := filepath.Join(dir, "cut.gz"), filepath.Join(dir, "plain.gz")
	pack(t, cut, []byte("{\"id\":\"a\"}\n{\"id\":"))
	require.NoError(t, os.WriteFile(plain, []byte("{}"), 0o600))
	tests := []struct{ name, path, want string }{
		{"a file that is cut", cut, "run 2"},
		{"a file that is not packed", plain, "plain.gz"},
		{"no file", filepath.Join(dir, "none.gz"), "none.gz"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var last error
			for _, err := range records(tt.path) {
				last = err
			}
			assert.ErrorContains(t, last, tt.want)
		})
	}
	for _, err := range records(tests[2].path) {
		assert.ErrorIs(t, err, fs.ErrNotExist)
	}
}
