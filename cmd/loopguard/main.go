// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Command loopguard judges stored traces of AI agents: which runs loop or run
// away, where a guard would have stopped them, and what was spent after that.
// It judges as the loop_guard processor does, for it is the same code.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
)

// What the command exits with.
const (
	exitFine  = 0
	exitFound = 1   // --fail-on has found what it asks for.
	exitInput = 2   // The arguments or the input cannot be used.
	exitBreak = 130 // Interrupted, as shells have it: 128 and the signal.
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // The second signal ends the process at once.
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// errFound says that --fail-on has found what it asks for.
var errFound = errors.New("found")

// run executes the command line and returns what to exit with.
func run(ctx context.Context, args []string, in io.Reader, out, log io.Writer) int {
	cmd := rootCommand()
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(log)
	err := cmd.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errFound):
		return exitFound
	}
	for line := range strings.SplitSeq(err.Error(), "\n") { // Several errors have a line each.
		fmt.Fprintf(log, "loopguard: %s\n", line)
	}
	if errors.Is(err, errInterrupted) {
		return exitBreak
	}
	return exitInput
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "loopguard",
		Short: "Find agent runs that loop or run away in stored traces",
		Long: `loopguard reads stored traces of AI agents and says which runs loop or run away,
where a guard would have stopped them, and what was spent after that.

It exits with 0, with 1 if --fail-on has found what it asks for, with 2 if its
arguments or its input cannot be used, and with 130 if it was interrupted.`,
		Example: `  loopguard scan traces.jsonl
  loopguard scan --fail-on stop traces/
  loopguard explain REPEATED_TOOL_CALL`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.Version = version()
	root.SetVersionTemplate("{{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(scanCommand(), explainCommand(), replayCommand(), versionCommand())
	return root
}
