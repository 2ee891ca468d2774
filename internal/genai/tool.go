// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// tool reads a tool span.
func (x *reading) tool() {
	f := x.f
	f.Transport = x.transport()
	args, out := x.payloads()
	res, ok := x.Reader.result(out)
	x.toolName(args, &res)
	if f.CallID = hashID(x.callID(&res)); f.CallID == hashID(f.Name) {
		f.CallID = 0
	}
	x.handoff()
	text, controlFlow := x.errorText()
	f.Failed = !controlFlow && (x.failing() || ok && res.failed)
	if text == "" && !generic(x.scan.text(fieldErrorType)) {
		text = x.scan.text(fieldErrorType)
	}
	if f.Args = x.args(f.Name, args); f.Args.Known() && out == "" && x.blank&setOf([]field{fieldToolResult, fieldOutput}) != 0 {
		ok = true // the content is captured, and the tool said nothing
	}
	f.Outcome = x.outcome(res, ok, f.Failed, text)
	if controlFlow {
		f.Outcome.Failed = false
	}
	f.HasContent = f.Args.Known() || f.Outcome.Known()
}

// transport reports whether the span is a protocol's view of a call. A
// framework may put MCP attributes on its own span; that one is INTERNAL.
func (x *reading) transport() bool {
	if x.mark.flags&flagTransport != 0 {
		return true
	}
	kind := x.span.Kind()
	return x.mark.flags&flagMCP != 0 && (kind == ptrace.SpanKindClient || kind == ptrace.SpanKindServer)
}

// payloads returns the texts of the arguments and the result, "" where the
// span has none or hides them.
func (x *reading) payloads() (args, out string) {
	if args = x.firstOf(fieldToolArgs, fieldInput); args == "" {
		args = firstText(x.toolParams(), x.indexed.parameters(), x.scan.text(fieldInputMessages))
	}
	out = x.firstOf(fieldToolResult, fieldOutput, fieldOutputMessages)
	if args == "" || out == "" {
		eventArgs, eventOut := x.toolEvents()
		args, out = firstText(args, eventArgs), firstText(out, eventOut)
	}
	if withholders.has(x.mark.dialect) && emptyObject(args) && (out == "" || emptyObject(out)) {
		return "", ""
	}
	return args, out
}

// toolParams returns tool.parameters where it holds arguments. Half of the
// OpenInference family puts the constant schema there.
func (x *reading) toolParams() string {
	params := x.scan.text(fieldToolParams)
	if isSchema(params) {
		return ""
	}
	return params
}

// firstOf returns the text of the first field that the span has.
func (x *reading) firstOf(fields ...field) string {
	for _, f := range fields {
		if x.has(f) {
			return x.scan.text(f)
		}
	}
	return ""
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// classNames are what LangChain calls its tools in code; they name no tool.
var classNames = map[string]bool{
	"DynamicStructuredTool": true, "StructuredTool": true, "DynamicTool": true, "FunctionTool": true,
	"MCPAdaptTool": true, "Tool": true, "BaseTool": true,
}

// toolPrefixes stand before the tool's name in a span's name.
var toolPrefixes = []string{
	"execute_tool ", "running tool: ", "tools/call ", "MCP send tools/call ", "MCP request: tools/call ", "tool.execute ", "tool_call ",
	"delegate ", "opencode.tool ", "Function: ", "handoff to ", "tool.execution:", "tool.",
}

// toolName finds the tool's name: an attribute, a wrapper in the arguments or
// the result, else what is left of the span's name.
func (x *reading) toolName(args string, res *result) {
	names := [...]string{x.scan.text(fieldToolName), "", "", res.name}
	if x.mark.flags&flagEntity != 0 {
		names[1] = x.scan.text(fieldEntityName)
	}
	if jsonscan.Kind(args) == '{' && len(args) <= x.opts.AttributeBytes {
		names[2] = wrappedName(args)
	}
	for _, n := range names {
		if n = nameOf(n); n != "" && !classNames[n] {
			x.f.Name, x.f.NameKnown = n, true
			return
		}
	}
	name := x.span.Name()
	stripped := stripToolName(name)
	if x.mark.flags&flagSpanName != 0 {
		x.f.Name = nameOf(stripped)
		x.f.NameKnown = x.f.Name != "" && !classNames[x.f.Name]
		return
	}
	if stripped != name {
		x.f.Name = nameOf(stripped)
	}
}

func stripToolName(name string) string {
	for _, p := range toolPrefixes {
		if rest, ok := strings.CutPrefix(name, p); ok {
			return rest
		}
	}
	name = strings.TrimSuffix(name, ".run")
	return strings.TrimSuffix(name, ".tool")
}

// wrappedName returns the tool's name from {"tool_name":…,"arguments":…}.
func wrappedName(args string) string {
	m := membersOf(args)
	if m.set&wraps(wrapTool, wrapArguments) != wraps(wrapTool, wrapArguments) {
		return ""
	}
	return jsonscan.Unquote(m.values[wrapTool])
}

// callID returns the id of the call, from the span, the result's message or an
// event.
func (x *reading) callID(res *result) string {
	if id := x.scan.text(fieldCallID); id != "" || res.callID != "" {
		return firstText(id, res.callID)
	}
	for _, e := range x.span.Events().All() {
		if e.Name() == "gen_ai.tool.message" || e.Name() == "gen_ai.choice" {
			return eventText(e.Attributes(), "id")
		}
	}
	return ""
}

// failing reports what the span itself says of a failure. A status of OK with
// an exception on the way is none: somebody handled it.
func (x *reading) failing() bool {
	switch {
	case x.span.Status().Code() == ptrace.StatusCodeError, x.failed, x.has(fieldErrorType):
		return true
	case x.span.Status().Code() == ptrace.StatusCodeOk && !x.exceptionCounts():
		return false
	}
	return hasException(x.span)
}

// exceptionCounts reports whether the dialect sets OK on spans that failed:
// LangSmith does.
func (x *reading) exceptionCounts() bool { return x.mark.dialect == LangSmith }

// generic reports whether an error type says no more than that there was one.
func generic(errorType string) bool {
	switch errorType {
	case "_OTHER", "tool_error", "error", "Error", "true", "exception", "Exception", "unknown", "ToolError":
		return true
	}
	return false
}

// handoffPrefixes begin the names of tools that pass control to an agent.
var handoffPrefixes = []string{"transfer_to_", "transfer_back_to_", "handoff", "hand_off", "handover", "hand_over"}

func isHandoff(tool string) bool {
	for _, p := range handoffPrefixes {
		if strings.HasPrefix(tool, p) {
			return true
		}
	}
	return false
}

func (x *reading) handoff() {
	x.f.Handoff = x.mark.flags&flagHandoff != 0 || isHandoff(x.f.Name)
}
