// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// model reads a model span.
func (x *reading) model() {
	f := x.f
	f.Side = x.mark.flags&flagSide != 0
	f.ResponseID = hashID(x.scan.text(fieldResponseID))
	x.usage()
	x.output()
	x.input()
	f.Failed = x.requestFailed()
	if x.cameToNothing() {
		f.Text = x.digester.Text("")
	}
	f.HasContent = f.HasMessages
}

// cameToNothing reports whether the usage says that there was no output, where
// no message shows it. Who waits for tools must have asked for them.
func (x *reading) cameToNothing() bool {
	f := x.f
	return f.Text.Print == 0 && !f.Failed && len(f.Calls) == 0 && f.Usage.Has(KnownOutput) && f.Usage.Output == 0 &&
		f.Finish != "" && f.Finish != FinishToolCalls
}

// modelName returns the name of the model, which for Genkit is the entity.
func (x *reading) modelName() string {
	name := x.scan.text(fieldModel)
	if name == "" && x.mark.flags&flagEntity != 0 && x.mark.kind != Agent {
		name = x.scan.text(fieldEntityName)
	}
	return nameOf(name)
}

// requestFailed reports whether the request failed and brought nothing: then
// it was no decision of the model's.
func (x *reading) requestFailed() bool {
	f := x.f
	failed := x.span.Status().Code() == ptrace.StatusCodeError || x.failed || x.has(fieldErrorType)
	if !failed || len(f.Calls) > 0 || f.Text.Words > 0 || f.Usage.Output > 0 || f.Finish != "" && f.Finish != FinishError {
		return false
	}
	_, controlFlow := x.errorText()
	return !controlFlow
}

// output reads what came out: text, calls and finish reason.
func (x *reading) output() {
	m := &x.scratch
	m.reset()
	captured := x.outputMessages(m)
	f := x.f
	for i := range m.parts {
		if p := &m.parts[i]; p.kind == partCall && !(m.cut && p.name == "" && p.id == "") {
			f.Calls = append(f.Calls, x.call(p))
		}
	}
	captured = captured && !m.withheld()
	f.HasMessages = captured
	if captured && !m.cut {
		text := m.said()
		f.Text = x.textDigest(text)
		if f.Kind == Agent && f.Text.Words > 0 {
			res, ok := x.Reader.result(text)
			f.Outcome = x.outcome(res, ok, false, "")
		}
	}
	if f.Finish = x.finish(); f.Finish == "" {
		f.Finish = thrownFinish(x.span)
	}
	// OpenInference has keys for usage. Where the SDK has dropped them, counting
	// the responses whose raw output happens to be left would be no total.
	if x.f.Usage.Known == 0 && m.usage != "" && f.Dialect != OpenInference {
		x.usageFrom(m.usage)
	}
}

// outputMessages reads the output from the first place that has it. Emitters
// that write messages without their calls have the calls in a second place.
func (x *reading) outputMessages(m *messages) bool {
	captured := m.read(x.scan.text(fieldOutputMessages), roleAssistant, x.opts.AttributeBytes)
	captured = m.addCalls(x, !captured) || captured
	if !captured {
		captured = x.eventMessages(sideOut, m)
	}
	if !captured {
		captured = m.read(x.scan.text(fieldOutput), roleAssistant, x.opts.AttributeBytes)
	}
	return captured
}

// addCalls adds what flattened keys and AI SDK's own attributes hold, unless
// calls are there already.
func (m *messages) addCalls(x *reading, nothingYet bool) bool {
	captured := false
	if nothingYet || !m.anyCall() {
		captured = x.indexed.messages(sideOut, roleAssistant, m)
	}
	if text := x.scan.text(fieldOutputText); nothingYet && text != "" {
		captured = m.read(text, roleAssistant, x.opts.AttributeBytes) || captured
	}
	if calls := x.scan.text(fieldToolCalls); calls != "" && !m.anyCall() {
		captured = m.read(calls, roleAssistant, x.opts.AttributeBytes) || captured
	}
	return captured
}

func (m *messages) anyCall() bool {
	for i := range m.parts {
		if m.parts[i].kind == partCall {
			return true
		}
	}
	return false
}

// call digests a call of the output.
func (x *reading) call(p *part) Call {
	name := nameOf(p.name)
	return Call{ID: hashID(p.id), Name: name, Args: x.args(name, p.payload), Handoff: isHandoff(name)}
}

