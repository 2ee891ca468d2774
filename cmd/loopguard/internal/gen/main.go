// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Command gen writes OTLP/JSON lines with agent runs of which every hundredth
// loops, for measuring how fast and in how much memory they are scanned:
//
//	go run ./cmd/loopguard/internal/gen -size 2GB -loops loops.txt > traces.jsonl
//
// The same seed gives the same file.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

func main() {
	size := flag.String("size", "100MB", "how much to write: a number with kB, MB or GB")
	seed := flag.Uint64("seed", 1, "what the runs are drawn from")
	loops := flag.String("loops", "", "a file for the trace ids of the runs that loop")
	flag.Parse()
	if err := run(*size, *seed, *loops, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(size string, seed uint64, loops string, out, log io.Writer) error {
	n, err := parseSize(size)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 1<<20)
	g := newGenerator(seed)
	planted, err := g.write(w, n)
	if err != nil {
		return fmt.Errorf("write traces: %w", err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write traces: %w", err)
	}
	fmt.Fprintf(log, "%d runs, %d of them loop\n", g.runs, len(planted))
	if loops == "" {
		return nil
	}
	var ids strings.Builder
	for _, id := range planted {
		ids.WriteString(id + "\n")
	}
	if err := os.WriteFile(loops, []byte(ids.String()), 0o644); err != nil {
		return fmt.Errorf("write trace ids: %w", err)
	}
	return nil
}

func parseSize(s string) (int64, error) {
	for unit, factor := range map[string]int64{"kB": 1e3, "MB": 1e6, "GB": 1e9} {
		if number, ok := strings.CutSuffix(s, unit); ok {
			n, err := strconv.ParseInt(number, 10, 32)
			if err == nil && n > 0 {
				return n * factor, nil
			}
		}
	}
	return 0, fmt.Errorf("size %q: give a number with kB, MB or GB, such as 2GB", s)
}
