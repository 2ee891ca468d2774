// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Demo starts a collector, sends it the recorded trace of an agent that loops and of one that does not, and prints the verdicts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/term"

	"github.com/agentloopguard/loopguardprocessor/internal/e2e"
)

// samples are the recorded runs that the demo sends, below testdata/traces.
var samples = []sample{
	{title: "an agent that calls one tool again and again", file: "ai7-otel/repeat6.on.jsonl.gz"},
	{title: "an agent that does its work", file: "ai7-otel/healthy.on.jsonl.gz"},
}

type sample struct{ title, file string }

func main() {
	collector := flag.String("collector", "", "path of the collector `binary`")
	root := flag.String("root", ".", "the repository's root `directory`")
	flag.Parse()

	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	colour := term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == ""
	if err := demo(ctx, *collector, *root, report{out: os.Stdout, colour: colour}); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		cancel()
		os.Exit(1)
	}
}

func demo(ctx context.Context, binary, root string, r report) (err error) {
	dir, err := os.MkdirTemp("", "loopguard-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	recordings, err := read(root)
	if err != nil {
		return err
	}
	collector, err := e2e.Start(ctx, binary, filepath.Join(root, "examples", "quickstart", "config.yaml"), dir)
	if err != nil {
		return err
	}
	r.line("Started a collector with examples/quickstart/config.yaml, sending it two recorded agent runs over OTLP/HTTP.")
	err = send(ctx, collector, recordings)
	// Shut down in any case: what the file exporter has buffered is written then.
	if err = errors.Join(err, collector.Stop()); err != nil {
		return err
	}
	output, err := e2e.ReadOutput(collector.Output)
	if err != nil {
		return err
	}
	for i, recording := range recordings {
		if err := r.sample(samples[i], output.Spans(recording.Traces()...)); err != nil {
			return fmt.Errorf("%w\nthe end of the collector's log:\n%s", err, collector.Log())
		}
	}
	return nil
}

func read(root string) ([]*e2e.Recording, error) {
	var recordings []*e2e.Recording
	for _, s := range samples {
		recording, err := e2e.ReadRecording(filepath.Join(root, "testdata", "traces", filepath.FromSlash(s.file)))
		if err != nil {
			return nil, err
		}
		recordings = append(recordings, recording)
	}
	return recordings, nil
}

func send(ctx context.Context, collector *e2e.Collector, recordings []*e2e.Recording) error {
	for _, recording := range recordings {
		if err := recording.SendHTTP(ctx, collector.HTTP); err != nil {
			return err
		}
	}
	return nil
}
