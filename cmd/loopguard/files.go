// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// source is a file to scan.
type source struct {
	name string
	size int64 // Bytes; 0 if that is not known.
	// listed says that a directory was named, not the file: it may be
	// anything.
	listed bool
}

// stdin stands for the standard input among the arguments.
const stdin = "-"

// sources finds the files that the arguments name, those of directories in
// order.
func sources(args []string) ([]source, error) {
	var all []source
	for _, arg := range args {
		if arg == stdin {
			all = append(all, source{name: stdin})
			continue
		}
		info, err := os.Stat(arg)
		if err != nil {
			return nil, fmt.Errorf("%w: expected a file or directory of traces, or - for the standard input", err)
		}
		if !info.IsDir() {
			all = append(all, source{name: arg, size: info.Size()})
			continue
		}
		listed, err := list(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, listed...)
	}
	return all, nil
}

func list(dir string) ([]source, error) {
	var all []source
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		all = append(all, source{name: path, size: info.Size(), listed: true})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list directory: %w", err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: the directory has no files", dir)
	}
	return all, nil
}
