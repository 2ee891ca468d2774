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
	x := r.recognise(scope, span)
	if x == nil {
		return "", ""
	}
	defer x.release()
	if x.mark.kind != Tool {
		return "", ""
	}
	args, result = x.payloads()
	args, _ = known(args, r.opts.AttributeBytes)
	result, _ = known(result, r.opts.AttributeBytes)
	return args, result
}
