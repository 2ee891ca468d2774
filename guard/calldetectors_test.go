// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func assertFound(t *testing.T, keep Reason, name, run, want string) {
	t.Run(name, func(t *testing.T) {
		assert.Equal(t, want, strings.Join(found(t, only(keep, Retrospective()), scene(run)), "; "))
	})
}

func TestRepeatedError(t *testing.T) {
	for _, tt := range []struct{ name, run, want string }{
		{"arguments are free", "a(1)!e a(2)!e a(3)!e", "REPEATED_ERROR confirmed@2-2 ended_in_loop"},
		{"whatever lies between", "a(1)!e b=1 a(2)!e c=2 d=3 a(3)!e", "REPEATED_ERROR confirmed@5-5 ended_in_loop"},
		{"another error starts afresh", "a(1)!e a(2)!f a(3)!e a(4)!e", ""},
		{"a call that works does, too", "a(1)!e a(2)!e a(3)=x a(4)!e", ""},
		{"an unknown outcome does not", "a(1)!e a(2)=? a(3)!? a(4)!e a(5)!e", "REPEATED_ERROR confirmed@4-4 ended_in_loop"},
		{"calls of one step are one decision", "a(1)!e/a(2)!e/a(3)!e a(4)!e", ""},
		{"each tool by itself", "a(1)!e b(2)!e c(3)!e", ""},
		{"tools that do not exist are one class", "wri!no_such_tool ed!no_such_tool ba!no_such_tool", "REPEATED_ERROR confirmed@2-2 ended_in_loop"},
		{"until one works", "wri!no_such_tool ed!no_such_tool a=1 ba!no_such_tool", ""},
		{"errors that say nothing", "a(1)!failed a(2)!failed a(3)!failed a(4)!failed", ""},
		{"a user's message starts afresh", "a(1)!e a(2)!e U:a(3)!e", ""},
		{"the run gets on", "a(1)!e a(2)!e a(3)!e a(4)=x", "REPEATED_ERROR confirmed@2-2 recovered"},
		{"the run turns to something else", "a(1)!e a(2)!e a(3)!e b=1 c=2 d=3", "REPEATED_ERROR confirmed@2-2 recovered"},
	} {
		assertFound(t, ReasonError, tt.name, tt.run, tt.want)
	}
}

func TestRecurringCall(t *testing.T) {
	for _, tt := range []struct{ name, run, want string }{
		{"one call between others", "a=x b=1 a=x c=2 a=x", "RECURRING_CALL confirmed@4-4 ended_in_loop"},
		{"or beside them", "a=x/b=1 a=x/c=2 a=x/d=3", "RECURRING_CALL confirmed@2-2 ended_in_loop"},
		{"most of the last calls", "a=x b=y c=z a=x b=y c=z b=y c=z", "RECURRING_CALL confirmed@6-6 ended_in_loop; RECURRING_CALL confirmed@7-7 ended_in_loop"},
		{"in a row is another fault", "a=x a=x a=x a=x a=x a=x", ""},
		{"the outcome changed", "a=1 b=1 a=2 c=2 a=3", ""},
		{"another call got on", "a=x b=1 a=x b=2 a=x b=3 a=x b=4", ""},
		{"something was done each time", "a=x b(1)=done a=x b(2)=done a=x b(3)=done a=x", ""},
		{"something was changed each time", "lint=x patch_file(1)=y1 lint=x patch_file(2)=y2 lint=x patch_file(3)=y3 lint=x", ""},
		{"and looked at in two ways", strings.Join([]string{
			"lint=x test=y", "edit(1)=y1 lint=x test=y", "edit(2)=y2 lint=x test=y", "edit(3)=y3 lint=x test=y", "edit(4)=y4 lint=x test=y",
		}, " "), ""},
		{"changing the same again is no change", "lint=x edit(1)=y1 lint=x edit(1)=y1 lint=x", "RECURRING_CALL confirmed@4-4 ended_in_loop"},
		{"but not always", "a=x b(1)=done a=x c=1 a=x", "RECURRING_CALL confirmed@4-4 ended_in_loop"},
		{"doing again with new things in between", "a=ok b=1 a=ok c=2 a=ok d=3 a=ok", ""},
		{"once more after a compaction", "a=x b=y c=z a=x b=y c=z", ""},
		{"a user's message starts afresh", "a=x b=1 a=x U:c=2 a=x", ""},
		{"unknown outcomes say nothing", "a=? b=? a=? b=? c=? a=? b=? a=?", ""},
		{"outcomes of unknown arguments", strings.Repeat("a(?)="+long+" b(?)=b"+long+" ", 4), "RECURRING_CALL results_only@6-7 ended_in_loop"},
	} {
		assertFound(t, ReasonRecurring, tt.name, tt.run, tt.want)
	}
}

