// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package guard finds loops and runaways in the steps of an agent.
//
// Feed a Guard one step at a time: what the model said, the tools it called,
// what it spent. Each Check answers with a Verdict: go on, or stop, with the
// reason, a stable code and evidence.
//
// There are two sets of rules over one engine. The zero Options are for an
// agent's own loop, where everything is known: the detectors and defaults of
// agent-loopguard. Retrospective is for runs read from telemetry, where parts of
// calls may be missing: it counts rounds instead of calls, asks for outcomes
// that repeat, grades its evidence, and gathers what it finds in episodes
// (Guard.Findings).
//
// A guard keeps digests and totals, never content, apart from the history of
// steps that the zero Options keep for custom detectors (Options.NoHistory).
// Its memory is bounded but for that history: 8192 outcomes, 2048 calls that
// recur, 1024 tools, what 256 of these and 64 resources were asked for last, and
// 64 findings: at most 1.5 megabytes a run, and a tenth of that for one of 200
// different calls (Guard.Size). Options.NearMisses takes six times as much. One
// step costs at most in proportion to its own calls, times
// the longest period that oscillation looks for.
//
// ToolLoop judges a list of messages instead, and keeps nothing at all.
package guard
