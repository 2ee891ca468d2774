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
	// HistoryBytes bounds the text of input messages that is read; longer ones
	// are unknown. 0 is DefaultHistoryBytes.
	HistoryBytes int
	// Attributes adds attribute keys to a field, before the built-in ones; see
	// UserFields for the names.
	Attributes map[string][]string
	// ArgumentKeys returns the top-level argument keys that count for a tool;
	// none is all. nil is all for every tool.
	ArgumentKeys func(tool string) []string
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
	*scan
	span    ptrace.Span
	mark    mark
	f       *Fact
	scratch *messages
}

var scratchPool = sync.Pool{New: func() any { return new(messages) }}

// Read fills f with what the span says and reports whether it is one of ours.
// If it is not, f is left alone. Nothing in f keeps the span's content.
func (r *Reader) Read(res pcommon.Resource, scope pcommon.InstrumentationScope, span ptrace.Span, f *Fact) bool {
	s := scan{tables: r.tables}
	s.name(span.Name())
	s.walk(span.Attributes())
	defer s.release()
	if !s.candidate() {
		return false
	}
	m, ok := s.decide(scope.Name(), span)
	if !ok {
		return false
	}
	f.reset()
	x := reading{Reader: r, scan: &s, span: span, mark: m, f: f}
	x.scratch = scratchPool.Get().(*messages)
	x.fill(res)
	x.scratch.reset()
	scratchPool.Put(x.scratch)
	return true
}

func (s *scan) release() {
	if s.indexed != nil {
		s.indexed.release()
	}
}

// fill reads what the span's kind has to say.
func (x *reading) fill(res pcommon.Resource) {
	f := x.f
	f.Kind, f.Dialect = x.mark.kind, x.mark.dialect
	f.Conversation = x.conversation(res)
	if f.Kind != Tool {
		f.Model = nameOf(x.scan.text(fieldModel))
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
}
