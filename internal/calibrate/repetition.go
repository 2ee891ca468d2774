// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/agentloopguard/loopguardprocessor/guard"

// repetition is the most that a run repeats anywhere, whatever lies between: an
// upper bound of what rules that compare calls and outcomes can see.
type repetition int

const (
	nothingRepeats repetition = iota
	errorTwice
	errorThrice
	callTwice
	callThrice
	repetitions
)

// String completes "of the runs without stop, in so many …".
func (r repetition) String() string {
	return [...]string{
		"no call with its outcome comes twice, no error twice",
		"a tool fails twice with one text",
		"a tool fails three times or more with one text",
		"a call comes twice with one outcome",
		"a call comes three times or more with one outcome",
	}[r]
}

// repetitionIn compares to the letter.
func repetitionIn(steps []step) repetition {
	type symbol struct {
		tool      string
		args, out uint64
	}
	seen, most := map[symbol]int{}, nothingRepeats
	count := func(s symbol, twice, thrice repetition) {
		if seen[s]++; seen[s] == 2 {
			most = max(most, twice)
		} else if seen[s] > 2 {
			most = max(most, thrice)
		}
	}
	for _, s := range steps {
		for _, c := range s.Calls {
			if c.Error != nil {
				out := guard.FingerprintOf(c.Error).Exact
				count(symbol{tool: c.Name, out: out}, errorTwice, errorThrice)
				count(symbol{c.Name, guard.FingerprintOf(c.Args).Exact, out}, callTwice, callThrice)
			} else if out := guard.FingerprintOf(c.Result); out.Known() {
				count(symbol{c.Name, guard.FingerprintOf(c.Args).Exact, out.Exact}, callTwice, callThrice)
			}
		}
	}
	return most
}
