// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package e2e drives a built collector from outside: it starts the binary, sends recorded traces to it and reads what came out.
// It is a module of its own, so that the processor's module graph stays small. Attribute and metric names are spelled out here on
// purpose: they are the contract with other people's software, and a change of them has to be noticed.
package e2e
