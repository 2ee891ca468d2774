// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// indexedPart is what a flattened key holds of a message.
type indexedPart uint8

const (
	indexedNone indexedPart = iota
	indexedRole
	indexedText
	indexedAnswers
	indexedName
	indexedFinish
	indexedCallID
	indexedCallName
	indexedCallArgs
	indexedParameter
)

// indexedParts maps what remains of a flattened key behind the message's
// number, and behind the call's number in it.
var indexedParts = map[string]indexedPart{
	"role": indexedRole, "content": indexedText, "message_content.text": indexedText, "text": indexedText,
	"tool_call_id": indexedAnswers, "name": indexedName, "finish_reason": indexedFinish,
	"function_call.name": indexedCallName, "function_call.arguments": indexedCallArgs,
	"function_call_name": indexedCallName, "function_call_arguments_json": indexedCallArgs,
}

var indexedCallParts = map[string]indexedPart{
	"id": indexedCallID, "name": indexedCallName, "arguments": indexedCallArgs,
	"tool_call.id": indexedCallID, "tool_call.function.name": indexedCallName, "tool_call.function.arguments": indexedCallArgs,
	"function.name": indexedCallName, "function.arguments": indexedCallArgs,
}

// An indexedAttr is one flattened attribute of a message, or one parameter.
type indexedAttr struct {
	side      side
	part      indexedPart
	msg, call int
	name      string
	value     pcommon.Value
}

// indexedAttrs collects the flattened attributes of a span, in any order.
type indexedAttrs struct {
	attrs []indexedAttr
}

var indexedPool = sync.Pool{New: func() any { return new(indexedAttrs) }}

func (x *indexedAttrs) release() {
	clear(x.attrs)
	x.attrs = x.attrs[:0]
	indexedPool.Put(x)
}

func (x *indexedAttrs) add(row *indexedRow, key string, value pcommon.Value) {
	rest := key[len(row.prefix):]
	a := indexedAttr{side: row.side, value: value}
	if row.side == sideParameter {
		name, ok := strings.CutSuffix(rest, row.suffix)
		if !ok || name == "" {
			return
		}
		a.part, a.name = indexedParameter, name
	} else if !a.parse(row, rest) {
		return
	}
	x.attrs = append(x.attrs, a)
}

// parse reads "N.<middle><part>", where part may be "tool_calls.M.<part>" or
// "contents.M.<part>".
func (a *indexedAttr) parse(row *indexedRow, rest string) bool {
	var ok bool
	if a.msg, rest, ok = cutNumber(rest); !ok {
		return false
	}
	if rest, ok = strings.CutPrefix(rest, row.middle); !ok {
		return false
	}
	if calls, ok := strings.CutPrefix(rest, "tool_calls."); ok {
		if a.call, rest, ok = cutNumber(calls); !ok {
			return false
		}
		a.part = indexedCallParts[rest]
		return a.part != indexedNone
	}
	if contents, ok := strings.CutPrefix(rest, "contents."); ok {
		if a.call, rest, ok = cutNumber(contents); !ok {
			return false
		}
	}
	a.part = indexedParts[rest]
	return a.part != indexedNone
}

// cutNumber cuts a number and the dot behind it.
func cutNumber(s string) (n int, rest string, ok bool) {
	digits, rest, ok := strings.Cut(s, ".")
	if !ok || len(digits) > 6 {
		return 0, "", false
	}
	n, err := strconv.Atoi(digits)
	return n, rest, err == nil && n >= 0
}

