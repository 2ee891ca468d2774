// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"fmt"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// The default limits, in bytes.
const (
	DefaultAttributeBytes = 262144
	DefaultHistoryBytes   = 1048576
)

// Options configures a Reader. The zero value is the default configuration.
type Options struct {
	// Digester makes the fingerprints; nil is one with the default lists.
	Digester *guard.Digester
	// AttributeBytes bounds the text of one argument, result or output that is
	// read; longer ones are unknown. 0 is DefaultAttributeBytes.
	AttributeBytes int
	// HistoryBytes bounds the text of input messages that is read; of more, the
	// newest messages count. 0 is DefaultHistoryBytes.
	HistoryBytes int
	// Attributes adds attribute keys to a field, before the built-in ones; see
	// UserFields for the names.
	Attributes map[string][]string
	// ArgumentKeys returns the top-level argument keys that count for a tool;
	// none is all. nil is all for every tool.
	ArgumentKeys func(tool string) []string
	// Price is for model spans that do not say what they cost; nil: these
	// have no cost.
	Price Price
}

// Reader turns spans into facts. It is immutable and safe for concurrent use.
type Reader struct {
	digester *guard.Digester
	opts     Options
	tables   *tables
}

// NewReader checks the options and prepares the tables. It fails on a negative
// limit and on an unknown field or empty key in Attributes.
func NewReader(o Options) (*Reader, error) {
	if o.AttributeBytes < 0 || o.HistoryBytes < 0 {
		return nil, fmt.Errorf("limits must not be negative: attribute_bytes %d, history_bytes %d", o.AttributeBytes, o.HistoryBytes)
	}
	if o.AttributeBytes == 0 {
		o.AttributeBytes = DefaultAttributeBytes
	}
	if o.HistoryBytes == 0 {
		o.HistoryBytes = DefaultHistoryBytes
	}
	if o.Digester == nil {
		d, err := guard.NewDigester(guard.Sameness{})
		if err != nil {
			return nil, fmt.Errorf("default digester: %w", err)
		}
		o.Digester = d
	}
	user, err := userVocabulary(o.Attributes)
	if err != nil {
		return nil, err
	}
	t := newTables(append([]vocabulary{user}, vocabularies...))
	return &Reader{digester: o.Digester, opts: o, tables: t}, nil
}

// reading is the work on one span that is ours.
type reading struct {
	*Reader
	scan
	span    ptrace.Span
	mark    mark
	f       *Fact
	scratch messages
}

var readings = sync.Pool{New: func() any { return new(reading) }}

// release forgets the span and keeps the scratch memory.
func (x *reading) release() {
	x.scratch.reset()
	x.scratch.shrink()
	if x.indexed != nil {
		x.indexed.release()
	}
	*x = reading{scratch: x.scratch}
	readings.Put(x)
}

// Read fills f with what the span says and reports whether it is one of ours.
// If it is not, f is left alone. Nothing in f keeps the span's content.
func (r *Reader) Read(res pcommon.Resource, scope pcommon.InstrumentationScope, span ptrace.Span, f *Fact) bool {
	x := r.recognise(scope, span)
	if x == nil {
		return false
	}
	f.reset()
	x.f = f
	x.fill(res)
	x.release()
	return true
}

// recognise returns the work on a span of ours, to be released; nil for other
// spans, which cost no memory: their scan stays on the stack.
func (r *Reader) recognise(scope pcommon.InstrumentationScope, span ptrace.Span) *reading {
	s := scan{tables: r.tables}
	s.name(span.Name())
	s.walk(span.Attributes())
	if s.candidate() {
		if m, ok := s.decide(scope.Name(), span.Name()); ok {
			x := readings.Get().(*reading)
			x.Reader, x.scan, x.span, x.mark = r, s, span, m
			return x
		}
	}
	if s.indexed != nil {
		s.indexed.release()
	}
	return nil
}

// fill reads what the span's kind has to say.
func (x *reading) fill(res pcommon.Resource) {
	f := x.f
	f.Kind, f.Dialect = x.mark.kind, x.mark.dialect
	f.Conversation = x.conversation(res)
	f.Loop = x.mark.flags&flagLoop != 0
	if f.Kind != Tool {
		f.Model = x.modelName()
	}
	switch f.Kind {
	case Tool:
		x.tool()
	case Model:
		x.model()
	case Embedding:
		x.usage()
	case Agent:
		x.agent()
	case Container:
		x.container()
	}
	x.price()
}
