// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDatesAndAddressesAreMasked(t *testing.T) {
	d := newDigester(t)
	for name, texts := range map[string][2]string{
		"RFC 1123":    {"Date: Mon, 30 Nov 2026 10:00:05 GMT\nx", "Date: Mon, 30 Nov 2026 10:00:09 GMT\nx"},
		"RFC 1123 +":  {"Mon, 30 Nov 2026 10:00:05 +0000 x", "Mon, 30 Nov 2026 11:07:05 +0000 x"},
		"RFC 850":     {"Monday, 30-Nov-26 10:00:05 GMT", "Monday, 30-Nov-26 10:01:05 GMT"},
		"access log":  {"- [30/Nov/2026:10:00:05 +0000] GET /", "- [30/Nov/2026:10:00:06 +0000] GET /"},
		"syslog":      {"Nov 30 10:00:05 host app: no", "Nov 30 10:00:59 host app: no"},
		"syslog, 3rd": {"Nov  3 10:00:05 host app: no", "Nov  3 10:00:59 host app: no"},
		"asctime":     {"at Mon Nov 30 10:00:05 2026", "at Mon Nov 30 10:00:06 2026"},
		"address":     {"fault at 0x1a2b3c in core", "fault at 0xffffff in core"},
		"digits":      {"fault at 0x123456 in core", "fault at 0X654321 in core"},
	} {
		assert.Equal(t, d.Error(texts[0]).Normal, d.Error(texts[1]).Normal, name)
		assert.NotEqual(t, d.Error(texts[0]).Exact, d.Error(texts[1]).Exact, name)
	}
	for name, texts := range map[string][2]string{
		"day alone":        {"on 30 Nov 2026", "on 29 Nov 2026"},
		"no month":         {"row 30 10:00:05", "row 31 10:00:05"},
		"part of a word":   {"xNov 30 10:00:05", "xNov 29 10:00:05"},
		"another month":    {"30 Now 2026 10:00:05", "29 Now 2026 10:00:05"},
		"day in a month":   {"Nov 30 is full", "Nov 29 is full"},
		"short code":       {"code 0x1f", "code 0x2f"},
		"end of text":      {"Nov 30", "Nov 3"},
		"month at the end": {"30 Nov", "29 Nov"},
	} {
		assert.NotEqual(t, d.Error(texts[0]).Normal, d.Error(texts[1]).Normal, name)
	}
}

// Many frameworks return the complaint about a tool that does not exist.
func TestUnknownToolsInResults(t *testing.T) {
	d := newDigester(t)
	for text, want := range map[string]bool{
		"Error: tool 'mk_tool_1' not found": true, "Unknown tool: mk_tool_1": true, "Tool not found": true,
		"Error: x is not a valid tool, try one of [a, b].":        true,
		"Tool x does not exist. Available tools: read, write":     true,
		`[{"type":"text","text":"Unknown tool: mk_tool_1"}]`:      true,
		`{"error":"No such tool: \"x\""}`:                         true,
		"Tool hammer not found in the shed; it was lent to Alice": false,
		"grep: 3 files mention the phrase unknown tool":           false,
		"The customer asks for no such tool any more":             false,
		"": false,
	} {
		assert.Equal(t, want, d.Result(text).NoSuchTool, text)
	}
	g := mustNew(t, Retrospective())
	for i := range 3 {
		name := fmt.Sprint("mk_tool_", i)
		g.Check(Step{Calls: []ToolCall{{Name: name, Args: i, Result: fmt.Sprintf("Error: tool '%s' not found", name)}}})
	}
	g.End()
	assert.Equal(t, CodeRepeatedError, g.Verdict().Code)
	assert.Equal(t, 2, g.Verdict().Step)
}
