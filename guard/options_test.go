// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInvalidOptionsNameOptionValueAndWhatIsAllowed(t *testing.T) {
	tests := []struct {
		o    Options
		want string
	}{
		{Options{MaxSteps: MaxSteps{Limit: -1}}, "max steps limit -1: allowed are 1 and more"},
		{Options{RepeatedToolCall: RepeatedToolCall{Threshold: 1}}, "repeated tool call threshold 1: allowed are 2 and more"},
		{Options{RepeatedToolCall: RepeatedToolCall{ArgsOnlyThreshold: -2}}, "repeated tool call args-only threshold -2: allowed are 2 and more"},
		{Options{RepeatedToolCall: RepeatedToolCall{ResultsOnlyThreshold: 1}}, "repeated tool call results-only threshold 1: allowed are 2 and more"},
		{Options{Oscillation: Oscillation{MaxPeriod: 1}}, "oscillation max period 1: allowed are 2 and more"},
		{Options{Oscillation: Oscillation{MaxPeriod: 33}}, "oscillation max period 33: allowed are at most 32"},
		{Options{Oscillation: Oscillation{Repeats: 1}}, "oscillation repeats 1: allowed are 2 and more"},
		{Options{Oscillation: Oscillation{ArgsOnlyRepeats: 1}}, "oscillation args-only repeats 1: allowed are 2 and more"},
		{Options{NoProgress: NoProgress{Threshold: 1}}, "no progress threshold 1: allowed are 2 and more"},
		{Options{NoProgress: NoProgress{Severity: 3}}, "no-progress severity 3: allowed are Warn and Stop"},
		{Options{FinishReason: FinishReason{OtherPolicy: "maybe"}}, `finish reason other policy "maybe": allowed are stop-if-text-only, stop and continue`},
		{Options{FinishReason: FinishReason{Terminal: []string{" "}}}, `finish reason terminal " ": allowed are words`},
		{Options{Budget: Budget{CostUSD: Limit{Max: -1}}}, "budget cost_usd limit -1: allowed are positive numbers"},
		{Options{Budget: Budget{TotalTokens: Limit{Max: math.NaN()}}}, "budget total_tokens limit NaN: allowed are positive numbers"},
		{Options{Budget: Budget{DurationMs: Limit{Max: math.Inf(1)}}}, "budget duration_ms limit +Inf: allowed are positive numbers"},
		{Options{Budget: Budget{InputTokens: Limit{Max: 1, WarnAt: 1.5}}}, "budget input_tokens warn at 1.5: allowed are 0 to 1"},
		{Options{Budget: Budget{WarnAt: math.NaN()}}, "budget warn at NaN: allowed are 0 to 1"},
		{Options{Budget: Budget{OutputTokens: Limit{WarnAt: 0.5}}}, "budget output_tokens warn at 0.5: allowed only with a limit"},
		{Options{Tools: map[string]Tool{"[": {}}}, `tools glob "[": allowed are patterns of path.Match`},
		{Options{Tools: map[string]Tool{"a": {MaxCalls: -1}}}, `tools "a" max calls -1: allowed are 0 and more`},
		{Options{Tools: map[string]Tool{"a": {Key: []string{""}}}}, `tools "a" key [""]: allowed are names of arguments`},
		{Options{Custom: []Detector{nil}}, "custom detector 0 is nil: allowed are functions"},
		{Options{NoHistory: true, Custom: []Detector{callCap("a", 1, "")}}, "no history true: custom detectors need the history"},
		{Options{Sameness: Sameness{MinResultChars: -1}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			_, err := New(tt.o)
			require.Error(t, err)
			assert.Contains(t, err.Error(), tt.want)
		})
	}
}

func TestAllInvalidOptionsAreNamedAtOnce(t *testing.T) {
	_, err := New(Options{MaxSteps: MaxSteps{Limit: -1}, NoProgress: NoProgress{Threshold: 1}})
	assert.ErrorContains(t, err, "max steps")
	assert.ErrorContains(t, err, "no progress")
}

func TestASeverityOfWarnOnlyWarns(t *testing.T) {
	g := mustNew(t, Options{RepeatedToolCall: RepeatedToolCall{Severity: Warn}, NoProgress: NoProgress{Off: true}})
	g.Check(stepOf("a"))
	g.Check(stepOf("a"))
	v := g.Check(stepOf("a"))
	assert.False(t, v.Stop)
	require.Len(t, v.Warnings, 1)
	assert.Equal(t, CodeRepeatedToolCall, v.Warnings[0].Code)
}

func TestRetrospectiveKeepsTheUsersChoices(t *testing.T) {
	o := Retrospective()
	o.RepeatedToolCall.RequireIdenticalResults = false
	o.NoOpTools = []string{}
	assert.Equal(t, []string{"REPEATED_TOOL_CALL args_only@2-2 ended_in_loop"},
		found(t, only(ReasonRepeated, o), scene("think=1 think=2 think=3")))
}

func TestSeverityReadsItsOwnWords(t *testing.T) {
	for _, s := range []Severity{OK, Warn, Stop} {
		text, err := s.MarshalText()
		require.NoError(t, err)
		var back Severity
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, s, back)
	}
	var s Severity
	assert.ErrorContains(t, s.UnmarshalText([]byte("loud")), `severity "loud"`)
}
