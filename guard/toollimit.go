// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "fmt"

// toolLimit stops a run that has called a tool more often than it may, on the
// first call over the limit (the related library that the seed names has it).
func toolLimit(g *Guard) {
	for i := range g.calls {
		c := &g.calls[i]
		limit := g.learn(c.tool, g.step.Calls[i].Tool).maxCalls
		if limit > 0 && c.nth > limit {
			g.report(limitHit(c, g.label(c.tool), limit))
		}
	}
}

func limitHit(c *call, tool string, limit int) hit {
	return hit{
		id: c.tool, code: CodeToolCallLimit, call: c.index, count: c.nth, toEnd: true,
		evidence: Evidence{"tool": tool, "count": c.nth, "limit": limit},
		detail:   fmt.Sprintf("Tool %q was called %d times; the limit is %d.", tool, c.nth, limit),
	}
}