// messages appends the messages of one side in their order and reports whether
// there were any. Of an output, a role and a finish reason alone are none.
func (x *indexedAttrs) messages(s side, speaker role, m *messages) bool {
	if x == nil {
		return false
	}
	slices.SortFunc(x.attrs, func(a, b indexedAttr) int {
		return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(a.msg, b.msg), cmp.Compare(a.call, b.call), cmp.Compare(a.part, b.part), cmp.Compare(a.name, b.name))
	})
	found := false
	for i := 0; i < len(x.attrs); {
		j := i + 1
		for j < len(x.attrs) && x.attrs[j].side == x.attrs[i].side && x.attrs[j].msg == x.attrs[i].msg {
			j++
		}
		if x.attrs[i].side == s {
			addIndexed(x.attrs[i:j], speaker, m)
			found = found || s == sideIn || slices.ContainsFunc(x.attrs[i:j], indexedAttr.isContent)
		}
		i = j
	}
	return found
}

func (a indexedAttr) isContent() bool {
	return a.part == indexedText || a.part == indexedCallID || a.part == indexedCallName || a.part == indexedCallArgs
}

// addIndexed adds one message from its sorted attributes.
func addIndexed(attrs []indexedAttr, speaker role, m *messages) {
	h := indexedHeader{role: speaker}
	for i := range attrs {
		h.read(&attrs[i], m)
	}
	m.begin(h.role)
	call, open := part{kind: partCall}, -1
	for i := range attrs {
		switch a := &attrs[i]; a.part {
		case indexedText:
			h.say(textOf(a.value), m)
		case indexedCallID, indexedCallName, indexedCallArgs:
			if open >= 0 && open != a.call {
				m.add(call)
				call = part{kind: partCall}
			}
			open = a.call
			call.set(a)
		}
	}
	if open >= 0 {
		m.add(call)
	}
}

// indexedHeader is what a message's attributes say about all of its parts.
type indexedHeader struct {
	role role
	// answers and name are the call that the message answers and its tool.
	answers, name string
}

func (h *indexedHeader) read(a *indexedAttr, m *messages) {
	switch a.part {
	case indexedRole:
		if known := roles[textOf(a.value)]; known != roleNone {
			h.role = known
		}
	case indexedAnswers:
		h.answers = textOf(a.value)
	case indexedName:
		h.name = textOf(a.value)
	case indexedFinish:
		m.finish = textOf(a.value)
	}
}

// say adds a message's content: a tool's result, or what was said.
func (h *indexedHeader) say(text string, m *messages) {
	if h.role != roleTool && h.answers == "" {
		m.readContent(text)
		return
	}
	p := part{kind: partResult, id: h.answers, name: h.name, payload: text}
	if text == "" {
		p.raw, p.payload = true, `""` // a tool that says nothing says something
	}
	m.add(p)
}

func (p *part) set(a *indexedAttr) {
	switch text := textOf(a.value); a.part {
	case indexedCallID:
		p.id = text
	case indexedCallName:
		p.name = text
	default:
		p.payload = text
	}
}

// readContent adds the content of the message that is open: text, or JSON of
// parts (Traceloop writes Anthropic blocks so).
func (m *messages) readContent(text string) {
	if strings.HasPrefix(text, "[{") {
		before := len(m.parts)
		d := docReader{messages: m, inside: true}
		d.value(text, 1)
		if len(m.parts) > before {
			return
		}
	}
	p := part{payload: text}
	if text == "" {
		p.raw, p.payload = true, `""` // the model said nothing, and we know it
	}
	m.add(p)
}

// parameters returns the flattened parameters of a tool as a JSON object, ""
// if there are none.
func (x *indexedAttrs) parameters() string {
	if x == nil {
		return ""
	}
	var b strings.Builder
	for i := range x.attrs {
		a := &x.attrs[i]
		if a.part != indexedParameter {
			continue
		}
		sep := byte(',')
		if b.Len() == 0 {
			sep = '{'
		}
		b.WriteByte(sep)
		b.WriteString(strconv.Quote(a.name))
		b.WriteByte(':')
		b.WriteString(strconv.Quote(textOf(a.value)))
	}
	if b.Len() == 0 {
		return ""
	}
	b.WriteByte('}')
	return b.String()
}
