// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "fmt"

// maxSteps stops a run that has recorded as many steps as it may
// (agent-loopguard).
func maxSteps(g *Guard) {
	limit := g.rules.MaxSteps.Limit
	if g.now.Steps < limit {
		return
	}
	g.report(hit{
		id: 1, code: CodeMaxSteps, call: -1, count: g.now.Steps, toEnd: true,
		evidence: Evidence{"steps": g.now.Steps, "limit": limit},
		detail:   fmt.Sprintf("The run has made %d steps; the limit is %d.", g.now.Steps, limit),
	})
}
