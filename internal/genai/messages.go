// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// side says whether something went into a model or came out of it.
type side uint8

const (
	noSide side = iota
	sideIn
	sideOut
	// sideParameter marks flattened arguments of a tool.
	sideParameter
)

// role is who speaks in a message.
type role uint8

const (
	roleNone role = iota
	roleSystem
	roleUser
	roleAssistant
	roleTool
)

// roles maps the words of OpenAI, Anthropic, Gemini, LangChain, smolagents and
// the per-message events to roles.
var roles = map[string]role{
	"system": roleSystem, "developer": roleSystem, "SystemMessage": roleSystem, "SystemMessageChunk": roleSystem,
	"user": roleUser, "human": roleUser, "HumanMessage": roleUser, "HumanMessageChunk": roleUser, "USER": roleUser,
	"assistant": roleAssistant, "ai": roleAssistant, "model": roleAssistant, "AIMessage": roleAssistant, "AIMessageChunk": roleAssistant,
	"ASSISTANT": roleAssistant, "AIMessageChunkMixin": roleAssistant, "tool-call": roleAssistant,
	"tool": roleTool, "function": roleTool, "ToolMessage": roleTool, "ToolMessageChunk": roleTool, "FunctionMessage": roleTool,
	"tool-response": roleTool, "tool_response": roleTool, "TOOL": roleTool,
	"gen_ai.system.message": roleSystem, "gen_ai.user.message": roleUser, "gen_ai.assistant.message": roleAssistant,
	"gen_ai.tool.message": roleTool, "gen_ai.choice": roleAssistant,
}

// observationMarks begin a user message in which a text-only agent hands a
// tool's result back (ReAct prompts, smolagents).
var observationMarks = []string{"Observation:", "[TOOL_RESULT", "Tool result:", "<tool_response>", "<tool_result>"}

type partKind uint8

const (
	partText partKind = iota
	partCall
	partResult
)

// A part is one thing said in a message. Payloads are text or, if raw, JSON
// source; both are substrings of what the span holds.
type part struct {
	kind     partKind
	failed   bool
	raw      bool
	id, name string
	payload  string
}

// text returns the payload of a text part.
func (p *part) text() string {
	if p.raw {
		return jsonscan.Unquote(p.payload)
	}
	return p.payload
}

// A message is a run of parts.
type message struct {
	role        role
	first, last int // parts[first:last]
}

// messages is one side of a model request, read into a flat list.
type messages struct {
	list  []message
	parts []part
	// finish is the last finish reason met.
	finish string
	// usage is the JSON of the last usage object met.
	usage string
	// cut says that the source ended early: what it ends with is partial.
	cut bool
	// nothing says that something was captured that leaves no part: null, an
	// empty list, thoughts.
	nothing bool
	// items is scratch.
	items []string
}

func (m *messages) reset() {
	clear(m.parts)
	clear(m.items)
	*m = messages{list: m.list[:0], parts: m.parts[:0], items: m.items[:0]}
}

// maxScratch is how many parts, messages or items of one span are kept room
// for: a huge one must not hold its memory for good.
const maxScratch = 4096

func (m *messages) shrink() {
	if max(cap(m.list), cap(m.parts), cap(m.items)) > maxScratch {
		*m = messages{}
	}
}

func (m *messages) begin(r role) {
	n := len(m.parts)
	m.list = append(m.list, message{r, n, n})
}

func (m *messages) add(p part) {
	m.parts = append(m.parts, p)
	m.list[len(m.list)-1].last = len(m.parts)
}

// partsOf returns the parts of message i.
func (m *messages) partsOf(i int) []part {
	return m.parts[m.list[i].first:m.list[i].last]
}

// hasResult reports whether message i holds a tool's result.
func (m *messages) hasResult(i int) bool {
	for _, p := range m.partsOf(i) {
		if p.kind == partResult {
			return true
		}
	}
	return m.list[i].role == roleTool
}

// withheld reports whether there are messages, but not what they say: the
// emitter leaves their content out, or a mask stands for it.
func (m *messages) withheld() bool {
	if m.cut || m.nothing || len(m.list) == 0 {
		return false
	}
	for i := range m.parts {
		if p := m.parts[i].payload; p != "" && !hides(p) {
			return false
		}
	}
	return true
}

// hides reports whether a text is a mask, or little more than one.
func hides(text string) bool {
	return wholeMasks[text] || asterisks(text) || len(text) < 64 && masked(text)
}

// read adds the messages of a text: JSON of any known shape, or plain text
// said by the speaker. It reports whether the text was captured.
func (m *messages) read(text string, speaker role, limit int) bool {
	d := docReader{messages: m, speaker: speaker}
	doc, ok := d.open(text, limit)
	if ok {
		d.value(doc, 0)
	}
	return ok
}

