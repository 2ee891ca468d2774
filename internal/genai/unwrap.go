// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// maxUnwrap bounds how many layers of wrapping and quoting are taken off.
const maxUnwrap = 8

// wrapKey names the members that wrappers consist of.
type wrapKey uint8

const (
	wrapOther wrapKey = iota
	wrapArgs
	wrapKwargs
	wrapInput
	wrapInputs
	wrapInputStr
	wrapMetadata
	wrapTags
	wrapTool
	wrapArguments
	wrapCallID
	wrapName
	wrapType
	wrapID
	wrapLC
	wrapContent
	wrapOutput
	wrapToolCallID
	wrapValue
	wrapJSON
	wrapText
	wrapFailed
	wrapStatus
	wrapError
	wrapDecor
	wrapToolUse
	wrapKeyCount
)

// wrapKeys maps member names to what they are in a wrapper. Decor is what may
// stand in a result's wrapper and says nothing.
var wrapKeys = map[string]wrapKey{
	"args": wrapArgs, "kwargs": wrapKwargs, "input": wrapInput, "inputs": wrapInputs, "input_str": wrapInputStr,
	"metadata": wrapMetadata, "tags": wrapTags, "tool_name": wrapTool, "tool": wrapTool, "toolName": wrapTool,
	"arguments": wrapArguments, "parameters": wrapArguments, "callId": wrapCallID, "call_id": wrapCallID, "name": wrapName, "type": wrapType,
	"id": wrapID, "lc": wrapLC, "content": wrapContent, "output": wrapOutput, "tool_call_id": wrapToolCallID,
	"toolCallId": wrapToolCallID, "toolUseId": wrapToolCallID, "tool_use_id": wrapToolCallID,
	"value": wrapValue, "json": wrapJSON, "text": wrapText,
	"isError": wrapFailed, "is_error": wrapFailed, "status": wrapStatus, "error": wrapError,
	"_meta": wrapDecor, "annotations": wrapDecor, "structuredContent": wrapDecor, "structured_content": wrapDecor, "artifact": wrapDecor,
	"additional_kwargs": wrapDecor, "response_metadata": wrapDecor, "example": wrapDecor, "lc_direct_tool_output": wrapDecor, "meta": wrapDecor,
	"isClientInitiated": wrapDecor, "prompt_id": wrapDecor, "schedulerId": wrapDecor, "providerOptions": wrapDecor,
}

// wrapSet has one bit per wrapKey.
type wrapSet uint32

func wraps(keys ...wrapKey) (s wrapSet) {
	for _, k := range keys {
		s |= 1 << k
	}
	return s
}

// A wrapper is an object that holds need, nothing outside need and allow, and
// stands for the value of the first of take that is not empty.
type wrapper struct {
	need, allow wrapSet
	take        []wrapKey
}

// argWrappers are what emitters put around arguments.
var argWrappers = []wrapper{
	// LangChain callbacks, as OpenLLMetry writes them: metadata holds step and run ids.
	{need: wraps(wrapInputStr), allow: wraps(wrapInputs, wrapMetadata, wrapTags, wrapKwargs), take: []wrapKey{wrapInputs, wrapInputStr}},
	// MCP as OpenLLMetry and Goose write it.
	{need: wraps(wrapTool, wrapArguments), allow: wraps(wrapID, wrapDecor), take: []wrapKey{wrapArguments}},
	// Gemini CLI's request object; a LangChain tool call.
	{need: wraps(wrapName, wrapArgs, wrapCallID), allow: wraps(wrapDecor, wrapType), take: []wrapKey{wrapArgs}},
	{need: wraps(wrapName, wrapArgs, wrapID), allow: wraps(wrapType), take: []wrapKey{wrapArgs}},
	{need: wraps(wrapName, wrapArgs, wrapType), take: []wrapKey{wrapArgs}},
	{need: wraps(wrapName, wrapArguments), allow: wraps(wrapType, wrapDecor, wrapID, wrapCallID), take: []wrapKey{wrapArguments}},
	// Strands and Bedrock.
	{need: wraps(wrapName, wrapInput, wrapToolCallID), allow: wraps(wrapType), take: []wrapKey{wrapInput}},
}

