// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// UsageKnown says which numbers of a Usage were reported.
type UsageKnown uint8

// The numbers of a Usage.
const (
	KnownInput UsageKnown = 1 << iota
	KnownOutput
	KnownTotal
	KnownCacheRead
	KnownCacheWrite
	KnownReasoning
	KnownCost
)

// Usage is what one span reports as spent. A number whose Known bit is not set
// was not reported (and is 0).
type Usage struct {
	// Input includes cached tokens, Output includes reasoning tokens: the
	// three numbers after Total are parts of them and never to be added.
	Input, Output, Total             int64
	CacheRead, CacheWrite, Reasoning int64
	// Cost is in the emitter's currency, as a rule USD.
	Cost  float64
	Known UsageKnown
}

// Has reports whether all of the given numbers were reported.
func (u Usage) Has(k UsageKnown) bool { return u.Known&k == k }