// readTail is read, but of a list of messages it reads only what follows the
// model's last one, and that one.
func (m *messages) readTail(text string, speaker role, limit int) bool {
	d := docReader{messages: m, speaker: speaker}
	doc, ok := d.open(text, limit)
	if ok {
		d.tailOf(doc, 0)
	}
	return ok
}

// open returns the JSON of a text that was captured, "" if it is plain text,
// which it then has added.
func (d *docReader) open(text string, limit int) (doc string, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > limit || hides(text) || emptyObject(text) {
		return "", false
	}
	if (strings.HasPrefix(text, `[{"`) || strings.HasPrefix(text, `{"`)) && jsonscan.Closed(text) {
		return text, true
	}
	switch jsonscan.Check(text) {
	case jsonscan.Cut:
		d.cut = isBracket(text[0])
	case jsonscan.Not:
		if json, st := pythonToJSON(text); st == jsonscan.Whole {
			return json, true
		}
		d.part(part{payload: text})
		return "", true
	}
	return text, true
}

// tailOf looks for the list of messages and reads its end.
func (d *docReader) tailOf(raw string, depth int) {
	switch jsonscan.Kind(raw) {
	case '[':
		d.tailOfList(raw, depth)
	case '{':
		o := objectOf(raw)
		for _, k := range [...]member{memberMessages, memberContents} {
			if jsonscan.Kind(o[k]) == '[' && depth < maxDocDepth {
				d.tailOf(o[k], depth+1)
				return
			}
		}
		d.value(raw, depth)
	default:
		d.value(raw, depth)
	}
}

func (d *docReader) tailOfList(raw string, depth int) {
	clear(d.items)
	items := d.items[:0]
	for c := jsonscan.Elements(raw); c.Next(); {
		items = append(items, c.Value())
	}
	d.items = items
	if len(items) == 1 && depth < maxDocDepth && jsonscan.Kind(items[0]) == '[' {
		d.tailOf(items[0], depth+1) // LangChain: a batch of one
		return
	}
	first := len(items) - 1
	for first > 0 && !d.isModels(items[first]) {
		first--
	}
	for _, item := range items[max(first, 0):] {
		d.value(item, depth+1)
	}
}

// isModels reports whether a list's item is a message of the model's.
func (d *docReader) isModels(item string) bool {
	o := objectOf(item)
	if kw := o[memberKwargs]; kw != "" {
		class := ""
		for c := jsonscan.Elements(o[memberID]); c.Next(); {
			class = c.Value()
		}
		return roles[jsonscan.Unquote(class)] == roleAssistant
	}
	r := d.roleOf(&o)
	return r == roleAssistant || r == roleNone && partTypes[jsonscan.Unquote(o[memberType])] == partCall
}

// maxDocDepth bounds how deep messages are looked for.
const maxDocDepth = 12

// docReader walks a JSON document of messages. It knows no schema: an object
// is a message, a part or an envelope by the members that it has.
type docReader struct {
	*messages
	speaker role
	// inside says that a message is open, to which parts belong.
	inside bool
	// answers and answerer are the id and the tool that a tool's message
	// states outside its parts.
	answers, answerer string
}

func (d *docReader) value(raw string, depth int) {
	if depth > maxDocDepth {
		return
	}
	switch jsonscan.Kind(raw) {
	case '[':
		for c := jsonscan.Elements(raw); c.Next(); {
			d.value(c.Value(), depth+1)
		}
	case '{':
		d.object(raw, depth)
	case '"':
		d.quoted(raw, depth)
	}
}

// quoted reads a string: at the top it may be JSON once more, in a message it
// is what was said.
func (d *docReader) quoted(raw string, depth int) {
	if d.inside {
		d.part(part{raw: true, payload: raw})
		return
	}
	if d.partial(raw) {
		return
	}
	text := jsonscan.Unquote(raw)
	if k := jsonscan.Kind(text); (k == '{' || k == '[' || k == '"') && jsonscan.Check(text) == jsonscan.Whole {
		d.value(text, depth+1)
		return
	}
	d.part(part{payload: text})
}

// partial reports whether a value is the cut end of the source.
func (d *docReader) partial(raw string) bool {
	return d.cut && jsonscan.Check(raw) != jsonscan.Whole
}

// str returns the text of a string value; "" if it is cut or no string.
func (d *docReader) str(raw string) string {
	if jsonscan.Kind(raw) != '"' || d.partial(raw) {
		return ""
	}
	return jsonscan.Unquote(raw)
}

// part adds a part, and a message for it if none is open.
func (d *docReader) part(p part) {
	if p.raw && d.partial(p.payload) {
		p.payload = ""
	}
	if d.inside && p.kind == partText && d.list[len(d.list)-1].role == roleTool {
		p.kind, p.id, p.name = partResult, d.answers, d.answerer
	}
	if !d.inside {
		switch p.kind {
		case partCall:
			d.begin(roleAssistant)
		case partResult:
			d.begin(roleTool)
		default:
			d.begin(d.speaker)
		}
	}
	d.add(p)
}