// resultWrappers are what emitters put around results.
var resultWrappers = []wrapper{
	// A serialised LangChain message: {"lc":1,"type":"constructor","id":[…],"kwargs":{…}}.
	{need: wraps(wrapLC, wrapKwargs), allow: wraps(wrapType, wrapID, wrapName), take: []wrapKey{wrapKwargs}},
	{need: wraps(wrapContent, wrapToolCallID), allow: wraps(wrapType, wrapID, wrapName, wrapStatus, wrapDecor, wrapMetadata), take: []wrapKey{wrapContent}},
	// Traceloop and OpenInference around LangChain.
	{need: wraps(wrapOutput), allow: wraps(wrapKwargs, wrapTags, wrapMetadata), take: []wrapKey{wrapOutput}},
	// MCP CallToolResult and Strands' tool result.
	{need: wraps(wrapContent), allow: wraps(wrapFailed, wrapStatus, wrapToolCallID, wrapDecor), take: []wrapKey{wrapContent}},
	// AI SDK 5 and later: {"type":"json","value":…}.
	{need: wraps(wrapType, wrapValue), allow: wraps(wrapDecor), take: []wrapKey{wrapValue}},
	{need: wraps(wrapText), allow: wraps(wrapType, wrapDecor), take: []wrapKey{wrapText}},
	{need: wraps(wrapJSON), allow: wraps(wrapType), take: []wrapKey{wrapJSON}},
}

// members holds what an object has of the wrapper keys.
type members struct {
	values [wrapKeyCount]string
	set    wrapSet
}

// membersOf reads an object. The other bit says that it has further members.
func membersOf(object string) (m members) {
	for c := jsonscan.Members(object); c.Next(); {
		k := wrapKeys[c.Key()]
		m.set |= 1 << k
		m.values[k] = c.Value()
	}
	return m
}

// unwrap takes the value out of the first wrapper that fits.
func (m *members) unwrap(ws []wrapper) (string, bool) {
	for i := range ws {
		w := &ws[i]
		if m.set&w.need != w.need || m.set&^(w.need|w.allow) != 0 {
			continue
		}
		for _, k := range w.take {
			if v := m.values[k]; v != "" && !jsonscan.IsNull(v) && !emptyObject(v) || k == w.take[len(w.take)-1] {
				return v, true
			}
		}
	}
	return "", false
}

// positional unwraps a decorated function's {"args":[…],"kwargs":{…}}.
func (m *members) positional() (string, bool) {
	if m.set != wraps(wrapArgs) && m.set != wraps(wrapArgs, wrapKwargs) || jsonscan.Kind(m.values[wrapArgs]) != '[' {
		return "", false
	}
	kwargs := m.values[wrapKwargs]
	named := kwargs != "" && !emptyObject(kwargs) && !jsonscan.IsNull(kwargs)
	only, n := "", 0
	for c := jsonscan.Elements(m.values[wrapArgs]); c.Next(); n++ {
		only = c.Value()
	}
	switch {
	case n == 0 && named:
		return kwargs, true
	case n == 0:
		return "{}", true
	case n == 1 && !named:
		return only, true
	}
	return "", false
}

// unwrapArgs takes an emitter's wrapping off JSON arguments. What remains is
// JSON, or plain text that was a JSON string.
func unwrapArgs(content string) string {
	for range maxUnwrap {
		switch jsonscan.Kind(content) {
		case '"':
			inner := jsonscan.Unquote(content)
			if jsonscan.Check(inner) != jsonscan.Whole {
				return inner
			}
			content = inner
		case '{':
			m := membersOf(content)
			inner, ok := m.positional()
			if !ok {
				inner, ok = m.unwrap(argWrappers)
			}
			if !ok {
				return content
			}
			content = inner
		default:
			return content
		}
	}
	return content
}

