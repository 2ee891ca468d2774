// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"io"
)

// maxNotes is how many bad lines of a file are reported one by one.
const maxNotes = 5

// notes says what went wrong on the way.
type notes struct {
	w    io.Writer
	file string
	said int
}

// Bad reports a line that was skipped.
func (n *notes) Bad(file string, line int, err error) {
	if file != n.file {
		n.file, n.said = file, 0
	}
	switch n.said++; {
	case n.said <= maxNotes:
		fmt.Fprintf(n.w, "%s:%d: skipped: %v\n", file, line, err)
	case n.said == maxNotes+1:
		fmt.Fprintf(n.w, "%s:%d: skipped; further bad lines of this file are counted only\n", file, line)
	}
}
