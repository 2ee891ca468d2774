// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// call is a call as the detectors see it.
type call struct {
	tool mark
	// args covers the tool and its arguments; 0 if these are unknown.
	args mark
	// exact is args with the parts that make no difference.
	exact mark
	// out is the outcome; 0 if unknown.
	out   mark
	index int
	// nth counts the calls of the tool in the run, from 1; 0 for delegations.
	nth         int
	varied      uint64
	failed      bool
	informative bool
	delegation  bool
	ignored     bool
}

// beat is the unit of a sequence: one call, or for Retrospective the round, the
// set of calls of one step.
type beat struct {
	// Tools is the set of tool names.
	Tools mark
	// Calls is the set of calls; 0 if the arguments of one are unknown.
	Calls mark
	// Exact is Calls with the parts that make no difference, Varied says
	// which kinds of such parts there are.
	Exact  mark
	Varied uint64
	// Known is the set of calls whose outcome is known, Outs that of these
	// with their outcomes.
	Known mark
	Outs  mark
	// Results is the set of tools and outcomes; 0 unless arguments are
	// unknown and all outcomes known.
	Results mark
	// Call is the last call in its step.
	Call int
	// Full says that all outcomes are known.
	Full bool
	// Informative says that all outcomes are.
	Informative bool
	// Delegated says that all calls are delegations.
	Delegated bool
}

// marks is room for the calls of a usual round.
type marks [16]mark

// beatOf makes one beat of at least one call.
func beatOf(calls []call) beat {
	last := calls[len(calls)-1]
	b := beat{Call: last.index, Full: true, Informative: true, Delegated: true}
	var tools, args, exact, known, outs, results marks
	t, a, e, k, o, r := tools[:0], args[:0], exact[:0], known[:0], outs[:0], results[:0]
	argsKnown := true
	for _, c := range calls {
		t = append(t, c.tool)
		a, e = append(a, c.args), append(e, c.exact)
		argsKnown = argsKnown && c.args != 0
		if c.out != 0 && c.args != 0 {
			k, o = append(k, c.args), append(o, c.args.with(c.out))
		}
		r = append(r, c.tool.with(c.out))
		b.Full = b.Full && c.out != 0
		b.Informative = b.Informative && c.informative
		b.Delegated = b.Delegated && c.delegation
		b.Varied |= c.varied
	}
	b.Tools = setOf(t)
	if argsKnown {
		b.Calls, b.Exact, b.Known, b.Outs = setOf(a), setOf(e), setOf(k), setOf(o)
	} else if b.Full {
		b.Results = setOf(r)
	}
	return b
}

// relation says how a beat compares with an earlier one.
type relation int

const (
	// unsure: too little is known; it neither counts nor breaks.
	unsure relation = iota
	// differs: another call, or the same with another outcome.
	differs
	// sameCalls: the same calls, of which not all outcomes are known.
	sameCalls
	// sameResults: the same informative outcomes of calls with unknown
	// arguments.
	sameResults
	// same: the same calls with the same outcomes.
	same
)

// to compares b with an earlier beat. Without outcomes, equal calls are the
// same whatever they came back with.
func (b *beat) to(a *beat, outcomes bool) relation {
	switch {
	case a.Tools != b.Tools:
		return differs
	case a.Calls != 0 && b.Calls != 0:
		return b.toKnown(a, outcomes)
	case outcomes && a.Results != 0 && b.Results != 0:
		return b.toResults(a)
	default:
		return unsure
	}
}

func (b *beat) toKnown(a *beat, outcomes bool) relation {
	switch {
	case a.Calls != b.Calls:
		return differs
	case !outcomes:
		return same
	case a.Known != b.Known:
		return sameCalls
	case a.Outs != b.Outs:
		return differs
	case a.Full && b.Full:
		return same
	default:
		return sameCalls
	}
}

func (b *beat) toResults(a *beat) relation {
	switch {
	case a.Results != b.Results:
		return differs
	case b.Informative:
		return sameResults
	default:
		return unsure
	}
}

// identity tells loops of one detector apart; it outlives unknown outcomes.
func (b *beat) identity() mark {
	if b.Calls != 0 {
		return b.Calls
	}
	return b.Tools.with(b.Results)
}