// A result is what a tool came back with, out of its wrapping.
type result struct {
	content string
	// failed and errorText: the wrapping, or the result itself, says that the
	// call failed, and how.
	failed    bool
	errorText string
	// callID and name as a message that carries the result states them.
	callID, name string
}

// unwrapResult takes an emitter's wrapping off a result and notes on the way
// what the wrapping says.
func unwrapResult(content string) result {
	r := result{content: content}
	for range maxUnwrap {
		if !r.peel() {
			break
		}
	}
	return r
}

// peel takes one layer off and reports whether there was one.
func (r *result) peel() bool {
	switch jsonscan.Kind(r.content) {
	case '"':
		return r.peelString()
	case '[':
		return r.peelList()
	case '{':
		return r.peelObject()
	}
	return false
}

func (r *result) peelString() bool {
	if jsonscan.Check(r.content) != jsonscan.Whole {
		return false
	}
	r.content = jsonscan.Unquote(r.content)
	if m, ok := toolMessageRepr(r.content); ok {
		r.content = m
	}
	return jsonscan.Check(r.content) == jsonscan.Whole
}

// peelList unwraps a list of one content part: [{"text":…}], [{"json":…}].
func (r *result) peelList() bool {
	var only string
	n := 0
	for c := jsonscan.Elements(r.content); c.Next() && n < 2; n++ {
		only = c.Value()
	}
	if n != 1 || jsonscan.Kind(only) != '{' {
		return false
	}
	m := membersOf(only)
	inner, ok := m.unwrap(resultWrappers)
	if ok {
		r.content = inner
		r.note(&m)
	}
	return ok
}

func (r *result) peelObject() bool {
	m := membersOf(r.content)
	r.note(&m)
	inner, ok := m.unwrap(resultWrappers)
	if ok {
		r.content = inner
	}
	return ok
}

// note reads what an object says about the call besides its result.
func (r *result) note(m *members) {
	typ := jsonscan.Unquote(m.values[wrapType])
	if jsonscan.Unquote(m.values[wrapFailed]) == "true" || jsonscan.Unquote(m.values[wrapStatus]) == "error" ||
		typ == "error" || strings.HasPrefix(typ, "error-") {
		r.failed = true
	}
	if e := m.values[wrapError]; saysError(e) {
		r.failed, r.errorText = true, jsonscan.Unquote(e)
	}
	if m.set&wraps(wrapContent) == 0 {
		return
	}
	if r.callID == "" {
		r.callID = jsonscan.Unquote(m.values[wrapToolCallID])
	}
	if r.name == "" {
		r.name = jsonscan.Unquote(m.values[wrapName])
	}
}

// saysError reports whether the value of an "error" member means that there is
// an error: text, an object with members, or true.
func saysError(v string) bool {
	switch jsonscan.Kind(v) {
	case '"':
		return strings.TrimSpace(jsonscan.Unquote(v)) != ""
	case '{':
		return !emptyObject(v)
	case 't':
		return true
	}
	return false
}

// toolMessageRepr takes the content out of Python's str() of a LangChain
// ToolMessage: content='…' name='…' tool_call_id='…'.
func toolMessageRepr(s string) (string, bool) {
	if !strings.HasPrefix(s, "content='") && !strings.HasPrefix(s, `content="`) || !strings.Contains(s, " tool_call_id=") {
		return "", false
	}
	p := pythonReader{s: s, i: len("content=")}
	if p.str(s[p.i]) != jsonscan.Whole {
		return "", false
	}
	return jsonscan.Unquote(p.out.String()), true
}

// isSchema reports whether an object is a JSON schema of parameters and not
// arguments.
func isSchema(object string) bool {
	typ := jsonscan.Unquote(jsonscan.Get(object, "type"))
	return typ == "object" && jsonscan.Kind(jsonscan.Get(object, "properties")) == '{' ||
		jsonscan.Get(object, "$schema") != "" || jsonscan.Get(object, "json_schema") != ""
}
