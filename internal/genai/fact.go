// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package genai reads a span and says what it means to an agent run: which
// kind of operation it is, what it is called, and fingerprints of what it
// carried. Every emitter's vocabulary is a table; nothing here knows of runs.
package genai

import "github.com/agentloopguard/loopguardprocessor/guard"

// Kind is the role of a span in an agent run.
type Kind uint8

// The kinds. None is the zero value: not a span of ours.
const (
	None Kind = iota
	// Container is a recognised span that is no agent, model or tool: chain,
	// workflow node, step, cycle, turn, task.
	Container
	// Agent is one agent invocation.
	Agent
	// Model is one model response.
	Model
	// Embedding is an embedding request: usage, but no step.
	Embedding
	// Tool is one tool call, or one view of it.
	Tool
	// Ignored is a recognised span that describes nothing that happened, or
	// something that another span describes better.
	Ignored
	kindCount
)

var kindNames = [kindCount]string{"none", "container", "agent", "model", "embedding", "tool", "ignored"}

// String returns the kind's name as it appears in metrics.
func (k Kind) String() string {
	if k >= kindCount {
		return kindNames[None]
	}
	return kindNames[k]
}

// Fact is what one span says, content reduced to fingerprints and hashes.
//
// Calls and Results keep their backing arrays from one Read to the next: a
// caller that keeps them beyond that must copy them.
type Fact struct {
	Kind    Kind
	Dialect Dialect
	// Name is the agent's or tool's name, or a container's best label; at
	// most 128 characters, "" if nothing names it. A model span has none.
	Name string
	// Model is the model's name where the span states it, for pricing.
	Model string
	// NameKnown says that Name is the emitter's own word for the agent or tool
	// and not a guess from the span's name.
	NameKnown bool
	// Transport marks a tool span that is a protocol's or a runtime's view of
	// a call that a framework's span describes too.
	Transport bool
	// Handoff marks a tool span or a tool name that passes control to another
	// agent.
	Handoff bool
	// Side marks a model span off the run's course (title generation,
	// classifiers): its usage counts, but it is no step.
	Side bool
	// Loop marks the spans of an emitter with one model span for all requests
	// of a run: it says what the last of them brought, which of them asked for
	// a tool call only time can tell, and an agent's total is what its own
	// requests used, without those of agents below it.
	Loop bool

	// CallID, ResponseID and Conversation are hashes of the emitter's ids; 0
	// is none. They tell equal ids from different ones, nothing else.
	CallID, ResponseID, Conversation uint64

	// Args and Outcome belong to a tool span (and to an agent span, where they
	// are the task and the answer); zero values are unknown.
	Args    guard.Fingerprint
	Outcome guard.Outcome
	// Failed says that a tool call or an agent run ended in an error, or that
	// a model request failed and brought no output.
	Failed bool

	Usage Usage
	// Finish is the normalised finish reason; "" is not reported.
	Finish string

	// Text digests what the model said; Print 0 means not captured.
	Text guard.TextDigest
	// Echo is the Print of what the model had said last, as the input holds it,
	// if it called no tool then; 0 is not known.
	Echo uint64
	// Calls are the tool calls that the model's output asks for, in order.
	Calls []Call
	// Results are the tool results that the model's input ends with, in order.
	Results []Result
	// UserTurn says that the input ends with a user's message.
	UserTurn bool
	// HasMessages says that messages, in or out, were captured.
	HasMessages bool
	// HasContent says that messages, arguments or a result were captured.
	HasContent bool
}

// Call is a tool call as a model's output states it.
type Call struct {
	// ID is the hash of the call's id; 0 is none.
	ID   uint64
	Name string
	Args guard.Fingerprint
	// Handoff marks a call that passes control to another agent.
	Handoff bool
}

// Result is a tool's result as a model's input states it.
type Result struct {
	// ID is the hash of the id of the call that it answers; 0 is none.
	ID uint64
	// Name is the tool's name where the result states it.
	Name    string
	Outcome guard.Outcome
}

// reset empties f but keeps the backing arrays.
func (f *Fact) reset() {
	calls, results := f.Calls[:0], f.Results[:0]
	*f = Fact{Calls: calls, Results: results}
}
