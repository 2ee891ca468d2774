// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// A slot holds the best value that a span has for a field.
type slot struct {
	value pcommon.Value
	rank  uint8
}

// A scan is one walk over a span's attributes: the kind marks met and, for
// each field, the value of the best key.
type scan struct {
	tables  *tables
	slots   [fieldCount]slot
	present fieldSet
	// blank are the fields that a key holds as empty text.
	blank   fieldSet
	best    mark
	flags   flags
	seen    dialectSet
	failed  bool
	indexed *indexedAttrs
	// named and led are the name rules that may apply.
	named, led []nameRule
}

func (s *scan) walk(attrs pcommon.Map) {
	for key, value := range attrs.All() {
		if info := s.tables.keys[key]; info != nil {
			s.take(info, value)
			continue
		}
		if key != "" {
			if rows := s.tables.indexed[key[0]]; rows != nil {
				s.takeIndexed(rows, key, value)
			}
		}
	}
}

func (s *scan) take(info *keyInfo, value pcommon.Value) {
	if info.kinds != nil || info.any != nil {
		s.takeKind(info, value)
	}
	for i := range info.failures {
		s.failed = s.failed || info.failures[i].matches(value)
	}
	if isEmpty(value) {
		s.blank |= fieldSet(1) << info.field
		return
	}
	s.seen |= 1 << info.dialect
	if info.field == fieldEvidence {
		return
	}
	bit := fieldSet(1) << info.field
	slot := &s.slots[info.field]
	if s.present&bit == 0 || info.rank < slot.rank {
		s.present |= bit
		slot.value, slot.rank = value, info.rank
	}
}

func (s *scan) takeKind(info *keyInfo, value pcommon.Value) {
	if value.Type() != pcommon.ValueTypeStr {
		return
	}
	// MLflow writes its marks as JSON strings.
	text := strings.Trim(value.Str(), `"`)
	m, ok := info.kinds[text]
	if !ok {
		if info.any == nil || text == "" {
			return
		}
		m = *info.any
	}
	s.consider(m)
}

func (s *scan) consider(m mark) {
	s.flags |= m.flags
	if m.better(s.best) {
		s.best = m
	}
}

func (s *scan) takeIndexed(rows []indexedRow, key string, value pcommon.Value) {
	for i := range rows {
		if strings.HasPrefix(key, rows[i].prefix) {
			if s.indexed == nil {
				s.indexed = indexedPool.Get().(*indexedAttrs)
			}
			s.indexed.add(&rows[i], key, value)
			return
		}
	}
}

// name looks up the rules for a span's name.
func (s *scan) name(name string) {
	s.named = s.tables.exact[name]
	if w := firstWord(name); w != "" {
		s.led = s.tables.first[w]
	}
}

// candidate reports whether anything of the span is worth a closer look.
func (s *scan) candidate() bool {
	return s.best.kind != None || s.named != nil || s.led != nil || s.seen&^(1<<Unspecified) != 0 || s.has(fieldRunMark)
}

// decide weighs the marks, names and fields of a candidate.
func (s *scan) decide(scope, name string) (mark, bool) {
	scoped := s.tables.scope(scope)
	s.seen |= 1 << scoped
	s.weighNames(s.named, name)
	s.weighNames(s.led, name)
	s.weighNames(s.tables.last[lastSegment(name)], name)
	for i := range s.tables.presence {
		p := &s.tables.presence[i]
		if s.present.hasAll(p.all) && (p.need == Unspecified || s.seen.has(p.need)) {
			s.consider(p.mark)
		}
	}
	m := s.best
	m.flags = s.flags
	if scoped != Unspecified {
		m.dialect = scoped
	}
	return m, m.kind != None
}

func (s *scan) weighNames(rules []nameRule, name string) {
	for i := range rules {
		r := &rules[i]
		if r.need != Unspecified && !s.seen.has(r.need) || r.with != fieldEvidence && !s.has(r.with) {
			continue
		}
		if r.exact != "" || strings.HasPrefix(name, r.prefix) && strings.HasSuffix(name, r.suffix) {
			s.consider(r.mark)
		}
	}
}

// scope finds the dialect of an instrumentation scope by its name or by a
// leading part of it. Of a name longer than all known ones only so much is
// looked at as shows where a known one ends.
func (t *tables) scope(name string) Dialect {
	name = name[:min(len(name), t.longestScope+1)]
	for name != "" {
		if d, ok := t.scopes[name]; ok {
			return d
		}
		name = name[:max(strings.LastIndexAny(name, ".-/@_"), 0)]
	}
	return Unspecified
}

func (f *failureRow) matches(value pcommon.Value) bool {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return f.text != "" && strings.EqualFold(value.Str(), f.text)
	case pcommon.ValueTypeBool:
		return f.text == "false" && !value.Bool() || f.text == "true" && value.Bool()
	case pcommon.ValueTypeInt:
		return f.text == "" && value.Int() >= f.min
	}
	return false
}

func isEmpty(value pcommon.Value) bool {
	switch value.Type() {
	case pcommon.ValueTypeEmpty:
		return true
	case pcommon.ValueTypeStr:
		return value.Str() == ""
	}
	return false
}
