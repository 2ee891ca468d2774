// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"fmt"
	"math"
)

// totals are the sums of a run.
type totals struct {
	Input, Output, Total, Cost float64
	// Priced is the part of Cost that comes from a price list.
	Priced float64
	// StepMs sums the steps' own durations in milliseconds.
	StepMs float64
	// First and Last bound the run in unix nanoseconds, as far as steps say.
	First, Last int64
}

// metric is one thing that a budget limits. The order is that of report.
type metric struct {
	name, code string
	limit      func(*Budget) Limit
	value      func(*Guard) float64
}

var metrics = [...]metric{
	{"total_tokens", CodeBudgetTotalTokens,
		func(b *Budget) Limit { return b.TotalTokens },
		func(g *Guard) float64 { return g.now.Totals.Total }},
	{"input_tokens", CodeBudgetInputTokens,
		func(b *Budget) Limit { return b.InputTokens },
		func(g *Guard) float64 { return g.now.Totals.Input }},
	{"output_tokens", CodeBudgetOutputTokens,
		func(b *Budget) Limit { return b.OutputTokens },
		func(g *Guard) float64 { return g.now.Totals.Output }},
	{"cost_usd", CodeBudgetCostUSD,
		func(b *Budget) Limit { return b.CostUSD },
		func(g *Guard) float64 { return g.now.Totals.Cost }},
	{"duration_ms", CodeBudgetDurationMs,
		func(b *Budget) Limit { return b.DurationMs },
		(*Guard).elapsedMs},
}

// budget compares the totals with their limits (agent-loopguard). A limit is
// spent when it is reached, because a step is judged after it has happened.
func budget(g *Guard) {
	for i := range metrics {
		m := &metrics[i]
		limit := m.limit(&g.rules.Budget)
		if limit.Max == 0 {
			continue
		}
		value, warnAt := m.value(g), cmp.Or(limit.WarnAt, g.rules.Budget.WarnAt)
		switch ratio := value / limit.Max; {
		case value >= limit.Max:
			g.report(m.sourced(g, m.spent(mark(i+1), value, limit.Max)))
		case warnAt > 0 && ratio >= warnAt:
			g.report(m.sourced(g, m.warning(mark(i+1), value, limit.Max, ratio)))
		}
	}
}

func (m *metric) spent(id mark, value, limit float64) hit {
	return hit{
		id: id, code: m.code, call: -1, count: 1, toEnd: true,
		evidence: Evidence{"metric": m.name, "value": value, "limit": limit},
		detail:   fmt.Sprintf("The run has spent %g of %s; the limit is %g.", value, m.name, limit),
	}
}

func (m *metric) warning(id mark, value, limit, ratio float64) hit {
	// The warning is an episode of its own beside that of the spent limit.
	return hit{
		id: id + mark(len(metrics)), code: CodeBudgetWarning, severity: Warn, call: -1, count: 1, toEnd: true,
		evidence: Evidence{"metric": m.name, "value": value, "limit": limit, "ratio": ratio},
		detail:   fmt.Sprintf("The run has spent %g of %s, %.0f%% of the limit %g.", value, m.name, 100*ratio, limit),
	}
}

// sourced says where a cost is from: Retrospective is told.
func (m *metric) sourced(g *Guard, h hit) hit {
	if !g.rules.retrospective || m.code != CodeBudgetCostUSD {
		return h
	}
	source := "mixed"
	switch g.now.Totals.Priced {
	case 0:
		source = "span"
	case g.now.Totals.Cost:
		source = "price_list"
	}
	h.evidence["cost_source"] = source
	return h
}

// spend adds a step to the totals. Numbers that are negative or not finite are
// ignored.
func (t *totals) spend(s *StepDigest) {
	in, out := usable(s.Usage.InputTokens), usable(s.Usage.OutputTokens)
	all := usable(s.Usage.TotalTokens)
	if all == 0 {
		all = in + out
	}
	t.Input, t.Output = sum(t.Input, in), sum(t.Output, out)
	t.Total = sum(t.Total, all)
	t.Cost = sum(t.Cost, usable(s.Usage.CostUSD))
	t.Priced = sum(t.Priced, usable(s.Usage.PricedUSD))
	t.StepMs = sum(t.StepMs, usable(s.DurationMs))
	t.span(s.Start, s.End)
	for i := range s.Calls {
		t.span(s.Calls[i].Start, s.Calls[i].End)
	}
}

func (t *totals) span(start, end int64) {
	if start != 0 && (t.First == 0 || start < t.First) {
		t.First = start
	}
	t.Last = max(t.Last, start, end)
}

// sum stays finite: JSON knows no infinity.
func sum(a, b float64) float64 { return min(a+b, math.MaxFloat64) }

// spanMs is the time between the first start and the last end.
func (t *totals) spanMs() float64 {
	if t.First == 0 || t.Last <= t.First {
		return 0
	}
	// As unsigned numbers the difference of any two times fits.
	return float64(uint64(t.Last)-uint64(t.First)) / 1e6
}

// elapsedMs is the larger of the summed step durations and the time that has
// passed: by the clock, or for Retrospective by the steps' own times.
func (g *Guard) elapsedMs() float64 {
	if g.rules.retrospective {
		return max(g.now.Totals.StepMs, g.now.Totals.spanMs())
	}
	return max(g.now.Totals.StepMs, g.clockMs())
}

// clockMs is the time since the guard was made or reset.
func (g *Guard) clockMs() float64 {
	return float64(g.rules.Now().Sub(g.started).Nanoseconds()) / 1e6
}
