// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Preview returns the text of a tool span's arguments and of its result, ""
// where they are unknown. It is the only way in which content leaves this
// package.
func (r *Reader) Preview(scope pcommon.InstrumentationScope, span ptrace.Span) (args, result string) {
	s := scan{tables: r.tables}
	s.name(span.Name())
	s.walk(span.Attributes())
	defer s.release()
	m, ok := s.decide(scope.Name(), span)
	if !ok || m.kind != Tool {
		return "", ""
	}
	x := reading{Reader: r, scan: &s, span: span, mark: m, f: new(Fact)}
	args, result = x.payloads()
	args, _ = known(args, r.opts.AttributeBytes)
	result, _ = known(result, r.opts.AttributeBytes)
	return args, result
}
