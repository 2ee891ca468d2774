// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// record is one recorded run, a line of a data set.
type record struct {
	ID     string  `json:"id"`
	Labels labels  `json:"labels"`
	Steps  []entry `json:"steps"`
}

// labels are those of all data sets; each set has its own.
type labels struct {
	// MaxReward and TurnsMax: intercode.
	MaxReward float64 `json:"max_reward"`
	TurnsMax  int     `json:"turns_max"`
	// Group is CORRECT, INCORRECT or HALTED: reflexion_hotpot.
	Group string `json:"group"`
	// Reward: taubench.
	Reward float64 `json:"reward"`
}

// entry is one message or one tool call of a run, in time order. What is nil
// was not recorded.
type entry struct {
	Kind         string          `json:"kind"`
	Name         string          `json:"name"`
	Args         json.RawMessage `json:"args"`
	Result       *string         `json:"result"`
	Error        *string         `json:"error"`
	Text         *string         `json:"text"`
	FinishReason *string         `json:"finish_reason"`
}

// calls is the number of tool calls in the run.
func (r *record) calls() int {
	n := 0
	for _, e := range r.Steps {
		if e.Kind == kindTool {
			n++
		}
	}
	return n
}

// half is 0 for runs that thresholds may be tuned on, 1 for those that are
// reported: the lowest bit of the SHA-256 of the run's id.
func (r *record) half() int {
	sum := sha256.Sum256([]byte(r.ID))
	return int(sum[len(sum)-1] & 1)
}

// records reads the runs of a gzipped file with one JSON object a line.
func records(path string) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = f.Close() }()
		z, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			yield(nil, fmt.Errorf("%s: %w", path, err))
			return
		}
		decode(path, z, yield)
	}
}

func decode(path string, from io.Reader, yield func(*record, error) bool) {
	lines := json.NewDecoder(from)
	for n := 1; ; n++ {
		var r record
		switch err := lines.Decode(&r); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			yield(nil, fmt.Errorf("%s: run %d: %w", path, n, err))
			return
		case !yield(&r, nil):
			return
		}
	}
}
