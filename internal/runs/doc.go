// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package runs groups facts into agent runs, runs into guard steps, and judges
// them while they are open and once more when they close.
//
// Children end before their parents, so the spans of a run arrive while the
// span that would name the run is still open. Open spans are known all the
// same: they are the parents that nobody has delivered yet. A fact therefore
// belongs to the nearest span above it that is an agent or has not arrived;
// that span's id names the group, and the group closes when the span comes.
// Times order the facts within a run, but never decide who belongs to whom.
//
// The files: forest.go says what hangs below what, settle.go what an arriving
// span does to the group below it, group.go holds the facts of one open run,
// steps.go turns them into guard steps, judge.go has them judged, report.go
// sums a closed run up, tracker.go and limits.go keep all of it within bounds.
package runs
