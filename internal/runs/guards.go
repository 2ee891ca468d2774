// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import "github.com/agentloopguard/loopguardprocessor/guard"

// guardPool hands out guards of one profile.
type guardPool struct {
	pattern *guard.Guard
	spare   []*guard.Guard
}

// spareGuards bounds how many guards a pool keeps for the next runs.
const spareGuards = 256

// get returns a guard that has seen nothing.
func (p *guardPool) get() *guard.Guard {
	n := len(p.spare)
	if n == 0 {
		return p.pattern.Fresh()
	}
	g := p.spare[n-1]
	p.spare = p.spare[:n-1]
	return g
}

func (p *guardPool) put(g *guard.Guard) {
	if len(p.spare) < spareGuards {
		g.Reset()
		p.spare = append(p.spare, g)
	}
}

// profileOf is the profile by which a run is judged: that of its own span's
// resource if the span has come, else that of its earliest fact's.
func (g *group) profileOf(closing *Item) uint8 {
	if closing != nil && closing.Fact != nil {
		return closing.Profile
	}
	if len(g.entries) > 0 {
		return g.entries[0].profile
	}
	return 0
}

// useProfile gives the group a guard of the right profile.
func (v *visit) useProfile(g *group, profile uint8) {
	if g.guard != nil && g.profile == profile {
		return
	}
	v.release(g)
	g.profile, g.guard, g.stale = profile, v.shard.guards[profile].get(), true
}

// release gives the group's guard back.
func (v *visit) release(g *group) {
	if g.guard != nil {
		v.shard.guards[g.profile].put(g.guard)
		g.guard = nil
	}
}
