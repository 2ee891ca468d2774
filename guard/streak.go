// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// streak counts equal beats in a row.
type streak struct {
	// Ref is what the next beat is compared with.
	Ref beat
	// Count beats were equal; the outcomes of Known of them are known, and
	// equal.
	Count, Known int
	// Alike counts those that are equal but for identifiers: Known starts
	// afresh with each.
	Alike int
	// Differ says that outcomes differed, where these do not matter.
	Differ bool
	// Varied has the kinds of parts that made no difference and differed.
	Varied uint64
	Recent recent
	// Last are the rounds of the last beat that counted.
	Last tempo
	Gaps waits
}

func (s *streak) restart(b *beat, step, wanted int) {
	*s = streak{Ref: *b, Count: 1, Last: b.Tempo}
	if b.Full {
		s.Known = 1
	}
	s.Recent.note(step, wanted)
}

func (s *streak) extend(b *beat, rel relation, step, wanted int) {
	s.Gaps.add(s.Last, b.Tempo)
	s.Last = b.Tempo
	if b.Known == s.Ref.Known && b.Outs != s.Ref.Outs {
		s.Differ, s.Known = true, 0
	}
	s.Count++
	if rel == alike {
		s.Known = 0
		s.Alike++
	}
	if b.Exact != s.Ref.Exact {
		s.Varied |= b.Varied | s.Ref.Varied
	}
	if b.Full {
		s.Known++
		s.Ref = *b
	}
	s.Recent.note(step, wanted)
}

// polls reports whether the streak looks for a change rather than loops.
func (s *streak) polls(r *rules) bool { return r.polls(s.Ref.Progress, s.Ref.Failed, s.Gaps) }

// addCalls takes a beat into a streak of equal calls. It reports whether that
// broke the streak.
func (s *streak) addCalls(b *beat, r *rules, step int) (broke bool) {
	if b.Calls == 0 {
		if broke = s.Count > 0 && b.Tools != s.Ref.Tools; broke {
			*s = streak{}
		}
		return broke
	}
	if s.Count == 0 {
		s.restart(b, step, r.wanted)
		return false
	}
	rel := b.to(&s.Ref, r.RepeatedToolCall.RequireIdenticalResults)
	// After a loop over one thing another is a new start.
	if rel == differs || rel == alike && s.Known >= r.RepeatedToolCall.Threshold {
		s.restart(b, step, r.wanted)
		return true
	}
	s.extend(b, rel, step, r.wanted)
	return false
}

// addResults takes a beat into a streak of equal outcomes of calls whose
// arguments are unknown.
func (s *streak) addResults(b *beat, r *rules, step int) (broke bool) {
	if s.Count > 0 {
		switch {
		case b.Tools != s.Ref.Tools, b.Results != 0 && b.Results != s.Ref.Results:
			*s, broke = streak{}, true
		case b.Results != 0:
			s.extend(b, sameResults, step, r.wanted)
			return false
		}
	}
	if s.Count == 0 && b.Results != 0 && b.Informative {
		s.restart(b, step, r.wanted)
	}
	return broke
}
