// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary plays the collector, in the way that this variable says.
const playVariable = "E2E_PLAY_COLLECTOR"

func TestMain(m *testing.M) {
	switch os.Getenv(playVariable) {
	case "":
		os.Exit(m.Run())
	case "broken":
		fmt.Println("error: unknown key")
		os.Exit(1)
	case "working":
		listenUntilInterrupted()
	}
}

func listenUntilInterrupted() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	for _, endpoint := range []string{os.Getenv("OTLP_HTTP_ENDPOINT"), os.Getenv("OTLP_GRPC_ENDPOINT"), loopback + ":" + os.Getenv("METRICS_PORT")} {
		l, err := net.Listen("tcp", endpoint)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		go func() { _ = http.Serve(l, http.NotFoundHandler()) }()
	}
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("bye")
}

func TestStartAndStop(t *testing.T) {
	t.Setenv(playVariable, "working")
	c, err := Start(t.Context(), os.Args[0], "unused", t.TempDir())
	require.NoError(t, err)
	for _, endpoint := range []string{c.HTTP, c.GRPC, c.Metrics} {
		assert.True(t, accepts(t.Context(), endpoint))
	}
	require.NoError(t, c.Stop())
	assert.Equal(t, "ready\nbye\n", c.Log())
	assert.False(t, accepts(t.Context(), c.HTTP))
	require.NoError(t, c.Stop(), "stopping twice is no error")
}

func TestStartShowsTheLogOfACollectorThatExits(t *testing.T) {
	t.Setenv(playVariable, "broken")
	_, err := Start(t.Context(), os.Args[0], "unused", t.TempDir())
	require.ErrorIs(t, err, errExited)
	assert.ErrorContains(t, err, "exit status 1")
	assert.ErrorContains(t, err, "error: unknown key")
}

func TestStartWithoutABinary(t *testing.T) {
	_, err := Start(t.Context(), "no-such-collector", "unused", t.TempDir())
	assert.ErrorContains(t, err, "no-such-collector")
}

func TestFreePortsAreDistinct(t *testing.T) {
	ports, err := freePorts(20)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, port := range ports {
		assert.False(t, seen[port])
		seen[port] = true
	}
}

func TestTailKeepsTheLastWholeLines(t *testing.T) {
	var log tail
	line := strings.Repeat("x", 99)
	for i := range 1000 {
		_, err := fmt.Fprintf(&log, "%03d%s\n", i, line)
		require.NoError(t, err)
	}
	kept := log.String()
	assert.LessOrEqual(t, len(kept), tailBytes)
	assert.Greater(t, len(kept), tailBytes-200)
	assert.Regexp(t, `^\d{3}x`, kept)
	assert.True(t, strings.HasSuffix(kept, "999"+line+"\n"))
}
