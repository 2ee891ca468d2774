// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/replay"
	"github.com/agentloopguard/loopguardprocessor/guard"
)

// replayFlags are the flags of the replay command.
type replayFlags struct {
	config                configFlags
	rules, format, failOn string
}

func replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay STEPS.jsonl|-",
		Short: "Judge plain guard steps, without any OpenTelemetry",
		Long: `Judge plain guard steps, without any OpenTelemetry.

A line is one step, a JSON object:

  {"toolCalls": [{"name": "search", "args": {"q": "x"}, "result": "nothing"}],
   "text": "", "finishReason": "tool-calls",
   "usage": {"inputTokens": 100, "outputTokens": 10, "costUsd": 0.01}, "durationMs": 900}

Every key is optional, and may be in snake case; other keys are errors.

  toolCalls     name, args, result: any JSON; error: the text of a call that
                failed, in place of its result; start, end
  text          what the model said
  finishReason  why it ended, in the spelling of any provider
  usage         inputTokens, outputTokens, totalTokens, costUsd, and pricedUsd,
                the part of the cost that comes from a price list
  durationMs    how long the step took, in milliseconds
  start, end    when, in milliseconds since 1970 or as RFC 3339
  boundary      true: a message of the user opened the step
  run           tells runs in one file apart

What a call leaves out is unknown, and unknown is equal to nothing. With
--rules live it is null instead.`,
		Example: `  loopguard replay steps.jsonl
  loopguard replay --rules live --fail-on stop steps.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.rules, "rules", "hindsight",
		"hindsight: as the processor judges; live: as a guard with the default options in the agent's own loop")
	f.config.add(cmd, ", for --rules hindsight")
	flags.StringVar(&f.format, "format", "text", "what to write: text, jsonl")
	flags.StringVar(&f.failOn, "fail-on", "", "exit with 1 if a run has this verdict or a worse one: warn, stop")
	return cmd
}

func (f *replayFlags) run(cmd *cobra.Command, path string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	var fail guard.Severity
	if f.failOn != "" {
		if err := fail.UnmarshalText([]byte(f.failOn)); err != nil || fail == guard.OK {
			return fmt.Errorf("--fail-on is %q, must be warn or stop", f.failOn)
		}
	}
	in, err := openInput(cmd.Context(), path, cmd.InOrStdin())
	if err != nil {
		return fmt.Errorf("%w: expected a file of guard steps, or - for the standard input", err)
	}
	defer in.Close()
	runs, err := replay.Judge(in, o)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := f.write(cmd.OutOrStdout(), runs); err != nil {
		return err
	}
	for _, r := range runs {
		if fail != guard.OK && r.Verdict >= fail {
			return errFound
		}
	}
	return nil
}

func (f *replayFlags) options() (replay.Options, error) {
	if f.format != "text" && f.format != "jsonl" {
		return replay.Options{}, fmt.Errorf("--format is %q, must be text or jsonl", f.format)
	}
	switch f.rules {
	case "live":
		if f.config != (configFlags{}) {
			return replay.Options{}, errors.New("--config and --processor are for --rules hindsight only")
		}
		return replay.Options{Guard: guard.Options{NoHistory: true}, Live: true}, nil
	case "hindsight":
		cfg, err := f.config.load()
		if err != nil {
			return replay.Options{}, err
		}
		return replay.Options{Guard: cfg.Settings(nil).Runs.Guard}, nil
	default:
		return replay.Options{}, fmt.Errorf("--rules is %q, must be hindsight or live", f.rules)
	}
}

func (f *replayFlags) write(w io.Writer, runs []*replay.Run) error {
	for _, r := range runs {
		var err error
		if f.format == "jsonl" {
			err = json.NewEncoder(w).Encode(r)
		} else {
			err = writeRun(w, r)
		}
		if err != nil {
			return fmt.Errorf("write output: %w", err)
		}
	}
	return nil
}

func writeRun(w io.Writer, r *replay.Run) error {
	name := ""
	if r.Name != "" {
		name = fmt.Sprintf("run %q: ", r.Name)
	}
	steps := fmt.Sprintf("%d steps", r.Steps)
	if r.Steps == 1 {
		steps = "1 step"
	}
	if _, err := fmt.Fprintf(w, "%s%s, %s\n", name, steps, r.Verdict); err != nil {
		return err
	}
	for _, f := range r.Findings {
		grade := ""
		if f.Grade != "" {
			grade = fmt.Sprintf(" (%s)", f.Grade)
		}
		if _, err := fmt.Fprintf(w, "  %s at step %d, counting from 0: %s%s: %s\n", f.Severity, f.Step, f.Code, grade, f.Detail); err != nil {
			return err
		}
	}
	return nil
}
