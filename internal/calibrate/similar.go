// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// alike is the Jaccard similarity of two calls' words from which they are
// similar.
const alike = 0.7

var word = regexp.MustCompile(`\w+`)

// similarInARow is the rule that reworded calls ask for, and that the guard
// does not have: what it costs is to be seen beside the others.
func (j *judges) similarInARow(steps []step) bool {
	var tool string
	var last map[string]bool
	streak := 0
	for _, s := range steps {
		for _, c := range s.Calls {
			words := wordsOf(c)
			if c.Name != tool || similarity(words, last) < alike {
				streak = 0
			}
			tool, last = c.Name, words
			if streak++; streak >= inARow {
				return true
			}
		}
	}
	return false
}

func wordsOf(c guard.ToolCall) map[string]bool {
	words := map[string]bool{}
	args, _ := c.Args.(json.RawMessage)
	for _, w := range word.FindAllString(strings.ToLower(string(args)), -1) {
		words[w] = true
	}
	return words
}

// similarity is the share of words that both have.
func similarity(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 1
}
