// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// output is where a report goes.
type output struct {
	*bufio.Writer
	file *lateFile // nil: the standard output.
}

// openOutput opens a file, or the standard output if path is empty.
func openOutput(path string, out io.Writer) (*output, error) {
	if path == "" {
		return &output{Writer: bufio.NewWriterSize(out, 1<<16)}, nil
	}
	file, err := openLate(path)
	if err != nil {
		return nil, fmt.Errorf("create output: %w", err)
	}
	return &output{bufio.NewWriterSize(file, 1<<16), file}, nil
}

// finish writes what is left.
func (o *output) finish() error {
	err := o.Flush()
	if o.file != nil {
		err = errors.Join(err, o.file.close())
	}
	return err
}

// discard is finish for a report about nothing: a file stays as it was.
func (o *output) discard() error {
	if o.file == nil {
		return o.Flush()
	}
	return o.file.discard()
}

// lateFile is a file that keeps what it held until there is something to write.
type lateFile struct {
	*os.File
	fresh bool // There was none before.
	begun bool
}

func openLate(path string) (*lateFile, error) {
	_, err := os.Stat(path)
	fresh := errors.Is(err, os.ErrNotExist)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return &lateFile{File: file, fresh: fresh}, nil
}

func (f *lateFile) Write(b []byte) (int, error) {
	if err := f.begin(); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

// begin empties the file; what is none, such as a pipe, needs no emptying.
func (f *lateFile) begin() error {
	if f.begun {
		return nil
	}
	f.begun = true
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return f.Truncate(0)
}

func (f *lateFile) close() error { return errors.Join(f.begin(), f.Close()) }

func (f *lateFile) discard() error {
	if f.fresh && !f.begun {
		return errors.Join(f.Close(), os.Remove(f.Name()))
	}
	return f.Close()
}
