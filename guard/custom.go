// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// Detector is a rule of your own. It gets all steps so far, the current one
// last, and must not change them. nil means go on. Guard.Check does not recover
// a panic in it: the panic reaches the caller.
type Detector func(history []Step, step Step) *CustomStop

// CustomStop is what a Detector found.
type CustomStop struct {
	// Code is the verdict's code (default CUSTOM).
	Code     string
	Detail   string
	Evidence Evidence
}
