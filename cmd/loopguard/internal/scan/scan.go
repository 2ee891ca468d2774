// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package scan judges stored traces with the processor's own tracker, guard and
// tags. What differs is the clock, which is the spans' own time, and that whole
// runs are in hand.
package scan

import (
	"fmt"
	"io"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	loopguard "github.com/agentloopguard/loopguardprocessor"
	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/input"
	"github.com/agentloopguard/loopguardprocessor/internal/judge"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
)

// Options says how to scan.
type Options struct {
	Config *loopguard.Config
	// Window is within how much event time spans may come in any order.
	Window time.Duration
	// MaxMemory bounds what the scan holds, in bytes.
	MaxMemory int64
	// Output gets what is found.
	Output Output
	// KeepSpans has the tagged spans handed to Output.Spans.
	KeepSpans bool
	// NearMisses has runs tell what was nearly found in them. That takes six
	// times as long.
	NearMisses bool
}

// Output gets what is found, in the order in which it is found.
type Output interface {
	// Run gets a run when it closes, with the file that it is from.
	Run(file string, run *runs.Run) error
	// History gets a finding about a model span that tells of its run itself.
	History(file string, span ptrace.Span, c *runs.Crossing) error
	// Spans gets the tagged spans, if Options.KeepSpans asks for them. Every
	// span of the input comes once.
	Spans(ptrace.Traces) error
	// Bad hears of a line that was skipped.
	Bad(file string, line int, err error)
}

// Shares of Options.MaxMemory. What is decoded but not held, the garbage and
// the program itself have to do with the rest.
const (
	windowShare = 4
	stateShare  = 4
)

// Scanner judges files one after the other.
type Scanner struct {
	options  Options
	settings judge.Settings
	Summary  Summary

	// The file at hand.
	file   string
	judge  *judge.Judge
	window *window
	now    int64
	failed error // What the output said.
}

// New returns a Scanner. Its error is about the configuration.
func New(o Options) (*Scanner, error) {
	s := &Scanner{options: o, Summary: newSummary()}
	s.settings = o.Config.Settings((*sink)(s))
	s.settings.Marked = s.marked
	if o.KeepSpans {
		s.settings.Runs.MarkCalls = true
	} else {
		s.settings.Tag = nil
	}
	s.settings.Runs.Guard.NearMisses = o.NearMisses
	for i := range s.settings.Runs.Profiles {
		s.settings.Runs.Profiles[i].NearMisses = o.NearMisses
	}
	l := &s.settings.Runs.Limits
	l.Bytes = min(l.Bytes, o.MaxMemory/stateShare)
	if _, err := judge.New(s.settings); err != nil {
		return nil, err
	}
	return s, nil
}

// File judges one file. It has its own timeline: its end closes the runs that
// are open.
func (s *Scanner) File(name string, r io.Reader) error {
	j, err := judge.New(s.settings)
	if err != nil {
		return err
	}
	s.file, s.judge, s.now, s.failed = name, j, 0, nil
	s.window = newWindow(int64(s.options.Window), int64(s.options.Config.IdleTimeout), s.options.MaxMemory/windowShare, s.take)
	read := input.Read(r, input.Handler{Traces: s.traces, Bad: s.bad})
	if err := s.window.drain(); err != nil {
		return err
	}
	j.Shutdown()
	s.Summary.Late += s.window.outside
	if s.failed != nil {
		return s.failed
	}
	return read
}

func (s *Scanner) bad(line int, err error) {
	s.Summary.BadLines++
	s.options.Output.Bad(s.file, line, err)
}

// heldBytes is what a span takes beside its content, in bytes; contentFactor is
// what its content takes in memory for a byte in the file.
const (
	heldBytes     = 1024
	contentFactor = 1
)

// traces takes in a portion of the file.
func (s *Scanner) traces(td ptrace.Traces, size int) error {
	n := int64(td.SpanCount())
	if n == 0 {
		return nil
	}
	s.Summary.Spans += n
	bytes := contentFactor*int64(size)/n + heldBytes
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			h := held{
				resource: rs.Resource(), scope: ss.Scope(),
				resourceURL: rs.SchemaUrl(), scopeURL: ss.SchemaUrl(),
			}
			for _, h.span = range ss.Spans().All() {
				s.window.add(h, bytes)
			}
		}
	}
	return s.window.advance()
}

// take has a segment judged at its own time.
func (s *Scanner) take(seg *segment) error {
	s.now = max(s.now, seg.last)
	now := time.Unix(0, s.now)
	s.judge.Expire(now)
	s.judge.JudgeSpans(now, seg.visit)
	if s.failed != nil {
		return s.failed
	}
	if s.options.KeepSpans {
		return s.options.Output.Spans(seg.traces())
	}
	return nil
}

// traces makes the segment a batch again. The spans are moved.
func (s *segment) traces() ptrace.Traces {
	td := ptrace.NewTraces()
	var rs ptrace.ResourceSpans
	var ss ptrace.ScopeSpans
	for i := range s.spans {
		h := &s.spans[i]
		newResource := i == 0 || h.resource != s.spans[i-1].resource
		if newResource {
			rs = td.ResourceSpans().AppendEmpty()
			h.resource.CopyTo(rs.Resource())
			rs.SetSchemaUrl(h.resourceURL)
		}
		if newResource || h.scope != s.spans[i-1].scope {
			ss = rs.ScopeSpans().AppendEmpty()
			h.scope.CopyTo(ss.Scope())
			ss.SetSchemaUrl(h.scopeURL)
		}
		h.span.MoveTo(ss.Spans().AppendEmpty())
	}
	return td
}

// marked listens for model spans that are judged by their own history: such a
// finding names the span itself as its run.
func (s *Scanner) marked(span ptrace.Span, m *runs.Mark) {
	if m.Run != nil {
		return
	}
	id := span.SpanID().String()
	for i := range m.Crossings {
		if c := &m.Crossings[i]; c.Run == id && m.Container != nil {
			s.Summary.history(c)
			s.fail(s.options.Output.History(s.file, span, c))
		}
	}
}

func (s *Scanner) fail(err error) {
	if err != nil && s.failed == nil {
		s.failed = fmt.Errorf("write output: %w", err)
	}
}
