// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// member names what message documents consist of, under all spellings.
type member uint8

const (
	memberNone member = iota
	memberRole
	memberType
	memberID
	memberName
	memberContent
	memberParts
	memberText
	memberPrompt
	memberToolCalls
	memberToolCallID
	memberCallID
	memberFunction
	memberArguments
	memberInput
	memberOutput
	memberResponse
	memberResult
	memberValue
	memberJSON
	memberData
	memberMessage
	memberMessages
	memberContents
	memberChoices
	memberCandidates
	memberGenerations
	memberKwargs
	memberAdditional
	memberToolUse
	memberToolResult
	memberFunctionCall
	memberToolName
	memberServerCall
	memberFinish
	memberStop
	memberUsage
	memberFailed
	memberStatus
	memberEventName
	memberCount
)

// memberNames maps spellings to members.
var memberNames = map[string]member{
	"role": memberRole, "type": memberType, "id": memberID, "name": memberName,
	"content": memberContent, "parts": memberParts, "text": memberText, "prompt": memberPrompt,
	"tool_calls": memberToolCalls, "toolCalls": memberToolCalls,
	"tool_call_id": memberToolCallID, "toolCallId": memberToolCallID, "tool_use_id": memberToolCallID, "toolUseId": memberToolCallID, "ref": memberToolCallID,
	"call_id": memberCallID, "callId": memberCallID, "function": memberFunction,
	"arguments": memberArguments, "args": memberArguments, "input": memberInput,
	"output": memberOutput, "response": memberResponse, "result": memberResult, "value": memberValue, "json": memberJSON, "data": memberData,
	"message": memberMessage, "messages": memberMessages, "contents": memberContents, "choices": memberChoices,
	"candidates": memberCandidates, "generations": memberGenerations, "kwargs": memberKwargs, "additional_kwargs": memberAdditional,
	"toolUse": memberToolUse, "functionCall": memberFunctionCall, "function_call": memberFunctionCall, "toolRequest": memberToolUse,
	"toolResult": memberToolResult, "functionResponse": memberToolResult, "function_response": memberToolResult, "toolResponse": memberToolResult,
	"toolName": memberToolName, "tool_name": memberToolName,
	"server_tool_call": memberServerCall,
	"finish_reason":    memberFinish, "finishReason": memberFinish, "stop_reason": memberStop, "stopReason": memberStop,
	"usage": memberUsage, "usageMetadata": memberUsage, "usage_metadata": memberUsage,
	"is_error": memberFailed, "isError": memberFailed, "status": memberStatus, "event.name": memberEventName,
}

// object holds the members of one object, as source text; "" is absent.
type object [memberCount]string

func objectOf(raw string) (o object) {
	for c := jsonscan.Members(raw); c.Next(); {
		if k := memberNames[c.Key()]; k != memberNone {
			o[k] = c.Value()
		}
	}
	return o
}

// first returns the first member that is there.
func (o *object) first(keys ...member) string {
	for _, k := range keys {
		if o[k] != "" {
			return o[k]
		}
	}
	return ""
}

// firstString returns the text of the first member that is a string and not
// empty.
func (o *object) firstString(keys ...member) string {
	for _, k := range keys {
		if jsonscan.Kind(o[k]) == '"' {
			if s := jsonscan.Unquote(o[k]); s != "" {
				return s
			}
		}
	}
	return ""
}

// partTypes maps what a part's type says to what it is.
var partTypes = map[string]partKind{
	"text": partText, "output_text": partText, "input_text": partText, "refusal": partText,
	"tool_call": partCall, "tool-call": partCall, "tool_use": partCall, "toolUse": partCall, "function_call": partCall, "function": partCall,
	"server_tool_call": partCall, "server_tool_use": partCall, "mcp_call": partCall, "custom_tool_call": partCall,
	"tool_call_response": partResult, "tool-result": partResult, "tool_result": partResult, "toolResult": partResult,
	"function_call_output": partResult, "function_call_result": partResult, "hosted_tool_call": partCall, "toolResultBlock": partResult, "custom_tool_call_output": partResult, "toolUseBlock": partCall, "textBlock": partText,
}

// silentParts are known parts that say nothing here.
var silentParts = map[string]bool{
	"reasoning": true, "thinking": true, "redacted_thinking": true, "blob": true, "file": true, "uri": true, "image_url": true,
	"image": true, "input_image": true, "compaction": true, "server_tool_call_response": true, "reasoningBlock": true, "step-start": true,
}

