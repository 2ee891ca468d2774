// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patient is how long a command may take to end, which it does at once.
const patient = 30 * time.Second

// interrupt starts a command line and interrupts it once feed has returned.
func interrupt(t *testing.T, in io.Reader, feed func(), args ...string) result {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, log bytes.Buffer
	code := make(chan int, 1)
	go func() { code <- run(ctx, args, in, &out, &log) }()
	feed()
	cancel()
	select {
	case c := <-code:
		return result{c, out.String(), log.String()}
	case <-time.After(patient):
		require.Fail(t, "the command does not end", args)
		return result{}
	}
}

func TestInterruptedWhileNothingComes(t *testing.T) {
	for _, command := range []string{"scan", "replay"} {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		got := interrupt(t, r, func() {}, command, "-")
		require.NoError(t, w.Close())
		assert.Equal(t, exitBreak, got.code, command)
		assert.Contains(t, got.log, "interrupted\n")

		fifo := filepath.Join(t.TempDir(), "fifo")
		require.NoError(t, syscall.Mkfifo(fifo, 0o600))
		got = interrupt(t, nil, func() {}, command, fifo)
		assert.Equal(t, exitBreak, got.code, command)
		assert.Contains(t, got.log, "interrupted\n")
		release(t, fifo)
	}
}

// release ends what waits for someone to write to a pipe.
func release(t *testing.T, fifo string) {
	f, err := os.OpenFile(fifo, os.O_RDWR, 0)
	require.NoError(t, err)
	time.Sleep(10 * time.Millisecond) // To have it open while the other opens it.
	require.NoError(t, f.Close())
}

func TestInterruptedInTheMiddleOfAStep(t *testing.T) {
	r, w := io.Pipe()
	got := interrupt(t, r, func() {
		_, err := io.WriteString(w, repeatedStep+`{"text":`)
		assert.NoError(t, err)
	}, "replay", "-")
	require.NoError(t, w.Close())
	assert.Equal(t, exitBreak, got.code)
	assert.Equal(t, "loopguard: -: read steps: interrupted\n", got.log)
}

func TestAnInterruptedFileIsNotCalledDamaged(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	plain := write(t, "traces.jsonl", unzip(t, looping))
	for _, path := range []string{plain, looping} {
		var out, log bytes.Buffer
		code := run(ctx, []string{"scan", path, path}, nil, &out, &log)
		assert.Equal(t, exitBreak, code)
		assert.Equal(t, "loopguard: "+filepath.ToSlash(path)+": interrupted\n", log.String(), "and the rest is not read")
	}
}

// command starts the command as a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

func TestASignalEndsTheCommandWithAReport(t *testing.T) {
	cmd := command(t, "scan", "-")
	var out bytes.Buffer
	cmd.Stdout = &out
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	log, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())

	_, err = in.Write(append(unzip(t, looping), "no trace\n"...))
	require.NoError(t, err)
	lines := bufio.NewReader(log)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, "skipped", "all of it has been read")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	assert.Equal(t, "loopguard: -: interrupted\n", string(rest))
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	assert.Equal(t, exitBreak, exit.ExitCode())
	assert.Contains(t, out.String(), "1 run: 1 stop")
}

func TestTheSecondSignalEndsTheCommandAtOnce(t *testing.T) {
	cmd := command(t, "scan", "--format", "otlp", ours)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = out.Read(make([]byte, 1)) // And no more: the command waits for ever.
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for start := time.Now(); time.Since(start) < patient/2; {
		_ = cmd.Process.Signal(os.Interrupt) // It may have ended.
		select {
		case err := <-ended:
			assert.ErrorContains(t, err, "signal: interrupt")
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	assert.Fail(t, "signals are swallowed")
	_ = cmd.Process.Kill()
	<-ended
}