// said returns the text of all parts.
func (m *messages) said() string {
	var only string
	var several []string
	for i := range m.parts {
		p := &m.parts[i]
		if p.kind != partText {
			continue
		}
		switch text := p.text(); {
		case text == "":
		case only == "":
			only = text
		default:
			several = append(several, text)
		}
	}
	if several != nil {
		return only + "\n" + strings.Join(several, "\n")
	}
	return only
}

// textDigest digests what was said, unless it is masked.
func (x *reading) textDigest(text string) guard.TextDigest {
	if masked(text) {
		return guard.TextDigest{}
	}
	return x.digester.Text(text)
}

// finish returns the finish reason: the attribute, else what the output says.
func (x *reading) finish() string {
	if x.has(fieldFinish) {
		if f := finishOf(x.slots[fieldFinish].value); f != "" {
			return f
		}
	}
	if f := finishText(x.scratch.finish, maxFinishDepth); f != "" {
		return f
	}
	return x.rawFinish(x.scan.text(fieldOutput))
}

// input reads what the request ended with: results, or a user's message.
func (x *reading) input() {
	m := &x.scratch
	m.reset()
	if !x.inputMessages(m, (*messages).readTail) {
		return
	}
	x.f.HasMessages = x.f.HasMessages || !m.withheld()
	if m.cut {
		return // the end is missing
	}
	first := m.tail()
	for i := first; i < len(m.list); i++ {
		for j := range m.partsOf(i) {
			if p := &m.partsOf(i)[j]; p.kind == partResult {
				x.f.Results = append(x.f.Results, x.answer(p))
			}
		}
	}
	x.f.Echo = x.echo(first - 1)
	x.f.UserTurn = m.userTurn()
	if x.f.Kind == Agent && x.f.UserTurn {
		x.f.Args = x.args("", m.asked())
	}
}

// echo digests what message i says, if it is the model's and calls no tool.
func (x *reading) echo(i int) uint64 {
	m := &x.scratch
	if i < 0 || x.f.Kind != Model || m.calledIn(i) {
		return 0
	}
	said := messages{parts: m.partsOf(i)}
	text := said.said()
	if text == "" {
		return 0
	}
	return x.textDigest(text).Print
}

// asked returns the text of the last message.
func (m *messages) asked() string {
	last := messages{parts: m.partsOf(len(m.list) - 1)}
	return last.said()
}

// readFunc is messages.read or messages.readTail.
type readFunc func(m *messages, text string, speaker role, limit int) bool

// inputMessages reads the input from the first place that has it.
// Flattened keys come last where the SDK has dropped attributes: it drops the
// end, and the end is what counts.
func (x *reading) inputMessages(m *messages, read readFunc) bool {
	if read(m, x.newest(x.scan.text(fieldInputMessages)), roleUser, x.opts.HistoryBytes) {
		return true
	}
	dropped := x.span.DroppedAttributesCount() > 0
	if !dropped && x.indexed.messages(sideIn, roleUser, m) || x.eventMessages(sideIn, m) {
		return true
	}
	if read(m, x.newest(x.scan.text(fieldInput)), roleUser, x.opts.HistoryBytes) {
		return true
	}
	m.cut = dropped
	return x.indexed.messages(sideIn, roleUser, m)
}

// newest leaves the oldest messages out where there are too many to read.
func (x *reading) newest(text string) string {
	if limit := x.opts.HistoryBytes; len(text) > limit {
		return jsonscan.Newest(text, limit)
	}
	return text
}

// answer digests a tool's result that the input states.
func (x *reading) answer(p *part) Result {
	res, ok := x.Reader.result(p.payload)
	return Result{ID: hashID(p.id), Name: nameOf(p.name), Outcome: x.outcome(res, ok, p.failed, "")}
}

// tail returns the index of the first message behind the last one of the
// model's.
func (m *messages) tail() int {
	for i := len(m.list); i > 0; i-- {
		if m.list[i-1].role == roleAssistant {
			return i
		}
	}
	return 0
}

// userTurn reports whether the messages end with one of the user's.
func (m *messages) userTurn() bool {
	i := len(m.list) - 1
	for i >= 0 && m.list[i].role == roleSystem {
		i--
	}
	return i >= 0 && m.isUsers(i)
}

// isUsers reports whether message i is the user's own: a tool's result in the
// user's place is not.
func (m *messages) isUsers(i int) bool {
	return m.list[i].role == roleUser && !m.hasResult(i) && !m.observes(i)
}

// observes reports whether a user's message hands back a tool's result.
func (m *messages) observes(i int) bool {
	for _, p := range m.partsOf(i) {
		text := strings.TrimSpace(p.text())
		for _, mark := range observationMarks {
			if strings.HasPrefix(text, mark) {
				return true
			}
		}
	}
	return false
}
