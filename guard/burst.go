// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "fmt"

// volley is a set of identical calls of one step.
type volley struct {
	key, out mark
	count    int
	known    int
	differ   bool
	last     int
}

// burst finds one response that makes the same call many times at once
// (goose#9136). That is one decision, and no loop: a limit on steps never sees
// it. Calls whose outcomes differ, such as rolls of dice, are none.
func burst(g *Guard) {
	g.endBursts()
	threshold := g.rules.Burst.Threshold
	if len(g.calls) < threshold {
		return
	}
	g.volleys = g.volleys[:0]
	at := g.volleyAt()
	for i := range g.calls {
		if c := &g.calls[i]; c.counts() && c.args != 0 {
			g.volley(c, at).add(c)
		}
	}
	for i := range g.volleys {
		if v := &g.volleys[i]; v.count >= threshold && !v.differ {
			g.report(v.hit(g, threshold))
		}
	}
	g.volleys = g.volleys[:0]
}

// volleyAt indexes the volleys of a large step by key; a usual one is searched.
func (g *Guard) volleyAt() map[mark]int {
	const usual = 32
	if len(g.calls) <= usual {
		return nil
	}
	return make(map[mark]int, len(g.calls))
}

func (g *Guard) volley(c *call, at map[mark]int) *volley {
	key := c.key()
	if at != nil {
		i, ok := at[key]
		if !ok {
			i = len(g.volleys)
			at[key] = i
			g.volleys = append(g.volleys, volley{key: key})
		}
		return &g.volleys[i]
	}
	for i := range g.volleys {
		if g.volleys[i].key == key {
			return &g.volleys[i]
		}
	}
	g.volleys = append(g.volleys, volley{key: key})
	return &g.volleys[len(g.volleys)-1]
}

func (v *volley) add(c *call) {
	v.count++
	v.last = c.index
	if c.out == 0 {
		return
	}
	v.differ = v.differ || v.out != 0 && v.out != c.out
	v.out = c.out
	v.known++
}

func (v *volley) hit(g *Guard, threshold int) hit {
	grade := ArgsOnly
	if v.known > 1 {
		grade = Confirmed
	}
	return hit{
		id: v.key, code: CodeBurst, grade: grade, call: v.last, count: v.count,
		facts: facts{Tools: g.calls[v.last].tool, Threshold: threshold},
	}
}

// endBursts closes the bursts of earlier steps.
func (g *Guard) endBursts() {
	for i := range g.episodes.list {
		if e := &g.episodes.list[i]; e.Rank == g.by.rank && e.Open {
			e = g.episodes.edit(i)
			e.Open, e.State = false, Recovered
		}
	}
}

func burstWords(g *Guard, f *Finding, x *facts) (string, Evidence) {
	tool := g.label(x.Tools)
	return fmt.Sprintf("One response called tool %q %d times with the same arguments.", tool, f.Count),
		Evidence{"tool": tool, "count": f.Count, "threshold": x.Threshold}
}
