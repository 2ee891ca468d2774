// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// source is a file to scan.
type source struct {
	name string
	size int64 // Bytes; 0 if that is not known.
	// listed says that a directory was named, not the file: it may be
	// anything.
	listed bool
}

// sources are the files that arguments name, those of directories in order.
type sources struct {
	files   []source
	skipped int // In directories: what is no file.
	failed  []error
}

// has reports whether a file is among them.
func (s *sources) has(path string) bool {
	return slices.ContainsFunc(s.files, func(f source) bool { return same(f.name, path) })
}

// find adds what an argument names.
func (s *sources) find(arg string) {
	if arg == stdin {
		s.files = append(s.files, source{name: stdin})
		return
	}
	info, err := os.Stat(arg)
	switch {
	case err != nil:
		s.failed = append(s.failed, fmt.Errorf("%w: expected a file or directory of traces, or - for the standard input", err))
	case info.IsDir():
		s.list(arg)
	default:
		s.files = append(s.files, source{name: arg, size: info.Size()})
	}
}

// list adds the files of a directory and of those in it.
func (s *sources) list(dir string) {
	files, failed := len(s.files), len(s.failed)
	root := resolved(dir)
	// With a separator at its end, a link is the directory that it leads to.
	_ = filepath.WalkDir(dir+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			s.failed = append(s.failed, fmt.Errorf("list directory: %w", err))
		case entry.IsDir(), entry.Type() == fs.ModeSymlink && within(root, resolved(path)):
			// A link to what is listed anyway adds nothing.
		default:
			s.add(path)
		}
		return nil // One that cannot be listed does not keep the others.
	})
	if len(s.files) == files && len(s.failed) == failed {
		s.failed = append(s.failed, fmt.Errorf("%s: the directory has no files", dir))
	}
}

// add adds a file of a directory, or one that a link leads to. A link to
// another directory is not followed: it may lead in circles.
func (s *sources) add(path string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		s.skipped++
		return
	}
	s.files = append(s.files, source{name: path, size: info.Size(), listed: true})
}

// resolved is the absolute path without links, or empty if it leads nowhere.
func resolved(path string) string {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if target, err = filepath.Abs(target); err != nil {
		return ""
	}
	return target
}

// within reports whether a file is in a directory; both are resolved.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return path != "" && err == nil && filepath.IsLocal(rel)
}

func same(a, b string) bool {
	ai, err := os.Stat(a)
	if err != nil {
		return false
	}
	bi, err := os.Stat(b)
	return err == nil && os.SameFile(ai, bi)
}

// size adds up what is known of the files, in bytes.
func (s *sources) size() (n int64) {
	for _, f := range s.files {
		n += f.size
	}
	return n
}