func TestOneRecurringCallWarnsAndManyStop(t *testing.T) {
	g := mustNew(t, only(ReasonRecurring, Retrospective()))
	for _, s := range scene("a=x b=y a=x c=z a=x b=y c=z a=x") {
		g.Check(s)
	}
	require.NotEmpty(t, g.Findings())
	assert.Equal(t, Stop, g.Verdict().Severity)
	assert.Equal(t, 7, g.Verdict().Step, "the warning has become a stop here")
	assert.Equal(t, 8, g.Verdict().Evidence["window"])
}

func TestErrorStreak(t *testing.T) {
	for _, tt := range []struct{ name, run, want string }{
		{"of any tool and kind", "a!1 b!2 c!3 a!4 b!5", "TOOL_ERROR_STREAK confirmed@4-4 ended_in_loop"},
		{"a success ends it", "a!1 b!2 c!3 a!4 b=5 a!6", ""},
		{"a step where one works is none", "a!1 b!2 c!3 a!4 b!5/c=1", ""},
		{"unknown outcomes do not matter", "a!1 b!2 c=? c!3 a!4 b!5", "TOOL_ERROR_STREAK confirmed@5-5 ended_in_loop"},
		{"errors without a text count", "a!? a!? a!? a!? a!?", "TOOL_ERROR_STREAK confirmed@4-4 ended_in_loop"},
	} {
		assertFound(t, ReasonErrorStreak, tt.name, tt.run, tt.want)
	}
}

func TestBurst(t *testing.T) {
	many := func(call string, n int) string { return strings.TrimSuffix(strings.Repeat(call+"/", n), "/") }
	for _, tt := range []struct{ name, run, want string }{
		{"five at once", many("a=x", 5), "BURST confirmed@0-0 ended_in_loop"},
		{"of which nothing came back", many("a=?", 5) + " b=1", "BURST args_only@0-0 recovered"},
		{"four", many("a=x", 4), ""},
		{"different ones", "a(1)=x/a(2)=x/a(3)=x/a(4)=x/a(5)=x", ""},
		{"with different outcomes", "a=1/a=2/a=3/a=4/a=5", ""},
		{"of unknown arguments", many("a(?)=x", 9), ""},
		{"among very many", many("a=x", 5) + "/" + many("b=x", 40), "BURST confirmed@0-0 ended_in_loop; BURST confirmed@0-0 ended_in_loop"},
	} {
		assertFound(t, ReasonBurst, tt.name, tt.run, tt.want)
	}
	g := mustNew(t, Retrospective())
	g.Check(scene(many("a=x", 9))[0])
	assert.Equal(t, Warn, g.Verdict().Severity)
}

// spaced gives steps a second each, with gaps between them.
func spaced(steps []Step, gap time.Duration) []Step {
	at := time.Unix(1000, 0)
	for i := range steps {
		steps[i].Start, steps[i].End = at, at.Add(time.Second)
		at = steps[i].End.Add(gap)
	}
	return steps
}

func TestPollsAreNoLoops(t *testing.T) {
	const ping = "a=1 b=2 a=1 b=2 a=1 b=2 a=1 b=2"
	for _, tt := range []struct {
		name, run string
		gap       time.Duration
		want      string
	}{
		{"slow repeats", "a=x a=x a=x a=x a=x a=x", 10 * time.Second, ""},
		{"fast ones", "a=x a=x a=x", 9 * time.Second, "REPEATED_TOOL_CALL confirmed@2-2 ended_in_loop"},
		{"work goes on", "a=pending a=pending a=pending a=pending", 0, ""},
		{"a slow cycle", ping, time.Minute, ""},
		{"a check and a pause", "a=pending b=ok a=pending b=ok a=pending b=ok a=pending b=ok", 0, ""},
		{"what fails is no poll", "a!x a!x a!x", time.Minute, "REPEATED_TOOL_CALL confirmed@2-2 ended_in_loop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, strings.Join(found(t, Retrospective(), spaced(scene(tt.run), tt.gap)), "; "))
		})
	}
}

