// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package input reads stored traces, whatever they are stored as: OTLP/JSON,
// a request a line or in one document, and OTLP protobuf, bare or in the frames
// of the collector's file exporter; plain, gzip or zstd. What a file is, its
// content says, never its name.
//
// All of it is read in portions: how much memory a file takes does not depend
// on its size.
package input
