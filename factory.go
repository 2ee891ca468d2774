// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package loopguardprocessor finds looping and runaway AI-agent runs in the
// spans that agents already emit, and tags them in flight. It detects and
// tags; it never blocks.
package loopguardprocessor

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"

	"github.com/agentloopguard/loopguardprocessor/internal/metadata"
)

// NewFactory returns the factory of the loop_guard processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(
		metadata.Type,
		createDefaultConfig,
		processor.WithTraces(createTraces, metadata.TracesStability),
	)
}

func createDefaultConfig() component.Config {
	return &Config{
		Annotate:    AnnotateAll,
		Events:      true,
		IdleTimeout: 5 * time.Minute,
		Limits: LimitsConfig{
			OpenRuns:       100_000,
			StateBytes:     256 << 20,
			StepsPerRun:    4096,
			AttributeBytes: 256 << 10,
			HistoryBytes:   1 << 20,
		},
		Detectors: DetectorsConfig{
			FinishReason: configoptional.Some(FinishReasonConfig{
				Terminal:    []string{"length", "content-filter", "error"},
				OtherPolicy: "stop-if-text-only",
			}),
			MaxSteps: configoptional.Default(MaxStepsConfig{Limit: 50}),
			RepeatedToolCall: configoptional.Some(RepeatedToolCallConfig{
				Threshold: 3, ArgsOnlyThreshold: 5, ResultsOnlyThreshold: 5, RequireIdenticalResults: true,
			}),
			Oscillation:    configoptional.Some(OscillationConfig{MaxPeriod: 32, Repeats: 3, ArgsOnlyRepeats: 5}),
			RepeatedError:  configoptional.Some(ThresholdConfig{Threshold: 3}),
			RecurringCall:  configoptional.Some(RecurringCallConfig{Window: 8, Seen: 5, Threshold: 3}),
			DelegationLoop: configoptional.Some(DelegationLoopConfig{Repeats: 3, NamesOnlyRepeats: 5}),
			RepeatedText:   configoptional.Some(RepeatedTextConfig{Threshold: 3, MinWords: 20}),
			Stagnation: configoptional.Some(StagnationConfig{
				Threshold: 5, SelfAppendThreshold: 6, SweepThreshold: 6, MinResultChars: defaultMinResultChars,
			}),
			NoProgress:  configoptional.Some(ThresholdConfig{Threshold: 3}),
			ErrorStreak: configoptional.Some(ThresholdConfig{Threshold: 5}),
			Burst:       configoptional.Some(ThresholdConfig{Threshold: 5}),
			Waiting:     configoptional.Some(WaitingConfig{MinGap: 10 * time.Second}),
			Budget:      configoptional.Default(BudgetConfig{}),
		},
	}
}

func createTraces(
	_ context.Context, set processor.Settings, cfg component.Config, next consumer.Traces,
) (processor.Traces, error) {
	return newProcessor(set, cfg.(*Config), next)
}
