// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.yaml.in/yaml/v3"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/metadata"
)

func loadConfig(t *testing.T, name string) *Config {
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config.yaml"))
	require.NoError(t, err)
	sub, err := conf.Sub(component.NewIDWithName(metadata.Type, name).String())
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, sub.Unmarshal(cfg))
	require.NoError(t, confmap.Validate(cfg))
	return cfg
}

func TestEmptySectionIsTheDefault(t *testing.T) {
	assert.Equal(t, createDefaultConfig(), loadConfig(t, ""))
}

func TestEveryKeyHasAnEffect(t *testing.T) {
	cfg := loadConfig(t, "all")
	assert.Equal(t, AnnotateFaults, cfg.Annotate)
	assert.False(t, cfg.Events)
	assert.True(t, cfg.EvidencePreviews)
	assert.Equal(t, 10*time.Minute, cfg.IdleTimeout)
	assert.Equal(t, LimitsConfig{OpenRuns: 10, StateBytes: 2097152, StepsPerRun: 100, AttributeBytes: 1000, HistoryBytes: 2000}, cfg.Limits)

	o := guardOptions(&cfg.Detectors, cfg.Tools)
	assert.Equal(t, guard.FinishReason{Severity: guard.Stop, Terminal: []string{"length"}, OtherPolicy: "continue"}, o.FinishReason)
	assert.Equal(t, guard.MaxSteps{Limit: 200}, o.MaxSteps)
	assert.Equal(t, guard.RepeatedToolCall{
		Threshold: 4, ArgsOnlyThreshold: 8, ResultsOnlyThreshold: 9, IgnoreErrors: true,
	}, o.RepeatedToolCall)
	assert.Equal(t, guard.Oscillation{MaxPeriod: 5, Repeats: 4, ArgsOnlyRepeats: 6}, o.Oscillation)
	assert.Equal(t, guard.RepeatedError{Threshold: 4}, o.RepeatedError)
	assert.Equal(t, guard.RecurringCall{Severity: guard.Warn, Window: 10, Seen: 6, Threshold: 4}, o.RecurringCall)
	assert.Equal(t, guard.DelegationLoop{Repeats: 4, NamesOnlyRepeats: 6}, o.DelegationLoop)
	assert.Equal(t, guard.RepeatedText{Threshold: 4, MinWords: 30}, o.RepeatedText)
	assert.Equal(t, guard.Stagnation{Threshold: 6, SelfAppendThreshold: 7, SweepThreshold: 8}, o.Stagnation)
	assert.Equal(t, 50, cfg.Settings(nil).Sameness.MinResultChars)
	assert.Equal(t, guard.ErrorStreak{Severity: guard.Stop, Threshold: 6}, o.ErrorStreak)
	assert.Equal(t, guard.Burst{Threshold: 9}, o.Burst)
	assert.Equal(t, guard.Waiting{MinGap: 30 * time.Second, MaxDuration: time.Hour}, o.Waiting)
	assert.True(t, o.NoProgress.Off)
	assert.Equal(t, guard.Budget{
		TotalTokens: guard.Limit{Max: 500000, WarnAt: 0.8},
		CostUSD:     guard.Limit{Max: 5},
		DurationMs:  guard.Limit{Max: 30 * 60 * 1000},
	}, o.Budget)
	assert.Equal(t, map[string]guard.Tool{
		"search*": {Key: []string{"query"}}, "TodoWrite": {Ignore: true}, "delete_file": {MaxCalls: 5},
	}, o.Tools)
	_, err := guard.New(o)
	require.NoError(t, err)

	require.Len(t, cfg.Overrides, 2)
	research := profiles(cfg)[0]
	assert.Equal(t, guard.MaxSteps{Limit: 300}, research.MaxSteps)
	assert.Equal(t, o.RepeatedToolCall, research.RepeatedToolCall, "what an override does not name is as for all others")
	assert.True(t, profiles(cfg)[1].RepeatedToolCall.Off)
	for service, want := range map[string]uint8{"research-eu": 1, "batch": 2, "shop": 0} {
		res := pcommon.NewResource()
		res.Attributes().PutStr("service.name", service)
		assert.Equal(t, want, profileOf(cfg.Overrides)(res), service)
	}

	keys := argumentKeys(cfg.Tools)
	assert.Equal(t, []string{"query"}, keys("search_docs"))
	assert.Empty(t, keys("TodoWrite"))
}

func TestMaxStepsAndBudgetAreOffByDefault(t *testing.T) {
	o := guardOptions(&createDefaultConfig().(*Config).Detectors, nil)
	assert.True(t, o.MaxSteps.Off)
	assert.True(t, o.Budget.Off)
	_, err := guard.New(o)
	require.NoError(t, err)
}

func TestEveryDetectorCanBeSwitchedOff(t *testing.T) {
	off := make(map[string]any)
	for field := range reflect.TypeFor[DetectorsConfig]().Fields() {
		if key := field.Tag.Get("mapstructure"); key != "" {
			off[key] = map[string]any{"enabled": false}
		}
	}
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"detectors": off}).Unmarshal(cfg))
	o := reflect.ValueOf(guardOptions(&cfg.Detectors, nil))
	for i := range o.NumField() {
		if o.Field(i).Kind() != reflect.Struct {
			continue
		}
		if f := o.Field(i).FieldByName("Off"); f.IsValid() && o.Type().Field(i).Name != "ToolLimit" {
			assert.True(t, f.Bool(), o.Type().Field(i).Name)
		}
	}
}

func TestMistakesNameKeyValueAndWhatIsAllowed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "invalid.yaml"))
	require.NoError(t, err)
	var tests []struct {
		Config  map[string]any
		Message string
	}
	require.NoError(t, yaml.Unmarshal(text, &tests))
	require.NotEmpty(t, tests)
	for _, tt := range tests {
		t.Run(tt.Message, func(t *testing.T) {
			cfg := createDefaultConfig().(*Config)
			require.NoError(t, confmap.NewFromStringMap(tt.Config).Unmarshal(cfg))
			assert.ErrorContains(t, confmap.Validate(cfg), tt.Message)
		})
	}
}

func TestAllMistakesAreReportedAtOnce(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Annotate, cfg.IdleTimeout, cfg.Limits.OpenRuns = "x", 0, 0
	err := confmap.Validate(cfg)
	assert.ErrorContains(t, err, "annotate")
	assert.ErrorContains(t, err, "idle_timeout")
	assert.ErrorContains(t, err, "open_runs")
}

func TestUnknownKeysAreErrors(t *testing.T) {
	for _, text := range []map[string]any{
		{"anotate": "all"},
		{"detectors": map[string]any{"repeated_tool_calls": map[string]any{}}},
		{"detectors": map[string]any{"oscillation": map[string]any{"period": 3}}},
		{"tools": map[string]any{"x": map[string]any{"max": 3}}},
	} {
		assert.ErrorContains(t, confmap.NewFromStringMap(text).Unmarshal(createDefaultConfig()), "invalid keys")
	}
}

func TestFactoryRejectsWhatValidateMissed(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Attributes = map[string][]string{"no.such.field": {"x"}}
	_, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, nil)
	assert.Error(t, err)
}
