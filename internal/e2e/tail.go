// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"sync"
)

const tailBytes = 8 << 10

// tail is a writer that keeps the last lines of what is written to it, tailBytes at most. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if cut := len(t.kept) - tailBytes; cut > 0 {
		rest := t.kept[cut:]
		if _, whole, found := bytes.Cut(rest, []byte("\n")); found {
			rest = whole
		}
		t.kept = append([]byte(nil), rest...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
