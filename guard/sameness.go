// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"strings"
)

// DefaultMinResultChars is the length from which a result is informative.
const DefaultMinResultChars = 40

// Sameness holds the lists that decide when two values count as the same.
// A nil list stands for the default in words.go, an empty one for none.
//
// Whatever the lists say, normalised values differ in white space at most, and
// in UUIDs, dates with a time (ISO 8601, RFC 1123, syslog), epoch times, hex
// numbers of 8 digits and more (6 after 0x), the made-up part of temporary paths and terminal escapes; results also in pids,
// measured durations, call and message ids and in the counter of a bracketed
// last line. What stands under a key such as page, cursor, offset, limit, line
// or range always counts to the letter. In error texts no other digits and no
// quoted names are masked: an error about another name is another error.
type Sameness struct {
	// CommentaryKeys are left out at the top of arguments, VolatileKeys of
	// arguments and results at any depth, ResultKeys of results at any depth.
	// A star at either end stands for any number of words.
	CommentaryKeys []string
	VolatileKeys   []string
	ResultKeys     []string
	// Acknowledgements are results that carry no information; a star stands
	// for any text. InProgress are words and phrases for work that goes on.
	Acknowledgements []string
	InProgress       []string
	// VagueErrors are error texts that carry no information. UnknownTool are
	// phrases of errors about a tool that does not exist; a star stands for
	// one word. They count in a result if that is short and says nothing else.
	VagueErrors []string
	UnknownTool []string
	// MinResultChars is the length in characters of compact JSON, dropped
	// parts not counted, from which a result is informative; 0 stands for
	// DefaultMinResultChars.
	MinResultChars int
}

// lists are the word lists, ready for look-up. They do not change.
type lists struct {
	keys     []keyPattern
	acks     map[string]struct{}
	ackGlobs []glob
	vagues   []glob
	noTool   [][]string
	words    map[string]struct{}
	phrases  []string
	minChars int
}

func newLists(s Sameness) (*lists, error) {
	if s.MinResultChars < 0 {
		return nil, fmt.Errorf("min result chars is negative: %d", s.MinResultChars)
	}
	l := &lists{acks: map[string]struct{}{}, words: map[string]struct{}{}, minChars: s.MinResultChars}
	if l.minChars == 0 {
		l.minChars = DefaultMinResultChars
	}
	for _, list := range []struct {
		name            string
		given, defaults []string
		add             func(string) error
	}{
		{"commentary keys", s.CommentaryKeys, DefaultCommentaryKeys, l.addKey(kindCommentary)},
		{"volatile keys", s.VolatileKeys, DefaultVolatileKeys, l.addKey(kindVolatile)},
		{"result keys", s.ResultKeys, DefaultResultKeys, l.addKey(kindResult)},
		{"acknowledgements", s.Acknowledgements, DefaultAcknowledgements, l.addAcknowledgement},
		{"in progress", s.InProgress, DefaultInProgress, l.addInProgress},
		{"vague errors", s.VagueErrors, DefaultVagueErrors, l.addVagueError},
		{"unknown tool", s.UnknownTool, DefaultUnknownTool, l.addUnknownTool},
	} {
		entries := list.given
		if entries == nil {
			entries = list.defaults
		}
		for i, entry := range entries {
			if err := list.add(entry); err != nil {
				return nil, fmt.Errorf("%s: entry %d %q: %w", list.name, i, entry, err)
			}
		}
	}
	return l, nil
}

func (l *lists) addKey(kind keyKind) func(string) error {
	return func(name string) error {
		if stem := strings.Trim(name, "*"); strings.Trim(stem, " _-.") == "" || strings.Contains(stem, "*") {
			return errKeyPattern
		}
		l.keys = append(l.keys, newKeyPattern(name, kind))
		return nil
	}
}

func (l *lists) addAcknowledgement(phrase string) error {
	if strings.Trim(phrase, "* ") == "" {
		return errPhrase
	}
	if strings.Contains(phrase, "*") {
		l.ackGlobs = append(l.ackGlobs, newGlob(phrase))
		return nil
	}
	l.acks[string(foldPhrase(nil, phrase))] = struct{}{}
	return nil
}

func (l *lists) addVagueError(phrase string) error {
	if strings.Trim(phrase, "* ") == "" {
		return errPhrase
	}
	l.vagues = append(l.vagues, newGlob(phrase))
	return nil
}

func (l *lists) addUnknownTool(phrase string) error {
	words := strings.Fields(string(foldPhrase(nil, phrase)))
	if strings.Trim(strings.Join(words, ""), "*") == "" {
		return errPhrase
	}
	l.noTool = append(l.noTool, words)
	return nil
}

func (l *lists) addInProgress(phrase string) error {
	folded := string(foldPhrase(nil, strings.TrimSpace(phrase)))
	switch {
	case folded == "" || strings.Contains(folded, "*"):
		return errPhrase
	case strings.Contains(folded, " "):
		l.phrases = append(l.phrases, folded)
	default:
		l.words[folded] = struct{}{}
	}
	return nil
}
