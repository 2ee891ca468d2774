// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// call is a call as the detectors see it.
type call struct {
	tool mark
	// args covers the tool and its arguments; 0 if these are unknown.
	args mark
	// exact is args with the parts that make no difference; strict has only
	// the identifiers of these, and loose says that there are some.
	exact  mark
	strict mark
	loose  bool
	// print is out with its volatile parts; hollow says that out has next to
	// nothing else.
	print  mark
	hollow bool
	// out is the outcome; 0 if unknown.
	out   mark
	index int
	// nth counts the calls of the tool in the run, from 1; 0 for delegations.
	nth         int
	varied      uint64
	failed      bool
	informative bool
	bare        bool
	progress    bool
	noTool      bool
	delegation  bool
	ignored     bool
	// acts says that the tool makes changes, by its name.
	acts bool
	// sight is what the run has seen of the call.
	sight sight
}

// counts reports whether the detectors of repetition look at a call.
func (c *call) counts() bool { return !c.ignored && !c.delegation }

// key tells calls apart where outcomes are looked up: a call with another
// identifier is another call.
func (c *call) key() mark { return c.strict }

// trace is the key of what a run has seen: a call, or of one with unknown
// arguments what it came back with, if that says something. 0 is neither.
func (c *call) trace() mark {
	switch {
	case c.out == 0:
		return 0
	case c.args != 0:
		return c.key()
	case c.informative:
		return c.tool.with(c.out).with(unseenArgs)
	default:
		return 0
	}
}

// unseenArgs keeps outcomes apart from calls.
const unseenArgs mark = 0x756e7365656e

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
	// Strict is Calls with their identifiers, Print that of the calls with all
	// that their outcomes hold.
	Strict mark
	Print  mark
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
	// Informative says that all outcomes are, Bare that none of the calls has
	// failed or says more than that it has worked.
	Informative bool
	Bare        bool
	// Progress says that an outcome names work that goes on, Failed that a
	// call has failed.
	Progress bool
	Failed   bool
	// Loose says that the parts which make no difference have identifiers,
	// Hollow that an outcome has next to nothing but such parts.
	Loose  bool
	Hollow bool
	// Delegated says that all calls are delegations.
	Delegated bool
	// Several says that it has different calls.
	Several bool
	// Tempo is that of the run so far.
	Tempo tempo
}

// marks is room for the calls of a usual round.
type marks [16]mark

// beatOf makes one beat of at least one call.
func beatOf(calls []call) beat {
	last := &calls[len(calls)-1]
	b := beat{Call: last.index, Full: true, Informative: true, Delegated: true, Bare: true}
	argsKnown := true
	for i := range calls {
		c := &calls[i]
		argsKnown = argsKnown && c.args != 0
		b.add(c)
	}
	if len(calls) == 1 {
		b.single(last)
	} else {
		b.set(calls)
	}
	if !argsKnown {
		b.Calls, b.Exact, b.Strict, b.Known, b.Outs, b.Print = 0, 0, 0, 0, 0, 0
	}
	if argsKnown || !b.Full {
		b.Results = 0
	}
	return b
}

func (b *beat) add(c *call) {
	b.Full = b.Full && c.out != 0
	b.Informative = b.Informative && c.informative
	b.Bare = b.Bare && c.bare && !c.failed
	b.Delegated = b.Delegated && c.delegation
	b.Progress = b.Progress || c.progress
	b.Failed = b.Failed || c.failed
	b.Loose = b.Loose || c.loose
	b.Hollow = b.Hollow || c.hollow
	b.Varied |= c.varied
}

func (b *beat) single(c *call) {
	b.Tools, b.Calls, b.Exact, b.Strict = c.tool, c.args, c.exact, c.strict
	b.Print = c.args.with(c.print)
	if c.out != 0 {
		b.Known, b.Outs = c.args, c.args.with(c.out)
	}
	b.Results = c.tool.with(c.out)
}

func (b *beat) set(calls []call) {
	var tools, args, exact, known, outs, results marks
	t, a, e, k, o, r := tools[:0], args[:0], exact[:0], known[:0], outs[:0], results[:0]
	for i := range calls {
		c := &calls[i]
		t, a, e = append(t, c.tool), append(a, c.args), append(e, c.exact)
		b.Several = b.Several || c.tool != calls[0].tool || c.args != calls[0].args
		if c.out != 0 && c.args != 0 {
			k, o = append(k, c.args), append(o, c.args.with(c.out))
		}
		r = append(r, c.tool.with(c.out))
	}
	b.Tools, b.Calls, b.Exact = setOf(t), setOf(a), setOf(e)
	b.Known, b.Outs, b.Results = setOf(k), setOf(o), setOf(r)
	b.setStrict(calls)
}

// setStrict makes the sets that matter to few rounds.
func (b *beat) setStrict(calls []call) {
	var room marks
	b.Strict, b.Print = b.Calls, b.Outs
	if b.Loose {
		list := room[:0]
		for i := range calls {
			list = append(list, calls[i].strict)
		}
		b.Strict = setOf(list)
	}
	if b.Hollow {
		list := room[:0]
		for i := range calls {
			list = append(list, calls[i].args.with(calls[i].print))
		}
		b.Print = setOf(list)
	}
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
	// alike: the same but for identifiers, of which the calls may be about
	// different things, or the outcomes differ in nothing else.
	alike
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
	case a.Calls != b.Calls, b.another(a):
		return differs
	case !outcomes:
		return same
	case a.Known != b.Known:
		return sameCalls
	case a.Outs != b.Outs:
		return differs
	case a.Full && b.Full && (b.renamed(a) || b.hollow(a)):
		return alike
	case a.Full && b.Full:
		return same
	default:
		return sameCalls
	}
}

// another reports whether two equal calls are about different things: their
// identifiers differ, as they do for new objects, and they did not bring the
// same information.
func (b *beat) another(a *beat) bool {
	return b.renamed(a) && !(a.Full && b.Full && a.Informative && b.Informative)
}

// renamed reports whether two equal calls differ in identifiers.
func (b *beat) renamed(a *beat) bool { return (a.Loose || b.Loose) && a.Strict != b.Strict }

// hollow reports whether two equal outcomes differ in next to all they hold.
func (b *beat) hollow(a *beat) bool { return (a.Hollow || b.Hollow) && a.Print != b.Print }

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
