// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// timeline spells the verdict over calls that take a while each and are followed
// by a pause.
type timeline struct {
	at    time.Time
	steps []Step
}

func (l *timeline) call(c ToolCall, takes, pause time.Duration) {
	if l.at.IsZero() {
		l.at = time.Unix(1_764_500_000, 0)
	}
	s := Step{Start: l.at, End: l.at.Add(1500 * time.Millisecond)}
	c.Start, c.End = s.End, s.End.Add(takes)
	s.Calls = []ToolCall{c}
	l.steps, l.at = append(l.steps, s), c.End.Add(pause)
}

func (l *timeline) worst(t *testing.T) string {
	g := mustNew(t, Retrospective())
	for _, s := range l.steps {
		g.Check(s)
	}
	g.End()
	if f := g.Verdict(); f.Severity != OK {
		return fmt.Sprintf("%s %s@%d", f.Code, f.Severity, f.Step)
	}
	return ""
}

// What fails and is tried again after growing or long pauses is a poll.
func TestRetriesAfterPausesAreNoLoops(t *testing.T) {
	const s = time.Second
	post := argsOf("post", `{"order":1}`)
	for _, tt := range []struct {
		name   string
		takes  time.Duration
		pauses []time.Duration
		asCall bool
		want   string
	}{
		{"minutes", s, []time.Duration{60 * s, 120 * s, 240 * s, 480 * s}, false, ""},
		{"minutes, as calls", s, []time.Duration{60 * s, 120 * s, 240 * s, 480 * s, 960 * s}, true, ""},
		{"seconds", s, []time.Duration{s, 2 * s, 4 * s, 8 * s}, false, ""},
		{"seconds, as calls", s, []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s}, true, ""},
		{"the same long pause", s, []time.Duration{30 * s, 30 * s, 30 * s, 30 * s}, false, ""},
		{"five in a row are worth a look", s, []time.Duration{60 * s, 120 * s, 240 * s, 480 * s, 960 * s}, false, "TOOL_ERROR_STREAK warn@4"},
		{"the same short pause", s, []time.Duration{s, s, s, s}, false, "REPEATED_TOOL_CALL stop@2"},
		{"no pause", s, []time.Duration{0, 0, 0, 0}, false, "REPEATED_TOOL_CALL stop@2"},
		{"a slow failure is no pause", 30 * s, []time.Duration{0, 0, 0, 0}, false, "REPEATED_TOOL_CALL stop@2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var l timeline
			for i, pause := range tt.pauses {
				if tt.asCall {
					l.call(post.failing("502 Bad Gateway from upstream"), tt.takes, 0)
					l.call(argsOf("sleep", `{"n":%d}`, i).with("ok"), pause, 0)
				} else {
					l.call(post.failing("502 Bad Gateway from upstream"), tt.takes, pause)
				}
			}
			l.call(post.with("accepted"), tt.takes, 0)
			assert.Equal(t, tt.want, l.worst(t))
		})
	}
}

func TestOneErrorOverNewThingsWarns(t *testing.T) {
	const taken = "room is already booked"
	book := func(id func(i int) string) func(i int) []ToolCall {
		return func(i int) []ToolCall { return []ToolCall{argsOf("book", `{"room":%q}`, id(i)).failing(taken)} }
	}
	assert.Equal(t, "REPEATED_ERROR warn results_only@2", worst(t, 4, book(uuidOf)))
	assert.Equal(t, "REPEATED_ERROR stop confirmed@2", worst(t, 4, book(func(i int) string { return fmt.Sprint("room ", i) })))
	assert.Equal(t, "REPEATED_ERROR stop confirmed@5", worst(t, 6, book(func(i int) string { return uuidOf(min(i, 4)) })),
		"one of them once more")
}
