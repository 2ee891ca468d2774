// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// binary returns the path of the collector under test.
func binary(t *testing.T) string {
	t.Helper()
	path := os.Getenv("LOOPGUARD_COLLECTOR")
	if path == "" {
		path = filepath.Join(root, "_build", "otelcol-loopguard")
	}
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	require.FileExists(t, path, "the end-to-end tests need a collector: make build")
	return path
}

func config(example string) string {
	return filepath.Join(root, "examples", example, "config.yaml")
}

// started returns a running collector with an example's configuration. It is stopped when the test ends, if not before.
func started(t *testing.T, example string) *Collector {
	t.Helper()
	// The context of the test is done before its cleanup runs, which would stop the collector behind our back.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	c, err := Start(ctx, binary(t), config(example), t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) })
	return c
}

// output stops the collector and returns what it wrote.
func output(t *testing.T, c *Collector) Output {
	t.Helper()
	require.NoError(t, c.Stop())
	written, err := ReadOutput(c.Output)
	require.NoError(t, err)
	return written
}

func connect(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return conn
}
