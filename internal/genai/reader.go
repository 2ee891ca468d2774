// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// Options configures a Reader. The zero value is the default configuration.
type Options struct {
	// Digester makes the fingerprints; nil is one with the default lists.
	Digester *guard.Digester
	// AttributeBytes bounds the text of one argument, result or output that is
	// read; longer ones are unknown. 0 is 262144.
	AttributeBytes int
	// HistoryBytes bounds the text of input messages that is read. 0 is
	// 1048576.
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
}

// NewReader checks the options and prepares the tables.
func NewReader(o Options) (*Reader, error) {
	if o.Digester == nil {
		d, err := guard.NewDigester(guard.Sameness{})
		if err != nil {
			return nil, err
		}
		o.Digester = d
	}
	return &Reader{digester: o.Digester, opts: o}, nil
}

// Read fills f with what the span says and reports whether it is one of ours.
func (r *Reader) Read(_ pcommon.Resource, _ pcommon.InstrumentationScope, _ ptrace.Span, f *Fact) bool {
	f.reset()
	return false
}
