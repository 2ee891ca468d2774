// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A detector that panics on the step in which another one has found something
// leaves nothing behind: what comes next is judged by itself.
func TestPanickingDetectorLeavesNothingBehind(t *testing.T) {
	for name, next := range map[string]Step{
		"text": {Text: "fine"},
		"call": {Calls: []ToolCall{{Name: "other", Args: "new"}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := mustNew(t, Options{Custom: []Detector{func(history []Step, _ Step) *CustomStop {
				if len(history) == 3 {
					panic("boom")
				}
				return nil
			}}})
			repeated := scene("a=1 a=1 a=1")
			g.Check(repeated[0])
			g.Check(repeated[1])
			assert.PanicsWithValue(t, "boom", func() { g.Check(repeated[2]) })
			assert.False(t, g.Check(next).Stop)
			assert.False(t, g.CheckDigest(StepDigest{}).Stop)
			assert.Equal(t, 5, g.Summary().Steps, "the step was recorded")
		})
	}
}
