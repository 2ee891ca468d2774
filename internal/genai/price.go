// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// A Price returns what a model's usage costs by the user's own list, and
// whether the list has the model.
type Price func(model string, u Usage) (cost float64, ok bool)

// price adds the cost where the emitter gives none. Agents and containers sum
// up what model spans show, so only these are priced.
func (x *reading) price() {
	u := &x.f.Usage
	if x.opts.Price == nil || u.Has(KnownCost) || (x.f.Kind != Model && x.f.Kind != Embedding) {
		return
	}
	if !u.Has(KnownInput) && !u.Has(KnownOutput) {
		return
	}
	if cost, ok := x.opts.Price(x.scan.text(fieldModel), *u); ok {
		u.setCost(cost)
		u.Priced = u.Has(KnownCost)
	}
}
