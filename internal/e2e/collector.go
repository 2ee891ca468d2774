// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	startTimeout = 30 * time.Second
	stopTimeout  = 30 * time.Second
	// A port that was free a moment ago can be taken by the time the collector listens.
	startAttempts = 3
)

// Collector is a running collector process with one of the configurations in examples/, listening on free ports of the loopback interface.
type Collector struct {
	HTTP    string // address of the OTLP/HTTP receiver, host:port
	GRPC    string // address of the OTLP/gRPC receiver, host:port
	Metrics string // address of the collector's own Prometheus endpoint, host:port
	Output  string // path of the file exporter's output

	log     tail
	stop    context.CancelFunc
	exited  chan struct{}
	exitErr error // set before exited is closed
}

// Start runs binary with the configuration file config and waits until it accepts data. Its output goes below dir.
// The process ends with Stop, or when ctx does. Errors carry the end of the collector's log.
func Start(ctx context.Context, binary, config, dir string) (*Collector, error) {
	var err error
	for range startAttempts {
		var c *Collector
		if c, err = start(ctx, binary, config, dir); err == nil {
			return c, nil
		}
		if ctx.Err() != nil || !errors.Is(err, errExited) {
			return nil, err
		}
	}
	return nil, err
}

var errExited = errors.New("the collector exited")

func start(ctx context.Context, binary, config, dir string) (*Collector, error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	c := &Collector{
		HTTP:    address(ports[0]),
		GRPC:    address(ports[1]),
		Metrics: address(ports[2]),
		Output:  filepath.Join(dir, "spans.jsonl"),
		exited:  make(chan struct{}),
	}
	processCtx, cancel := context.WithCancel(ctx)
	c.stop = cancel
	cmd := exec.CommandContext(processCtx, binary, "--config", config)
	cmd.Env = append(os.Environ(),
		"OTLP_HTTP_ENDPOINT="+c.HTTP,
		"OTLP_GRPC_ENDPOINT="+c.GRPC,
		"METRICS_HOST="+loopback,
		"METRICS_PORT="+ports[2],
		"OUTPUT_FILE="+c.Output,
	)
	cmd.Stdout, cmd.Stderr = &c.log, &c.log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopTimeout
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("start the collector: %w", err)
	}
	go c.wait(cmd)
	if err := c.awaitReady(ctx); err != nil {
		_ = c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Collector) wait(cmd *exec.Cmd) {
	err := cmd.Wait()
	// A process that was asked to stop and did is no error, although the context that asked it is done.
	if err != nil && !(errors.Is(err, context.Canceled) && cmd.ProcessState.Success()) {
		c.exitErr = err
	}
	close(c.exited)
}

// awaitReady waits until every endpoint accepts connections; the receivers are the last to come up.
func (c *Collector) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for _, endpoint := range []string{c.Metrics, c.GRPC, c.HTTP} {
		for !accepts(ctx, endpoint) {
			select {
			case <-c.exited:
				return c.withLog(fmt.Errorf("%w while starting: %v", errExited, c.exitErr))
			case <-ctx.Done():
				return c.withLog(fmt.Errorf("the collector does not listen on %s: %w", endpoint, ctx.Err()))
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

// Stop shuts the collector down and waits for it, so that all that it received is in Output. It may be called more than once.
func (c *Collector) Stop() error {
	c.stop()
	<-c.exited
	if c.exitErr != nil {
		return c.withLog(fmt.Errorf("stop the collector: %w", c.exitErr))
	}
	return nil
}

// withLog adds the end of the collector's log to err.
func (c *Collector) withLog(err error) error {
	return fmt.Errorf("%w\nthe end of the collector's log:\n%s", err, c.Log())
}

// Log returns the end of what the collector has written to its standard output and error.
func (c *Collector) Log() string { return c.log.String() }

const loopback = "127.0.0.1"

func address(port string) string { return net.JoinHostPort(loopback, port) }

// freePorts returns n TCP ports of the loopback interface on which nothing listens.
func freePorts(n int) ([]string, error) {
	ports := make([]string, n)
	for i := range ports {
		l, err := net.Listen("tcp", address("0"))
		if err != nil {
			return nil, fmt.Errorf("look for a free port: %w", err)
		}
		// Held until all are found, lest the same one is found twice.
		defer l.Close()
		if _, ports[i], err = net.SplitHostPort(l.Addr().String()); err != nil {
			return nil, fmt.Errorf("look for a free port: %w", err)
		}
	}
	return ports, nil
}

func accepts(ctx context.Context, address string) bool {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
