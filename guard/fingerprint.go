// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// Fingerprint identifies content without keeping it. The zero value is
// unknown (not captured, masked or cut) and never equal to anything.
type Fingerprint struct {
	// Exact is the hash of the canonical form; 0 means unknown.
	Exact uint64
	// Normal is the hash of the canonical form without its commentary and
	// volatile parts; 0 exactly when Exact is 0.
	Normal uint64
	// Varied has one bit for each part that Normal leaves out, so that a
	// finding can say which ones. See Digester.VariedNames.
	Varied uint64
}

// Known reports whether the content was captured.
func (f Fingerprint) Known() bool { return f.Exact != 0 }

// Outcome is what a tool call came back with. The zero value is unknown.
type Outcome struct {
	Fingerprint
	// Failed says that the outcome is an error.
	Failed bool
	// Informative says that the outcome is long enough and no mere
	// acknowledgement ("ok", "done").
	Informative bool
	// InProgress says that the outcome names work that still goes on
	// ("pending", "running").
	InProgress bool
}

// TextDigest identifies what a model said.
type TextDigest struct {
	// Print hashes the lower-cased text with its white space collapsed.
	// It is 0 only in the zero value, which means "not captured".
	Print uint64
	// Words counts the white-space separated words.
	Words int
	// Blank says that the text holds nothing but white space.
	Blank bool
}

type unknown struct{}

// Unknown marks a part of a call that was not captured, as in
// ToolCall{Name: "search", Args: Unknown}. It is equal to nothing.
var Unknown unknown

// FingerprintOf fingerprints a Go value exactly: two values have the same
// fingerprint if, and only if, Canonicalize writes them alike (but for 64 bit
// hash collisions). Normal equals Exact.
func FingerprintOf(v any) Fingerprint {
	if _, ok := v.(unknown); ok {
		return Fingerprint{}
	}
	h := hashString(Canonicalize(v))
	return Fingerprint{Exact: h, Normal: h}
}
