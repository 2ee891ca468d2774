// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import "go.opentelemetry.io/collector/pdata/ptrace"

// spans returns all spans of td, whatever resource and scope they are in.
func spans(td ptrace.Traces) []ptrace.Span {
	var all []ptrace.Span
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				all = append(all, span)
			}
		}
	}
	return all
}

// spanBySpan returns a copy of each span of td, alone with its resource and scope.
func spanBySpan(td ptrace.Traces) []ptrace.Traces {
	var singles []ptrace.Traces
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				single := ptrace.NewTraces()
				toResource := single.ResourceSpans().AppendEmpty()
				rs.Resource().CopyTo(toResource.Resource())
				toScope := toResource.ScopeSpans().AppendEmpty()
				ss.Scope().CopyTo(toScope.Scope())
				span.CopyTo(toScope.Spans().AppendEmpty())
				singles = append(singles, single)
			}
		}
	}
	return singles
}
