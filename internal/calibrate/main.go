// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Command calibrate runs recorded agent runs of public data sets through the
// guard and through three simpler rules, and writes down how often each speaks
// (docs/calibration.md). The data are not part of this repository.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

// run measures everything before it writes, so that a report is whole or not
// there.
func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	dir := flags.String("data", "../shared/datasets", "directory with the data sets")
	date := flags.String("date", "", "date of the report, YYYY-MM-DD")
	file := flags.String("o", "", "file for the report, besides the standard output")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if _, err := os.Stat(*dir); err != nil {
		return fmt.Errorf("no data sets (-data names their directory): %w", err)
	}
	measured, err := measure(*dir)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := write(&text, report{Date: *date, Sets: measured}); err != nil {
		return err
	}
	if *file != "" {
		if err := os.WriteFile(*file, text.Bytes(), 0o644); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	_, err = out.Write(text.Bytes())
	return err
}
