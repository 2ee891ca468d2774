// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumertest"

	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

func TestPriceList(t *testing.T) {
	cached := 1.25
	price := priceList(map[string]PriceConfig{
		"gpt-4o*":     {Input: 2.5, Output: 10, CacheRead: &cached},
		"gpt-4o-mini": {Input: 0.15, Output: 0.6},
	})
	tests := []struct {
		model string
		usage genai.Usage
		want  float64
		ok    bool
	}{
		{"gpt-4o", genai.Usage{Input: 1_000_000, Output: 100_000}, 3.5, true},
		{"gpt-4o-2024", genai.Usage{Input: 1_000_000, CacheRead: 400_000}, 0.6*2.5 + 0.4*1.25, true},
		{"gpt-4o-mini", genai.Usage{Input: 1_000_000, CacheRead: 400_000}, 0.15, true},
		{"gpt-4o", genai.Usage{Input: 10, CacheRead: 400_000}, 10 * 1.25 / 1e6, true},
		{"claude", genai.Usage{Input: 1}, 0, false},
	}
	for _, tt := range tests {
		got, ok := price(tt.model, tt.usage)
		assert.Equal(t, tt.ok, ok, tt.model)
		assert.InDelta(t, tt.want, got, 1e-12, tt.model)
	}
	assert.Nil(t, priceList(nil))
}

func TestCostIsPricedWhereSpansGiveNone(t *testing.T) {
	sink := new(consumertest.TracesSink)
	p := started(t, sink, func(c *Config) { c.Pricing = map[string]PriceConfig{"*": {Input: 10, Output: 100}} })
	require.NoError(t, p.ConsumeTraces(t.Context(), loop(1, 5, true)))
	got := named(t, sink, "invoke_agent main")
	assert.InDelta(t, (500*10+50*100)/1e6, got["loop_guard.run.cost"], 1e-12)
	assert.InDelta(t, (200*10+20*100)/1e6, got["loop_guard.waste.cost"], 1e-12)
}

func TestBudgetSaysWhereTheCostIsFrom(t *testing.T) {
	sink := new(consumertest.TracesSink)
	p := started(t, sink, func(c *Config) {
		c.Pricing = map[string]PriceConfig{"*": {Input: 10, Output: 100}}
		c.Detectors.Budget = configoptional.Some(BudgetConfig{Cost: configoptional.Some(CostLimitConfig{Limit: 0.003})})
	})
	require.NoError(t, p.ConsumeTraces(t.Context(), loop(1, 2, true)))
	assert.Equal(t, "BUDGET_COST_USD", named(t, sink, "invoke_agent main")["loop_guard.code"])
	event := sink.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(2).Events().At(0)
	assert.Equal(t, "price_list", stringOf(event.Attributes(), "loop_guard.evidence.cost_source"))
}
