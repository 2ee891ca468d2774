// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// A vocabulary is everything that one emitter family says in its own words. To
// teach the reader a dialect, write one and add it to vocabularies.
type vocabulary struct {
	dialect Dialect
	// scopes are instrumentation scope names, whole or up to a '.', '-', '/'
	// or '@', that prove the dialect.
	scopes   []string
	fields   []fieldRow
	kinds    []kindRow
	names    []nameRow
	presence []presenceRow
	failures []failureRow
	indexed  []indexedRow
	events   []eventRow
}

// A fieldRow says that an attribute holds a field. The lowest rank on a span
// wins, so that one fact spelled several ways is read once.
type fieldRow struct {
	field field
	rank  uint8
	key   string
}

// A kindRow says that an attribute value marks a span's kind; value "*" is any
// text. Kind None only adds the flags.
type kindRow struct {
	key, value string
	kind       Kind
	rank       uint8
	flags      flags
}

// A nameRow says that a span's name marks its kind. Without prefix and suffix
// the name must be equal to exact. A row with a need counts only on a span that
// shows the dialect in another way, a scope or a key, and one with a with only
// on a span that has the field.
type nameRow struct {
	exact, prefix, suffix string
	kind                  Kind
	rank                  uint8
	flags                 flags
	need                  Dialect
	with                  field
}

// A presenceRow says that a span that has all these fields is of a kind.
type presenceRow struct {
	fields []field
	kind   Kind
	rank   uint8
	flags  flags
	need   Dialect
}

// A failureRow says that an attribute value means that the operation failed:
// a value equal to text, or a number of at least min when text is empty.
type failureRow struct {
	key  string
	text string
	min  int64
}

// An indexedRow names a family of flattened keys, prefix + number + "." +
// middle + part (parts of messages) or prefix + name + suffix (parameters).
type indexedRow struct {
	prefix, middle, suffix string
	side                   side
}

// An eventRow says what a span event of a name holds.
type eventRow struct {
	name string
	side side
	role role
	// body lists the attributes that may hold the content, the first wins.
	body []string
}

// The ranks of kinds, lowest wins. A mark of the emitter's own beats one that
// a normalizer may have added: gen_ai_normalizer turns chains and tasks into
// invoke_agent, so the container marks stand between the operations that it
// maps faithfully and the agent operations.
const (
	rankPseudo    = 1
	rankTransport = 5
	rankNative    = 10
	rankOperation = 20
	rankPair      = 25
	rankContainer = 30
	rankAgentOp   = 40
	rankName      = 50
	rankWeak      = 60
	rankPresence  = 70
)

// flags refine a mark.
type flags uint16

const (
	// flagTransport: a view of a call that a framework describes too.
	flagTransport flags = 1 << iota
	// flagSide: a model request off the run's course.
	flagSide
	// flagNoUsage: the span's usage is known to be wrong or partial.
	flagNoUsage
	// flagLoop: one model span stands for all requests of a run, see Fact.Loop.
	flagLoop
	// flagSpanName: the span's name is the agent's or tool's name.
	flagSpanName
	// flagEntity: the entity name attribute is the agent's or tool's name.
	flagEntity
	// flagMCP: an MCP method; a view of a call unless a framework added it.
	flagMCP
	// flagHandoff: control passes to another agent.
	flagHandoff
)

// dialectSet has one bit per dialect.
type dialectSet uint64

func (s dialectSet) has(d Dialect) bool { return s&(1<<d) != 0 }

// withholders write {} for both arguments and result when content is off.
const withholders = dialectSet(1<<ADK | 1<<LangSmith)

// cacheExclusive report input tokens without the cached ones.
const cacheExclusive = dialectSet(1 << ClaudeCode)