func TestTheTimeOfModelsIsNoWait(t *testing.T) {
	steps := scene("a=x a=x a=x")
	for i := range steps {
		steps[i].Start = time.Unix(int64(60*i), 0)
		steps[i].End = steps[i].Start.Add(59 * time.Second)
	}
	assert.Len(t, found(t, Retrospective(), steps), 1)
}

func TestAPollMayBeBounded(t *testing.T) {
	o := Retrospective()
	o.Waiting.MaxDuration = 5 * time.Minute
	run := spaced(scene(strings.Repeat("a=x ", 12)), time.Minute)
	g := mustNew(t, o)
	for _, s := range run {
		g.Check(s)
	}
	require.Len(t, g.Findings(), 1)
	f := g.Findings()[0]
	assert.Equal(t, []any{CodeWaiting, Warn, 7}, []any{f.Code, f.Severity, f.Step}, "two repeats make the poll, then five minutes")
	assert.Contains(t, f.Detail, `Tool "a" was polled`)
	o.Waiting = Waiting{Off: true}
	assert.NotEmpty(t, found(t, o, run), "as the loop that it looks like")
}

func TestANewIdentifierIsANewObject(t *testing.T) {
	run := func(result string) []string {
		var steps []Step
		for i := range 5 {
			steps = append(steps, Step{Calls: []ToolCall{{
				Name: "get", Args: fmt.Sprintf("item 550e8400-e29b-41d4-a716-44665544000%d", i), Result: orUnknown(result),
			}}})
		}
		return found(t, only(ReasonRepeated, Retrospective()), steps)
	}
	assert.Empty(t, run("deleted"))
	assert.Empty(t, run("?"), "too little is known")
	assert.NotEmpty(t, run(long), "all of them bring the same information")
}

func TestSeveritiesCanBeSet(t *testing.T) {
	severity := func(o Options, run string) Severity {
		g := mustNew(t, o)
		for _, s := range scene(run) {
			g.Check(s)
		}
		return g.Verdict().Severity
	}
	o := Retrospective()
	assert.Equal(t, Warn, severity(o, "a=? a=? a=? a=? a=?"), "thin evidence")
	o.RepeatedToolCall.Severity, o.ErrorStreak.Severity, o.RecurringCall.Severity = Stop, Stop, Stop
	assert.Equal(t, Stop, severity(o, "a=? a=? a=? a=? a=?"))
	assert.Equal(t, Stop, severity(o, "a!1 b!2 c!3 d!4 e!5"))
	assert.Equal(t, Stop, severity(o, "a=x b=1 a=x c=2 a=x"))
	o.RepeatedError.Severity = Warn
	assert.Equal(t, Warn, severity(o, "a(1)!e a(2)!e a(3)!e"))
}

func TestKeysAreStable(t *testing.T) {
	keys := func(run string) map[uint64]string {
		g := mustNew(t, Retrospective())
		for _, s := range scene(run) {
			g.Check(s)
		}
		out := map[uint64]string{}
		for _, f := range g.Findings() {
			out[f.Key] = f.Code
		}
		return out
	}
	first, later := keys("a=x a=x a=x"), keys("b=1 c=2 a=x a=x a=x a=x")
	assert.Equal(t, first, later, "whatever the step and the count")
	assert.NotContains(t, first, uint64(0))
	assert.NotEqual(t, first, keys("a=y b=x b=x b=x"))
	g := mustNew(t, Retrospective())
	for _, s := range scene("a=x a=x a=x") {
		g.Check(s)
	}
	data, err := g.Snapshot()
	require.NoError(t, err)
	restored := mustNew(t, Retrospective())
	require.NoError(t, restored.Restore(data))
	assert.Equal(t, g.Findings()[0].Key, restored.Findings()[0].Key)
	_, err = json.Marshal(g.Findings())
	assert.NoError(t, err)
}
