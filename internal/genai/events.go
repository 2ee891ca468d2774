// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// eventText returns the first of the attributes that holds text.
func eventText(attrs pcommon.Map, keys ...string) string {
	for _, k := range keys {
		if v, ok := attrs.Get(k); ok && !isEmpty(v) {
			return textOf(v)
		}
	}
	return ""
}

// eventMessages reads the span events of one side as messages and reports
// whether there were any. Before convention v1.37 messages were events.
func (x *reading) eventMessages(s side, m *messages) bool {
	found := false
	for _, e := range x.span.Events().All() {
		row, ok := x.Reader.tables.events[e.Name()]
		if !ok {
			continue
		}
		if row.side == noSide {
			found = x.detailMessages(e.Attributes(), s, m) || found
			continue
		}
		if row.side == s {
			found = x.eventMessage(&row, e.Attributes(), m) || found
		}
	}
	return found
}

// detailMessages reads an event that carries the message attributes of v1.37.
func (x *reading) detailMessages(attrs pcommon.Map, s side, m *messages) bool {
	if s == sideIn {
		return m.read(eventText(attrs, "gen_ai.input.messages"), roleUser, x.opts.HistoryBytes)
	}
	return m.read(eventText(attrs, "gen_ai.output.messages"), roleAssistant, x.opts.AttributeBytes)
}

// eventMessage reads one event as one message.
func (x *reading) eventMessage(row *eventRow, attrs pcommon.Map, m *messages) bool {
	if row.side == sideOut {
		if f := eventText(attrs, "finish_reason"); f != "" {
			m.finish = f
		}
	}
	limit := x.opts.HistoryBytes
	if row.side == sideOut {
		limit = x.opts.AttributeBytes
	}
	body := upTo(limit, eventText(attrs, row.body...))
	calls := upTo(limit, eventText(attrs, "tool_calls"))
	if body == "" && calls == "" {
		return false
	}
	if row.role == roleNone || statesRole(body) {
		return m.read(body, row.role, limit)
	}
	m.begin(row.role)
	d := docReader{messages: m, speaker: row.role, inside: true}
	if row.role == roleTool && !holdsResults(body) {
		d.add(part{kind: partResult, id: eventText(attrs, "id"), payload: body})
		return true
	}
	d.eventContent(body)
	if calls != "" {
		d.value(calls, 1)
	}
	return true
}

// upTo returns a text of at most limit bytes, "" for a longer one.
func upTo(limit int, text string) string {
	if len(text) > limit {
		return ""
	}
	return text
}

// statesRole reports whether an event's body is a message object of its own.
func statesRole(body string) bool {
	return jsonscan.Kind(body) == '{' && (jsonscan.Get(body, "role") != "" || jsonscan.Get(body, "message") != "")
}

// holdsResults reports whether a tool's message is a list of result parts and
// not a result itself.
func holdsResults(body string) bool {
	c := jsonscan.Elements(body)
	if !c.Next() {
		return false
	}
	o := objectOf(c.Value())
	return o[memberToolResult] != "" || partTypes[jsonscan.Unquote(o[memberType])] == partResult
}

// eventContent reads a body that is a list of parts, an object or plain text.
func (d *docReader) eventContent(body string) {
	if k := jsonscan.Kind(body); k == '[' || k == '{' {
		if jsonscan.Check(body) == jsonscan.Cut {
			d.cut = true
		}
		before := len(d.parts)
		if d.value(body, 1); len(d.parts) > before || d.cut {
			return
		}
	}
	if body != "" {
		d.add(part{payload: body})
	}
}

// toolEvents returns the arguments and the result of a tool call that only
// events hold (Strands, Claude Code).
func (x *reading) toolEvents() (args, result string) {
	for _, e := range x.span.Events().All() {
		switch attrs := e.Attributes(); e.Name() {
		case "gen_ai.tool.message":
			args = eventText(attrs, "content")
		case "gen_ai.choice":
			result = eventText(attrs, "message", "content")
		case "tool.output":
			args = eventText(attrs, "tool.input", "bash_command", "file_path")
			result = eventText(attrs, "output", "content")
		case "gen_ai.client.inference.operation.details":
			x.toolDetails(attrs, &args, &result)
		}
	}
	return args, result
}

// toolDetails finds a tool call and its response in the v1.37 messages of an
// event, as Strands writes them on tool spans.
func (x *reading) toolDetails(attrs pcommon.Map, args, result *string) {
	m := &x.scratch
	m.reset()
	m.read(eventText(attrs, "gen_ai.input.messages"), roleTool, x.opts.AttributeBytes)
	m.read(eventText(attrs, "gen_ai.output.messages"), roleTool, x.opts.AttributeBytes)
	for i := range m.parts {
		switch p := &m.parts[i]; p.kind {
		case partCall:
			*args = p.payload
		case partResult:
			*result = p.payload
		}
	}
}

// errorText returns what the span says about its failure, in the words that
// say most, and whether the failure is control flow and none at all.
func (x *reading) errorText() (text string, controlFlow bool) {
	status := x.span.Status().Message()
	for _, e := range x.span.Events().All() {
		if e.Name() != "exception" {
			continue
		}
		attrs := e.Attributes()
		kind := eventText(attrs, "exception.type")
		text = eventText(attrs, "exception.message")
		if isControlFlow(kind) || isControlFlow(text) {
			return "", true
		}
		if text == "" {
			text = kind
		}
	}
	if isControlFlow(status) {
		return "", true
	}
	if text == "" {
		text = status
	}
	if text == "" {
		text = x.text(fieldErrorText)
	}
	return text, false
}

// controlFlow are exceptions by which LangGraph hands over and interrupts.
var controlFlow = []string{"ParentCommand", "GraphInterrupt", "NodeInterrupt", "GraphBubbleUp"}

func isControlFlow(text string) bool {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	for _, word := range controlFlow {
		if strings.HasPrefix(text, word) || strings.HasSuffix(text, "."+word) {
			return true
		}
	}
	return false
}

// errorFinishes are exceptions that stand for a finish reason: Strands throws
// where others report.
var errorFinishes = map[string]string{
	"MaxTokensError": FinishLength, "MaxTokensReachedException": FinishLength,
	"ContentFilteredError": FinishContentFilter,
}

// thrownFinish returns the finish reason that an exception stands for.
func thrownFinish(span ptrace.Span) string {
	for _, e := range span.Events().All() {
		if e.Name() == "exception" {
			if f := errorFinishes[lastSegment(eventText(e.Attributes(), "exception.type"))]; f != "" {
				return f
			}
		}
	}
	return ""
}

// hasException reports whether the span recorded an exception.
func hasException(span ptrace.Span) bool {
	for _, e := range span.Events().All() {
		if e.Name() == "exception" {
			return true
		}
	}
	return false
}
