// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// maxZstdWindow bounds what a zstd stream may ask to have kept, in bytes.
const maxZstdWindow = 64 << 20

// decompress undoes the compression that the first bytes tell of.
func decompress(r *bufio.Reader) (io.ReadCloser, error) {
	head, err := r.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, damaged(err)
		}
		return z, nil
	case bytes.Equal(head, zstdMagic):
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, damaged(err)
		}
		return z.IOReadCloser(), nil
	default:
		return io.NopCloser(r), nil
	}
}

// damaged says of a compressed stream what is wrong with it.
func damaged(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the compressed data ends too early: the file is cut off: %w", err)
	}
	return fmt.Errorf("the data cannot be decompressed: %w", err)
}
