// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The known values are those of R. G. Newcombe, "Two-sided confidence intervals
// for the single proportion", 1998, table I, method 3.
func TestInterval(t *testing.T) {
	tests := []struct {
		rate
		low, high float64
	}{
		{rate{81, 263}, 0.2553, 0.3662},
		{rate{15, 148}, 0.0624, 0.1605},
		{rate{0, 20}, 0, 0.1611},
		{rate{1, 29}, 0.0061, 0.1718},
		{rate{20, 20}, 0.8389, 1},
		{rate{0, 0}, 0, 1},
	}
	for _, tt := range tests {
		low, high := tt.interval()
		assert.InDelta(t, tt.low, low, 0.00005, "%v", tt.rate)
		assert.InDelta(t, tt.high, high, 0.00005, "%v", tt.rate)
	}
}

func TestRatesSayHowSureTheyAre(t *testing.T) {
	assert.Equal(t, "15/148 10.1 % [6.2, 16.0]", rate{15, 148}.String())
	assert.Equal(t, "-", rate{}.String(), "there is no share of nothing")
}
