// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io"
	"os"
)

// stdin stands for the standard input among the arguments.
const stdin = "-"

// errInterrupted is what reading ends with when the user has had enough.
var errInterrupted = errors.New("interrupted")

// openInput opens a file or the standard input, which is in. Reading ends with
// the context, even where nothing comes.
func openInput(ctx context.Context, name string, in io.Reader) (io.ReadCloser, error) {
	if name == stdin {
		return follow(ctx, func() (io.ReadCloser, error) { return io.NopCloser(in), nil }), nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return follow(ctx, func() (io.ReadCloser, error) { return os.Open(name) }), nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &interruptible{file, ctx}, nil
}

// interruptible is a file whose reading never takes long.
type interruptible struct {
	io.ReadCloser
	ctx context.Context
}

func (i *interruptible) Read(b []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, errInterrupted
	}
	return i.ReadCloser.Read(b)
}

// follow reads what may keep one waiting, as a pipe does when it is opened and
// each time it is read. A goroutine waits in place of the caller; there is no
// way to wake it up, so that after an interruption it is left behind.
func follow(ctx context.Context, open func() (io.ReadCloser, error)) io.ReadCloser {
	r, w := io.Pipe()
	stop := context.AfterFunc(ctx, func() { w.CloseWithError(errInterrupted) })
	go func() {
		defer stop()
		w.CloseWithError(copyFrom(w, open))
	}()
	return r
}

func copyFrom(w io.Writer, open func() (io.ReadCloser, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(w, in)
	return err
}
