// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// patience is how long a scan may take before it shows how far it is.
const patience = time.Second

// progress shows on a terminal how much has been read.
type progress struct {
	w     io.Writer // nil: nowhere.
	total int64
	read  int64
	since time.Time
	bar   *progressbar.ProgressBar
}

func newProgress(w io.Writer, total int64) *progress {
	p := &progress{total: total, since: time.Now()}
	if isTerminal(w) {
		p.w = w
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Write counts bytes that were read; it is for io.TeeReader.
func (p *progress) Write(b []byte) (int, error) {
	p.read += int64(len(b))
	if p.w == nil {
		return len(b), nil
	}
	if p.bar == nil {
		if time.Since(p.since) < patience {
			return len(b), nil
		}
		p.bar = p.newBar()
	}
	_ = p.bar.Set64(p.read) // That it cannot be shown is no error of the scan.
	return len(b), nil
}

func (p *progress) newBar() *progressbar.ProgressBar {
	total := p.total
	if total == 0 {
		total = -1
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(p.w), progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetDescription("scanning"), progressbar.OptionSetRenderBlankState(true))
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
