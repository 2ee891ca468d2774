// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"fmt"
	"slices"
	"strings"
)

// A field is a canonical attribute.
type field uint8

const (
	// fieldEvidence holds nothing: its keys only prove a dialect.
	fieldEvidence field = iota
	fieldToolName
	fieldEntityName
	fieldAgentName
	fieldCallID
	fieldToolArgs
	fieldToolParams
	fieldToolResult
	fieldInput
	fieldOutput
	fieldInputMessages
	fieldOutputMessages
	fieldToolCalls
	fieldOutputText
	fieldFinish
	fieldModel
	fieldResponseID
	fieldConversation
	fieldMetadata
	fieldErrorType
	fieldErrorText
	fieldInputTokens
	fieldOutputTokens
	fieldTotalTokens
	fieldCacheRead
	fieldCacheWrite
	fieldReasoning
	fieldCost
	fieldInputCost
	fieldOutputCost
	fieldAggregateInput
	fieldAggregateOutput
	fieldAggregateCacheRead
	fieldAggregateCacheWrite
	fieldUsageJSON
	fieldCostJSON
	// fieldRunMark holds nothing: its keys are on the roots of runs.
	fieldRunMark
	fieldCount
)

// fieldSet has one bit per field.
type fieldSet uint64

func (s fieldSet) hasAll(of fieldSet) bool { return s&of == of }

func setOf(fields []field) (s fieldSet) {
	for _, f := range fields {
		s |= 1 << f
	}
	return s
}

// A mark is what a kind, name or presence row says.
type mark struct {
	kind    Kind
	rank    uint8
	flags   flags
	dialect Dialect
}

// better reports whether m decides over other; a tie leaves other.
func (m mark) better(other mark) bool {
	return m.kind != None && (other.kind == None || m.rank < other.rank)
}

// keyInfo is all that the tables say about one attribute key.
type keyInfo struct {
	field    field
	rank     uint8
	dialect  Dialect
	kinds    map[string]mark
	any      *mark
	failures []failureRow
}

type nameRule struct {
	nameRow
	mark mark
}

type presenceRule struct {
	all  fieldSet
	need Dialect
	mark mark
}

// tables are the vocabularies, turned around for look-up.
type tables struct {
	keys   map[string]*keyInfo
	scopes map[string]Dialect
	// longestScope is the length of the longest of the scopes, in bytes.
	longestScope int

	exact    map[string][]nameRule
	first    map[string][]nameRule
	last     map[string][]nameRule
	presence []presenceRule
	indexed  [256][]indexedRow
	events   map[string]eventRow
}

func newTables(vs []vocabulary) *tables {
	t := &tables{
		keys: map[string]*keyInfo{}, scopes: map[string]Dialect{}, events: map[string]eventRow{},
		exact: map[string][]nameRule{}, first: map[string][]nameRule{}, last: map[string][]nameRule{},
	}
	for _, v := range vs {
		t.add(v)
	}
	return t
}

func (t *tables) add(v vocabulary) {
	for _, s := range v.scopes {
		t.scopes[s] = v.dialect
		t.longestScope = max(t.longestScope, len(s))
	}
	for _, row := range v.fields {
		k := t.key(row.key, v.dialect)
		if k.field == fieldEvidence {
			k.field, k.rank, k.dialect = row.field, row.rank, v.dialect
		}
	}
	for _, row := range v.kinds {
		t.key(row.key, v.dialect).addKind(row, v.dialect)
	}
	for _, row := range v.failures {
		k := t.key(row.key, v.dialect)
		k.failures = append(k.failures, row)
	}
	for _, row := range v.names {
		t.addName(row, v.dialect)
	}
	for _, row := range v.presence {
		t.presence = append(t.presence, presenceRule{setOf(row.fields), row.need, mark{row.kind, row.rank, row.flags, v.dialect}})
	}
	for _, row := range v.indexed {
		t.indexed[row.prefix[0]] = append(t.indexed[row.prefix[0]], row)
	}
	for _, row := range v.events {
		t.events[row.name] = row
	}
}

func (t *tables) key(key string, d Dialect) *keyInfo {
	k := t.keys[key]
	if k == nil {
		k = &keyInfo{dialect: d}
		t.keys[key] = k
	}
	return k
}

// addKind enters a value in the spellings that emitters use for it: as is, all
// upper or all lower case.
func (k *keyInfo) addKind(row kindRow, d Dialect) {
	m := mark{row.kind, row.rank, row.flags, d}
	if row.value == "*" {
		k.any = &m
		return
	}
	if k.kinds == nil {
		k.kinds = map[string]mark{}
	}
	for _, v := range []string{row.value, strings.ToUpper(row.value), strings.ToLower(row.value)} {
		k.kinds[v] = m
	}
}

// addName files a row under the part of the name that look-up knows: all of
// it, the first word, or what follows the last dot.
func (t *tables) addName(row nameRow, d Dialect) {
	r := nameRule{row, mark{row.kind, row.rank, row.flags, d}}
	switch {
	case row.exact != "":
		t.exact[row.exact] = append(t.exact[row.exact], r)
	case row.suffix != "":
		s := lastSegment(row.suffix)
		t.last[s] = append(t.last[s], r)
	default:
		w := firstWord(row.prefix)
		t.first[w] = append(t.first[w], r)
	}
}

// firstWord returns s up to its first space; "" if it has none.
func firstWord(s string) string {
	i := strings.IndexByte(s, ' ')
	if i < 0 {
		return ""
	}
	return s[:i]
}

func lastSegment(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }

// userFields are the names under which a configuration may add keys.
var userFields = map[string]field{
	"agent_name": fieldAgentName, "tool_name": fieldToolName, "tool_call_id": fieldCallID,
	"tool_arguments": fieldToolArgs, "tool_result": fieldToolResult,
	"input_messages": fieldInputMessages, "output_messages": fieldOutputMessages, "output_text": fieldOutputText,
	"finish_reason": fieldFinish, "response_id": fieldResponseID, "conversation_id": fieldConversation,
	"error_type": fieldErrorType, "error_message": fieldErrorText, "model": fieldModel,
	"input_tokens": fieldInputTokens, "output_tokens": fieldOutputTokens, "total_tokens": fieldTotalTokens,
	"cache_read_tokens": fieldCacheRead, "cache_write_tokens": fieldCacheWrite, "reasoning_tokens": fieldReasoning,
	"cost": fieldCost,
}

// userOperation is the name under which a configuration adds keys that hold an
// operation name, in the words of gen_ai.operation.name.
const userOperation = "operation"

// UserFields returns the field names that Options.Attributes accepts, sorted.
func UserFields() []string {
	names := []string{userOperation}
	for n := range userFields {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// userVocabulary makes rows of configured keys. They come before all others.
func userVocabulary(attributes map[string][]string) (vocabulary, error) {
	v := vocabulary{dialect: User}
	for name, keys := range attributes {
		f, known := userFields[name]
		if !known && name != userOperation {
			return v, fmt.Errorf("attributes: unknown field %q (known: %s)", name, strings.Join(UserFields(), ", "))
		}
		for i, key := range keys {
			if key == "" {
				return v, fmt.Errorf("attributes: %s: empty key", name)
			}
			if known {
				v.fields = append(v.fields, fieldRow{f, uint8(min(i, 8)), key})
				continue
			}
			for _, row := range operations {
				v.kinds = append(v.kinds, kindRow{key, row.value, row.kind, rankTransport, row.flags})
			}
		}
	}
	return v, nil
}