// within reads raw as the content of a message that is open.
func (d *docReader) within(raw string, depth int) {
	was := d.inside
	d.inside = true
	d.value(raw, depth+1)
	d.inside = was
}

func (d *docReader) object(raw string, depth int) {
	o := objectOf(raw)
	if f := o.firstString(memberFinish, memberStop); f != "" {
		d.finish = f
	}
	if u := o[memberUsage]; u != "" {
		d.usage = u
	}
	switch {
	case o[memberKwargs] != "" && jsonscan.Kind(o[memberArguments]) == '[':
		d.value(o[memberArguments], depth+1) // a decorated function's arguments
	case o[memberKwargs] != "":
		d.constructed(&o, depth)
	case d.isPart(raw, &o, depth):
	case !d.inside && d.roleOf(&o) != roleNone:
		d.message(&o, d.roleOf(&o), depth)
	default:
		d.envelope(&o, depth)
	}
}

// constructed reads a serialised LangChain object by the class it names.
func (d *docReader) constructed(o *object, depth int) {
	class := ""
	for c := jsonscan.Elements(o[memberID]); c.Next(); {
		class = c.Value()
	}
	kw := objectOf(o[memberKwargs])
	if r := roles[jsonscan.Unquote(class)]; r != roleNone {
		d.message(&kw, r, depth)
		return
	}
	if r := d.roleOf(&kw); r != roleNone {
		d.message(&kw, r, depth)
		return
	}
	d.envelope(&kw, depth)
}

// roleOf returns the role of a message object, roleNone if it is none.
func (d *docReader) roleOf(o *object) role {
	if r := o[memberRole]; r != "" {
		if known := roles[jsonscan.Unquote(r)]; known != roleNone {
			return known
		}
		return roleUser
	}
	if e := o[memberEventName]; e != "" {
		return roles[jsonscan.Unquote(e)]
	}
	if o[memberContent] == "" && o[memberData] == "" {
		return roleNone
	}
	return roles[jsonscan.Unquote(o[memberType])]
}

// message reads a message object.
func (d *docReader) message(o *object, r role, depth int) {
	if depth > maxDocDepth {
		return
	}
	if inner := o[memberData]; inner != "" && o[memberContent] == "" {
		kw := objectOf(inner)
		d.message(&kw, r, depth+1)
		return
	}
	if inner := o[memberMessage]; jsonscan.Kind(inner) == '{' && o[memberContent] == "" {
		kw := objectOf(inner)
		d.message(&kw, r, depth+1)
		return
	}
	d.begin(r)
	if r == roleTool {
		d.answers, d.answerer = o.firstString(memberToolCallID, memberCallID), d.str(o[memberName])
		if payload := o.first(memberContent, memberOutput, memberResult); o[memberParts] == "" && (d.answers != "" || jsonscan.Kind(payload) == '"') {
			d.add(d.resultPart(o, d.answers, payload))
			return
		}
	}
	for _, k := range [...]member{memberContent, memberParts, memberPrompt} {
		if o[k] != "" {
			d.nothing = d.nothing || jsonscan.IsNull(o[k]) || emptyList(o[k])
			d.within(o[k], depth)
		}
	}
	d.calls(o, depth)
}

// calls reads a message's tool calls. LangChain states them twice.
func (d *docReader) calls(o *object, depth int) {
	calls := o[memberToolCalls]
	if calls == "" || emptyList(calls) {
		if extra := o[memberAdditional]; extra != "" {
			kw := objectOf(extra)
			calls, o = kw[memberToolCalls], &kw
		}
	}
	// Anthropic states its calls in the content as well.
	if calls != "" && !d.calledIn(len(d.list)-1) {
		d.within(calls, depth)
	}
	if call := o[memberFunctionCall]; jsonscan.Kind(call) == '{' && !d.calledIn(len(d.list)-1) {
		c := objectOf(call)
		d.add(d.callPart(&c))
	}
}

// calledIn reports whether message i holds a call already.
func (m *messages) calledIn(i int) bool {
	for _, p := range m.partsOf(i) {
		if p.kind == partCall {
			return true
		}
	}
	return false
}

func emptyList(s string) bool {
	c := jsonscan.Elements(s)
	return jsonscan.Kind(s) == '[' && !c.Next()
}

// envelopes lists the members in which messages are looked for; the first that
// is there wins, but for a prompt beside its messages.
var envelopes = [...]member{
	memberMessages, memberContents, memberChoices, memberCandidates, memberGenerations,
	memberMessage, memberOutput, memberParts, memberContent, memberPrompt, memberInput, memberText, memberData, memberValue,
}

// envelope reads an object that is neither message nor part.
func (d *docReader) envelope(o *object, depth int) {
	for _, k := range envelopes {
		if o[k] != "" && !jsonscan.IsNull(o[k]) {
			d.value(o[k], depth+1)
			break
		}
	}
	if calls := o[memberToolCalls]; calls != "" {
		d.value(calls, depth+1)
	}
}
