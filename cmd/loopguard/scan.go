// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/input"
	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/report"
	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/scan"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

// scanFlags are the flags of the scan command.
type scanFlags struct {
	config                              configFlags
	format, output, failOn, minCoverage string
	all, strict, whyNot                 bool
	window                              time.Duration
	maxMemory                           string
}

func scanCommand() *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan FILE|DIR|-...",
		Short: "Judge the runs in stored traces",
		Long: `Judge the runs in stored traces as the loop_guard processor would have.

A file is OTLP/JSON (one document, or a request a line) or OTLP protobuf, plain
or compressed with gzip or zstd; its content says which. - is the standard
input. In a directory, files that are no traces are skipped and counted.`,
		Example: `  # which runs of an export loop, and what that cost
  loopguard scan traces.jsonl.gz

  # fail a CI job if an agent's evaluation has a run that loops, if it has no
  # runs, or if they did not show enough to tell
  loopguard scan --strict --min-coverage full --fail-on stop traces/

  # all runs, for a script
  loopguard scan --format jsonl traces.jsonl | jq 'select(.verdict != "ok")'

  # tag stored traces, to import them again
  loopguard scan --format otlp --output tagged.jsonl traces.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("nothing to scan: name a file or a directory of traces, or - for the standard input; see loopguard scan --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", report.Formats[0], "what to write: "+strings.Join(report.Formats, ", "))
	flags.StringVarP(&f.output, "output", "o", "", "a file to write to instead of the standard output")
	flags.BoolVar(&f.all, "all", false, "show runs without findings in the table, too")
	f.config.add(cmd, "")
	flags.StringVar(&f.failOn, "fail-on", "", "exit with 1 if a run has this verdict or a worse one: warn, stop")
	flags.BoolVar(&f.whyNot, "why-not", false, "list what was nearly found in each run, and what kept it from being found (slower)")
	flags.BoolVar(&f.strict, "strict", false, "exit with 2 if a line cannot be read, or if there is no agent run at all")
	flags.StringVar(&f.minCoverage, "min-coverage", "", "exit with 2 if a run showed less than this: "+strings.Join(coverages(), ", "))
	flags.DurationVar(&f.window, "window", 10*time.Minute, "within how much of the spans' own time they may come in any order")
	flags.StringVar(&f.maxMemory, "max-memory", "256MiB", "how much memory to use, at least 64MiB")
	return cmd
}

func (f *scanFlags) run(cmd *cobra.Command, args []string) error {
	fail, err := f.severity()
	if err != nil {
		return err
	}
	least, err := f.coverage()
	if err != nil {
		return err
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	var in sources
	for _, arg := range args {
		in.find(arg)
	}
	if len(in.files) == 0 {
		return errors.Join(in.failed...)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(o.MaxMemory))
	summary, err := f.report(cmd, o, &in)
	if err != nil {
		return err
	}
	return f.judge(summary, fail, least)
}

// report judges all files and writes what was found.
func (f *scanFlags) report(cmd *cobra.Command, o scan.Options, in *sources) (*scan.Summary, error) {
	if f.output != "" && in.has(f.output) {
		return nil, fmt.Errorf("--output %s is one of the files to read", f.output)
	}
	out, err := openOutput(f.output, cmd.OutOrStdout())
	if err != nil {
		return nil, err
	}
	r, err := report.New(out, report.Options{
		Format: f.format, All: f.all, Files: len(in.files) > 1, Notes: cmd.ErrOrStderr(),
		Colour: f.output == "" && isTerminal(cmd.OutOrStdout()) && os.Getenv("NO_COLOR") == "",
	})
	if err != nil {
		return nil, errors.Join(err, out.discard())
	}
	o.Output = r
	summary, err := scanFiles(cmd, o, in)
	if summary == nil || summary.Files == 0 && summary.Spans == 0 && f.output != "" {
		return nil, errors.Join(err, out.discard())
	}
	return summary, errors.Join(err, r.Close(summary), out.finish())
}

// judge turns what was found into an error, if the flags ask for that.
func (f *scanFlags) judge(s *scan.Summary, fail runs.Severity, least runs.Coverage) error {
	if f.strict && s.BadLines > 0 {
		return fmt.Errorf("%d lines could not be read, and --strict allows none", s.BadLines)
	}
	if f.strict && s.Runs+s.Histories == 0 {
		return fmt.Errorf("no agent run among %d spans, and --strict wants one: is the agent instrumented, and had it sent its spans?", s.Spans)
	}
	if n := s.Below(least); n > 0 {
		return fmt.Errorf("%d of %d runs showed less than --min-coverage %s asks for: is content capture on?", n, s.Runs, least)
	}
	if fail != runs.None && s.Worst() >= fail {
		return errFound
	}
	return nil
}

func (f *scanFlags) severity() (runs.Severity, error) {
	switch f.failOn {
	case "":
		return runs.None, nil
	case "warn":
		return runs.Warn, nil
	case "stop":
		return runs.Stop, nil
	default:
		return runs.None, fmt.Errorf("--fail-on is %q, must be warn or stop", f.failOn)
	}
}

// coverages are what a run may have shown, from the best on.
func coverages() []string {
	var names []string
	for c := runs.CoverageFull; c > runs.CoverageNone; c-- {
		names = append(names, c.String())
	}
	return names
}

// coverage is how much every run has to show.
func (f *scanFlags) coverage() (runs.Coverage, error) {
	if f.minCoverage == "" {
		return runs.CoverageNone, nil
	}
	at := slices.Index(coverages(), f.minCoverage)
	if at < 0 {
		return 0, fmt.Errorf("--min-coverage is %q, must be one of: %s", f.minCoverage, strings.Join(coverages(), ", "))
	}
	return runs.CoverageFull - runs.Coverage(at), nil
}

const minMemory = 64 << 20

func (f *scanFlags) options() (scan.Options, error) {
	o := scan.Options{Window: f.window, KeepSpans: report.KeepsSpans(f.format), NearMisses: f.whyNot}
	if !report.Known(f.format) {
		return o, fmt.Errorf("--format is %q, must be one of: %s", f.format, strings.Join(report.Formats, ", "))
	}
	if f.whyNot && o.KeepSpans {
		return o, errors.New("--why-not has no place in spans, use another --format")
	}
	if f.window < 0 {
		return o, fmt.Errorf("--window is %v, must not be negative", f.window)
	}
	var err error
	if o.MaxMemory, err = parseBytes(f.maxMemory); err != nil || o.MaxMemory < minMemory {
		return o, fmt.Errorf("--max-memory is %q, must be at least 64MiB", f.maxMemory)
	}
	o.Config, err = f.config.load()
	return o, err
}

// scanFiles judges all files. A file that cannot be used does not keep it from
// the others.
func scanFiles(cmd *cobra.Command, o scan.Options, in *sources) (*scan.Summary, error) {
	s, err := scan.New(o)
	if err != nil {
		return nil, err
	}
	s.Summary.Skipped = in.skipped
	p := newProgress(cmd.ErrOrStderr(), in.size())
	defer p.end()
	failed := in.failed
	for _, f := range in.files {
		err := scanFile(cmd.Context(), s, f, cmd.InOrStdin(), p)
		switch {
		case err == nil:
			s.Summary.Files++
		case f.listed && errors.Is(err, input.ErrNoTraces):
			s.Summary.Skipped++
		default:
			failed = append(failed, fmt.Errorf("%s: %w", filepath.ToSlash(f.name), err))
		}
		if errors.Is(err, errInterrupted) {
			break
		}
	}
	if s.Summary.Files == 0 && len(failed) == 0 {
		failed = append(failed, errors.New("none of the files has traces"))
	}
	return &s.Summary, errors.Join(failed...)
}

func scanFile(ctx context.Context, s *scan.Scanner, f source, in io.Reader, p *progress) error {
	r, err := openInput(ctx, f.name, in)
	if err != nil {
		return err
	}
	defer r.Close()
	return s.File(filepath.ToSlash(f.name), io.TeeReader(r, p))
}
