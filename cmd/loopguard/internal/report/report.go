// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package report writes what a scan finds: as a table, as JSON, or as the
// tagged spans themselves.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/scan"
)

// Report is the output of a scan. Close ends it.
type Report interface {
	scan.Output
	Close(*scan.Summary) error
}

// Options says how to report.
type Options struct {
	Format string // One of Formats.
	All    bool   // Healthy runs are in the table, too.
	Colour bool
	// Files names the files that the runs are from.
	Files bool
	// Notes gets what is to be said beside the report.
	Notes io.Writer
}

// Formats are the formats, the default first.
var Formats = []string{"text", "json", "jsonl", "otlp"}

// New returns a report that is written to w.
func New(w io.Writer, o Options) (Report, error) {
	n := &notes{w: o.Notes}
	switch o.Format {
	case "text":
		return &textReport{notes: n, w: w, options: o}, nil
	case "json":
		return &jsonReport{notes: n, w: w}, nil
	case "jsonl":
		return &linesReport{notes: n, w: w}, nil
	case "otlp":
		return &otlpReport{notes: n, w: w}, nil
	default:
		return nil, fmt.Errorf("format is %q, must be one of: %s", o.Format, strings.Join(Formats, ", "))
	}
}

// KeepsSpans reports whether a format needs the spans.
func KeepsSpans(format string) bool { return format == "otlp" }

// Known reports whether there is such a format.
func Known(format string) bool { return slices.Contains(Formats, format) }
