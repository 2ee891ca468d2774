// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// skip checks the grammar of a container without digesting it.
func (s *scanner) skip(depth int) bool {
	if depth >= maxNesting {
		return false
	}
	object := s.in[s.pos] == '{'
	end := byte(']')
	if object {
		end = '}'
	}
	s.pos++
	if s.space(); s.take(end) {
		return true
	}
	for {
		if object {
			if _, ok := s.name(); !ok {
				return false
			}
		}
		if !s.skipValue(depth + 1) {
			return false
		}
		s.space()
		if s.take(end) {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *scanner) skipValue(depth int) bool {
	s.space()
	if s.pos >= len(s.in) {
		return false
	}
	switch s.in[s.pos] {
	case '"':
		_, ok := s.str()
		return ok
	case '{', '[':
		return s.skip(depth)
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	end := numberEnd(s.in, s.pos)
	if end < 0 {
		return false
	}
	s.pos = end
	return true
}
