// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// examples says for each example what it promises about a run that loops and one that does not.
var examples = map[string]func(t *testing.T, looping, healthy []ptrace.Span){
	"quickstart":    tagsAll,
	"tail-sampling": tagsAll,
	"faults-only": func(t *testing.T, looping, healthy []ptrace.Span) {
		assert.Equal(t, "stop", worst(Runs(looping), nil))
		assert.False(t, tagged(healthy))
	},
	"metrics-only": func(t *testing.T, looping, healthy []ptrace.Span) {
		assert.False(t, tagged(looping))
		assert.False(t, tagged(healthy))
	},
}

func tagsAll(t *testing.T, looping, healthy []ptrace.Span) {
	assert.Equal(t, "stop", worst(Runs(looping), nil))
	assert.Len(t, Runs(healthy), 1)
	assert.Empty(t, Findings(healthy))
}

// tagged says whether any attribute or event of ours is on one of the spans.
func tagged(spans []ptrace.Span) bool {
	for _, span := range spans {
		for key := range span.Attributes().All() {
			if strings.HasPrefix(key, "loop_guard.") {
				return true
			}
		}
		for _, event := range span.Events().All() {
			if event.Name() == "gen_ai.evaluation.result" {
				return true
			}
		}
	}
	return false
}

func TestEndToEndExamples(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root, "examples"))
	require.NoError(t, err)
	require.Len(t, entries, len(examples), "every example has a test")
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) {
			require.Contains(t, examples, entry.Name())
			said, err := exec.CommandContext(t.Context(), binary(t), "validate", "--config", config(entry.Name())).CombinedOutput()
			require.NoError(t, err, string(said))
			testExample(t, entry.Name())
		})
	}
}

func testExample(t *testing.T, name string) {
	looping, healthy := recording(t, "ai7-otel/repeat6.on"), recording(t, "ai7-otel/healthy.on")
	c := started(t, name)
	require.NoError(t, looping.SendHTTP(t.Context(), c.HTTP))
	require.NoError(t, healthy.SendHTTP(t.Context(), c.HTTP))
	counted := scrape(t, c)
	written := output(t, c)

	examples[name](t, written.Spans(looping.Traces()...), written.Spans(healthy.Traces()...))
	assert.InDelta(t, 1, counted.sum("runs", "verdict", "stop", "code", "REPEATED_TOOL_CALL"), 0)
	assert.InDelta(t, 1, counted.sum("runs", "verdict", "ok"), 0)
}
