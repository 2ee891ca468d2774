// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"

	"github.com/agentloopguard/loopguardprocessor/internal/judge"
)

// loopGuard has each batch judged and tagged and passes it on, all in the same
// call: nothing waits.
type loopGuard struct {
	next    consumer.Traces
	judge   *judge.Judge
	metrics *telemetry
	idle    time.Duration

	stop    chan struct{}
	stopped sync.Once
	ticking sync.WaitGroup
}

var _ processor.Traces = (*loopGuard)(nil)

func newProcessor(set processor.Settings, cfg *Config, next consumer.Traces) (*loopGuard, error) {
	metrics, err := newTelemetry(set.TelemetrySettings)
	if err != nil {
		return nil, fmt.Errorf("create telemetry: %w", err)
	}
	j, err := judge.New(cfg.Settings(metrics))
	if err != nil {
		return nil, err
	}
	return &loopGuard{next: next, judge: j, metrics: metrics, idle: cfg.IdleTimeout, stop: make(chan struct{})}, nil
}

// Capabilities says whether spans are written on.
func (p *loopGuard) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: p.judge.Mutates()}
}

// Start has idle traces closed from now on.
func (p *loopGuard) Start(context.Context, component.Host) error {
	if err := p.metrics.watch(p.judge.Tracker); err != nil {
		return fmt.Errorf("watch the tracker's state: %w", err)
	}
	p.metrics.startAtZero()
	p.ticking.Go(p.expire)
	return nil
}

// expire closes idle traces until shutdown. A trace is closed at most a
// twentieth of the timeout late.
func (p *loopGuard) expire() {
	ticker := time.NewTicker(p.idle / 20)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			p.judge.Expire(now)
		case <-p.stop:
			return
		}
	}
}

// Shutdown judges and counts the runs that are still open. It may be called
// before Start and more than once.
func (p *loopGuard) Shutdown(context.Context) error {
	p.stopped.Do(func() {
		close(p.stop)
		p.ticking.Wait()
		p.judge.Shutdown()
		p.metrics.Shutdown()
	})
	return nil
}

// ConsumeTraces judges and tags the batch and hands it to the next consumer,
// whose error goes back to the caller: a retry changes nothing.
func (p *loopGuard) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	p.judge.Judge(time.Now(), td)
	return p.next.ConsumeTraces(ctx, td)
}
