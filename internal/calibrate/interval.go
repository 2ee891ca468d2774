// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
)

// z95 is the 97.5 % quantile of the normal distribution.
const z95 = 1.959963984540054

// rate is a share of runs.
type rate struct{ Hits, Of int }

// interval is the 95 % score interval of E. B. Wilson, "Probable Inference, the
// Law of Succession, and Statistical Inference", 1927, without continuity
// correction. Both ends are in [0, 1]; of nothing it is all of that.
func (r rate) interval() (low, high float64) {
	if r.Of == 0 {
		return 0, 1
	}
	n, p := float64(r.Of), r.share()
	center := p + z95*z95/(2*n)
	spread := z95 * math.Sqrt(p*(1-p)/n+z95*z95/(4*n*n))
	scale := 1 + z95*z95/n
	return max(0, (center-spread)/scale), min(1, (center+spread)/scale)
}

func (r rate) share() float64 { return float64(r.Hits) / float64(r.Of) }

// Percent is the share alone.
func (r rate) Percent() string { return fmt.Sprintf("%.1f %%", 100*r.share()) }

// Rest is the share of all others.
func (r rate) Rest() rate { return rate{r.Of - r.Hits, r.Of} }

// String is "hits/of share [low, high]", in percent.
func (r rate) String() string {
	if r.Of == 0 {
		return "-"
	}
	low, high := r.interval()
	return fmt.Sprintf("%d/%d %.1f %% [%.1f, %.1f]", r.Hits, r.Of, 100*r.share(), 100*low, 100*high)
}