// isPart reads an object that is a part of a message, and reports whether it
// was one.
func (d *docReader) isPart(raw string, o *object, depth int) bool {
	if nested := o[memberToolUse]; nested != "" {
		return d.nested(nested, partCall)
	}
	if nested := o[memberToolResult]; nested != "" {
		return d.nested(nested, partResult)
	}
	if nested := o[memberFunctionCall]; nested != "" && o[memberRole] == "" {
		return d.nested(nested, partCall)
	}
	typ := jsonscan.Unquote(o[memberType])
	if silentParts[typ] && o[memberRole] == "" {
		d.nothing = d.nothing || !onlyOne(raw)
		return true
	}
	if kind, ok := partTypes[typ]; ok && o[memberRole] == "" {
		return d.typedPart(o, kind, depth)
	}
	return d.untypedPart(o)
}

// onlyOne reports whether an object has no more than one member: of a part its
// type, where content is off.
func onlyOne(object string) bool {
	c := jsonscan.Members(object)
	c.Next()
	return !c.Next()
}

func (d *docReader) nested(raw string, kind partKind) bool {
	if jsonscan.Kind(raw) != '{' {
		return false
	}
	o := objectOf(raw)
	if kind == partCall {
		d.part(d.callPart(&o))
	} else {
		d.part(d.resultPart(&o, d.idOf(&o), o.first(memberResponse, memberOutput, memberContent, memberResult)))
	}
	return true
}

func (d *docReader) typedPart(o *object, kind partKind, depth int) bool {
	switch kind {
	case partCall:
		d.part(d.callPart(o))
		// An MCP call of a provider carries its result along.
	case partResult:
		d.part(d.resultPart(o, d.idOf(o), o.first(memberResponse, memberResult, memberOutput, memberContent, memberValue)))
	default:
		if t := o.first(memberContent, memberText); jsonscan.Kind(t) == '"' {
			d.part(part{raw: true, payload: t})
		} else if t != "" {
			d.value(t, depth+1)
		}
	}
	return true
}

// untypedPart tells parts without a type by what they hold: AI SDK tool calls,
// LangChain tool calls, Gemini and Bedrock text.
func (d *docReader) untypedPart(o *object) bool {
	switch {
	case o[memberRole] != "":
		return false
	case o.first(memberToolName, memberToolCallID, memberCallID) != "" && o.first(memberOutput, memberResult) != "":
		d.part(d.resultPart(o, d.idOf(o), o.first(memberOutput, memberResult)))
	case o[memberToolName] != "" || o[memberFunction] != "" || o[memberName] != "" && (o[memberArguments] != "" || o[memberInput] != ""):
		d.part(d.callPart(o))
	case jsonscan.Kind(o[memberText]) == '"' && o[memberMessage] == "" && o[memberMessages] == "":
		d.part(part{raw: true, payload: o[memberText]})
	default:
		return false
	}
	return true
}

// idOf returns the id of the call that a call or result object speaks of.
func (d *docReader) idOf(o *object) string {
	for _, k := range [...]member{memberToolCallID, memberCallID, memberID} {
		if id := d.str(o[k]); id != "" {
			return id
		}
	}
	return ""
}

func (d *docReader) callPart(o *object) part {
	p := part{kind: partCall, raw: true, id: d.idOf(o), name: d.str(o.first(memberName, memberToolName))}
	args := o.first(memberArguments, memberInput, memberServerCall)
	if fn := o[memberFunction]; jsonscan.Kind(fn) == '{' {
		f := objectOf(fn)
		p.name = d.str(f[memberName])
		args = f[memberArguments]
	}
	if !d.partial(args) {
		p.payload = args
	}
	return p
}

func (d *docReader) resultPart(o *object, id, payload string) part {
	p := part{kind: partResult, raw: true, id: id, name: d.str(o.first(memberName, memberToolName))}
	if !d.partial(payload) {
		p.payload = payload
	}
	p.failed = jsonscan.Unquote(o[memberFailed]) == "true" || jsonscan.Unquote(o[memberStatus]) == "error"
	if kind := jsonscan.Get(payload, "type"); strings.HasPrefix(jsonscan.Unquote(kind), "error") {
		p.failed = true
	}
	return p
}
