// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"path"
	"slices"

	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// tokensPerPrice is the quantity that prices are for.
const tokensPerPrice = 1e6

// priceList returns what usage costs by the user's list: the longest glob that
// matches the model counts. It is nil for an empty list.
func priceList(prices map[string]PriceConfig) genai.Price {
	if len(prices) == 0 {
		return nil
	}
	globs := sortedKeys(prices)
	slices.SortStableFunc(globs, func(a, b string) int { return len(b) - len(a) })
	return func(model string, u genai.Usage) (float64, bool) {
		for _, glob := range globs {
			if ok, _ := path.Match(glob, model); ok {
				return prices[glob].cost(u), true
			}
		}
		return 0, false
	}
}

// cost is that of one response. Cached tokens are part of the input: those
// that have a price of their own are taken out of it.
func (p PriceConfig) cost(u genai.Usage) float64 {
	input := float64(u.Input)
	sum := float64(u.Output) * p.Output
	for _, cached := range []struct {
		tokens int64
		price  *float64
	}{{u.CacheRead, p.CacheRead}, {u.CacheWrite, p.CacheWrite}} {
		if cached.price != nil {
			n := min(float64(cached.tokens), input)
			input -= n
			sum += n * *cached.price
		}
	}
	return (sum + input*p.Input) / tokensPerPrice
}
