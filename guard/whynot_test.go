// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func misses(t *testing.T, steps []Step) string {
	o := Retrospective()
	o.NearMisses = true
	g := mustNew(t, o)
	for _, s := range steps {
		g.Check(s)
	}
	g.End()
	var list []string
	for _, m := range g.WhyNot() {
		list = append(list, fmt.Sprintf("%s %s@%d-%d", m.Veto, m.Code, m.Step, m.LastStep))
	}
	return strings.Join(list, "; ")
}

func TestWhyNot(t *testing.T) {
	tests := []struct{ name, run, want string }{
		{"a healthy run has none", "a=1 b=2 c=3", ""},
		{"what is found is no near miss", "a=x a=x a=x a=x", ""},
		{"the outcome changed", "a=1 a=2 a=3 a=4", "outcome-changed REPEATED_TOOL_CALL@2-3"},
		{"another error each time", "a(1)!x a(2)!y a(3)!z", "outcome-changed REPEATED_ERROR@2-2"},
		{"the user spoke", "a=x a=x U:a=x a=x", "boundary REPEATED_TOOL_CALL@2-3"},
		{"one short", "a=x a=x b=y", "threshold REPEATED_TOOL_CALL@1-1"},
		{"an exempt tool", "think=x think=x think=x", "exempt-tool REPEATED_TOOL_CALL@2-2"},
		{"a poll", "a=pending a=pending a=pending", "poll REPEATED_TOOL_CALL@2-2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, misses(t, scene(tt.run)))
		})
	}
}

func TestWhyNotNamesAPollByItsGaps(t *testing.T) {
	steps := scene("a=x a=x a=x a=x")
	for i := range steps {
		steps[i].Start = time.Unix(int64(i)*60, 0)
		steps[i].End = steps[i].Start.Add(time.Second)
	}
	assert.Equal(t, "poll REPEATED_TOOL_CALL@2-3", misses(t, steps))
}

func TestNearMissesHaveToBeAskedFor(t *testing.T) {
	g := mustNew(t, Retrospective())
	for _, s := range scene("a=1 a=2 a=3") {
		g.Check(s)
	}
	assert.Nil(t, g.WhyNot())
	small := g.Size()

	o := Retrospective()
	o.NearMisses = true
	g = mustNew(t, o)
	for _, s := range scene("a=1 a=2 a=3") {
		g.Check(s)
	}
	require.Len(t, g.WhyNot(), 1)
	assert.Contains(t, g.WhyNot()[0].Detail, `Tool "a" was called 3 times`)
	assert.Greater(t, g.Size(), 4*small, "each veto has a guard of its own")
	g.Amend(StepDigest{})
	assert.Empty(t, g.WhyNot(), "an amended step is amended here too")
	g.Reset()
	assert.Empty(t, g.WhyNot())
}
