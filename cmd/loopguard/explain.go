// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/manual"
	"github.com/agentloopguard/loopguardprocessor/docs"
)

// textWidth is how long the lines of explanations are, in characters.
const textWidth = 100

func explainCommand() *cobra.Command {
	entries := manual.Entries(docs.Detection)
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Say what a code means, with an example and how to tune it",
		Long:  "Say what a code means, with an example and how to tune it.\n\nCodes: " + codes(entries) + ".",
		Example: `  loopguard explain REPEATED_TOOL_CALL
  loopguard explain oscillation`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.ReplaceAll(codes(entries), ", ", "\n"))
				return err
			}
			return explain(cmd.OutOrStdout(), entries, args[0])
		},
	}
}

func codes(entries []manual.Entry) string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Codes...)
	}
	return strings.Join(all, ", ")
}

func explain(w io.Writer, entries []manual.Entry, name string) error {
	e, ok := manual.Find(entries, name)
	if !ok {
		return fmt.Errorf("%q is no code; the codes are: %s", name, codes(entries))
	}
	text := strings.Join(e.Codes, ", ") + "\n\n" + manual.Plain(e.Text, textWidth)
	if strings.Contains(e.Text, "- Found:") {
		text += "\n" + manual.Plain(manual.Notation(docs.Detection), textWidth)
	}
	_, err := io.WriteString(w, text)
	return err
}
