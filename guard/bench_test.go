// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// argument1K is a call's arguments as coding agents send them, about 1 KB.
const argument1K = `{"description":"Find where the retry budget is read and who changes it","path":"/srv/app/services/checkout/internal/retry/budget.go",` +
	`"edits":[{"old":"func (b *Budget) Take(n int) bool {\n\tif b.left < n {\n\t\treturn false\n\t}\n\tb.left -= n\n\treturn true\n}","new":"func (b *Budget) Take(n int) bool {\n\tb.mu.Lock()\n\tdefer b.mu.Unlock()\n\tif b.left < n {\n\t\treturn false\n\t}\n\tb.left -= n\n\treturn true\n}","line":118},` +
	`{"old":"left int","new":"mu   sync.Mutex\n\tleft int","line":31}],"options":{"dry_run":false,"format":true,"timeout_ms":30000,"encoding":"utf-8"},` +
	`"context":{"since":"2026-11-03T10:00:05Z","request_id":"4bf92f3577b34da6a3ce929d0e0e4736","cursor":"eyJvZmZzZXQiOjQwfQ","files":["internal/retry/budget.go","internal/retry/policy.go","cmd/checkout/main.go"]},` +
	`"note":"The budget is shared by all workers of one pod; see the incident of last week for the numbers.","limit":50,"score":0.8125,"tags":["retry","budget","concurrency"],"parent":null,"weights":[1,2.5,1e3,-4]}`

func benchDigester(b *testing.B) *Digester {
	b.Helper()
	d, err := NewDigester(Sameness{})
	require.NoError(b, err)
	return d
}

func BenchmarkArgs(b *testing.B) {
	d := benchDigester(b)
	b.SetBytes(int64(len(argument1K)))
	b.ReportAllocs()
	for b.Loop() {
		d.Args(argument1K)
	}
}

func BenchmarkResult(b *testing.B) {
	d := benchDigester(b)
	b.SetBytes(int64(len(argument1K)))
	b.ReportAllocs()
	for b.Loop() {
		d.Result(argument1K)
	}
}

func BenchmarkResultPlainText(b *testing.B) {
	text := strings.Repeat("2026-11-03T10:00:05Z INFO  worker 17 took 0.312s for order 88121\n", 16)
	d := benchDigester(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		d.Result(text)
	}
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("The retry budget is shared by all workers of one pod. ", 20)
	d := benchDigester(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		d.Text(text)
	}
}

func BenchmarkMemo(b *testing.B) {
	m := NewMemo(benchDigester(b), 64)
	b.SetBytes(int64(len(argument1K)))
	b.ReportAllocs()
	for b.Loop() {
		m.Args(argument1K)
	}
}

func BenchmarkArgsValue(b *testing.B) {
	d := benchDigester(b)
	v, err := decodeJSON([]byte(argument1K))
	require.NoError(b, err)
	b.SetBytes(int64(len(argument1K)))
	b.ReportAllocs()
	for b.Loop() {
		d.ArgsValue(v)
	}
}
