// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"maps"
	"path"
	"slices"

	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai"
	"github.com/agentloopguard/loopguardprocessor/internal/judge"
	"github.com/agentloopguard/loopguardprocessor/internal/runs"
	"github.com/agentloopguard/loopguardprocessor/internal/tag"
)

// Settings says in the parts' own terms what the configuration asks for. It is
// meant for the programs of this repository.
func (cfg *Config) Settings(sink runs.Sink) judge.Settings {
	return judge.Settings{
		Reader: genai.Options{
			AttributeBytes: cfg.Limits.AttributeBytes,
			HistoryBytes:   cfg.Limits.HistoryBytes,
			Attributes:     cfg.Attributes,
			ArgumentKeys:   argumentKeys(cfg.Tools),
			Price:          priceList(cfg.Pricing),
		},
		Runs: runs.Settings{
			Guard:       guardOptions(&cfg.Detectors, cfg.Tools),
			Profiles:    profiles(cfg),
			IdleTimeout: cfg.IdleTimeout,
			Limits: runs.Limits{
				OpenRuns: cfg.Limits.OpenRuns, Bytes: cfg.Limits.StateBytes, StepsPerRun: cfg.Limits.StepsPerRun,
			},
			Sink: sink,
		},
		Tag:      tagOptions(cfg),
		Sameness: guard.Sameness{MinResultChars: minResultChars(&cfg.Detectors)},
		Profile:  profileOf(cfg.Overrides),
		Previews: cfg.EvidencePreviews,
	}
}

// defaultMinResultChars is the length, in characters, from which a result says
// something.
const defaultMinResultChars = 40

func minResultChars(d *DetectorsConfig) int {
	if c := d.Stagnation.Get(); c != nil {
		return c.MinResultChars
	}
	return defaultMinResultChars
}

func tagOptions(cfg *Config) *tag.Options {
	if cfg.Annotate == AnnotateNone {
		return nil
	}
	return &tag.Options{FaultsOnly: cfg.Annotate == AnnotateFaults, Events: cfg.Events}
}

// profiles are the guard's options for each override.
func profiles(cfg *Config) []guard.Options {
	var all []guard.Options
	for i := range cfg.Overrides {
		all = append(all, guardOptions(&cfg.Overrides[i].Detectors, cfg.Tools))
	}
	return all
}

// profileOf returns the number of the first override that a resource matches,
// from 1; 0 if there is none.
func profileOf(overrides []OverrideConfig) func(pcommon.Resource) uint8 {
	if len(overrides) == 0 {
		return nil
	}
	return func(res pcommon.Resource) uint8 {
		for i := range overrides {
			if matches(overrides[i].Match, res.Attributes()) {
				return uint8(i + 1)
			}
		}
		return 0
	}
}

func matches(match map[string]string, attrs pcommon.Map) bool {
	for key, glob := range match {
		v, ok := attrs.Get(key)
		if !ok {
			return false
		}
		if ok, _ := path.Match(glob, v.AsString()); !ok {
			return false
		}
	}
	return true
}

// guardOptions says in the guard's terms what the configuration asks for.
func guardOptions(d *DetectorsConfig, tools map[string]ToolConfig) guard.Options {
	o := guard.Retrospective()
	o.NoHistory = true
	o.FinishReason = finishReason(d.FinishReason.Get())
	o.MaxSteps = maxSteps(d.MaxSteps.Get())
	o.RepeatedToolCall = repeatedToolCall(d.RepeatedToolCall.Get())
	o.Oscillation = oscillation(d.Oscillation.Get())
	o.RepeatedError = repeatedError(d.RepeatedError.Get())
	o.RecurringCall = recurringCall(d.RecurringCall.Get())
	o.DelegationLoop = delegationLoop(d.DelegationLoop.Get())
	o.RepeatedText = repeatedText(d.RepeatedText.Get())
	o.Stagnation = stagnation(d.Stagnation.Get())
	o.NoProgress = noProgress(d.NoProgress.Get())
	o.ErrorStreak = errorStreak(d.ErrorStreak.Get())
	o.Burst = burst(d.Burst.Get())
	o.Waiting = waiting(d.Waiting.Get())
	o.Budget = budget(d.Budget.Get())
	o.Tools = toolRules(tools)
	return o
}

func finishReason(c *FinishReasonConfig) guard.FinishReason {
	if c == nil {
		return guard.FinishReason{Off: true}
	}
	return guard.FinishReason{
		Severity: severity(c.Severity), Terminal: c.Terminal, OtherPolicy: guard.OtherPolicy(c.OtherPolicy),
	}
}

func maxSteps(c *MaxStepsConfig) guard.MaxSteps {
	if c == nil {
		return guard.MaxSteps{Off: true}
	}
	return guard.MaxSteps{Severity: severity(c.Severity), Limit: c.Limit}
}

func repeatedToolCall(c *RepeatedToolCallConfig) guard.RepeatedToolCall {
	if c == nil {
		return guard.RepeatedToolCall{Off: true}
	}
	return guard.RepeatedToolCall{
		Severity: severity(c.Severity), Threshold: c.Threshold, IgnoreErrors: c.IgnoreErrors,
		RequireIdenticalResults: c.RequireIdenticalResults,
		ArgsOnlyThreshold:       c.ArgsOnlyThreshold, ResultsOnlyThreshold: c.ResultsOnlyThreshold,
	}
}

func oscillation(c *OscillationConfig) guard.Oscillation {
	if c == nil {
		return guard.Oscillation{Off: true}
	}
	return guard.Oscillation{
		Severity: severity(c.Severity), MaxPeriod: c.MaxPeriod, Repeats: c.Repeats, ArgsOnlyRepeats: c.ArgsOnlyRepeats,
	}
}

func repeatedError(c *ThresholdConfig) guard.RepeatedError {
	if c == nil {
		return guard.RepeatedError{Off: true}
	}
	return guard.RepeatedError{Severity: severity(c.Severity), Threshold: c.Threshold}
}

func recurringCall(c *RecurringCallConfig) guard.RecurringCall {
	if c == nil {
		return guard.RecurringCall{Off: true}
	}
	return guard.RecurringCall{Severity: severity(c.Severity), Window: c.Window, Seen: c.Seen, Threshold: c.Threshold}
}

func delegationLoop(c *DelegationLoopConfig) guard.DelegationLoop {
	if c == nil {
		return guard.DelegationLoop{Off: true}
	}
	return guard.DelegationLoop{Severity: severity(c.Severity), Repeats: c.Repeats, NamesOnlyRepeats: c.NamesOnlyRepeats}
}

func repeatedText(c *RepeatedTextConfig) guard.RepeatedText {
	if c == nil {
		return guard.RepeatedText{Off: true}
	}
	return guard.RepeatedText{Severity: severity(c.Severity), Threshold: c.Threshold, MinWords: c.MinWords}
}

func stagnation(c *StagnationConfig) guard.Stagnation {
	if c == nil {
		return guard.Stagnation{Off: true}
	}
	return guard.Stagnation{
		Severity: severity(c.Severity), Threshold: c.Threshold,
		SelfAppendThreshold: c.SelfAppendThreshold, SweepThreshold: c.SweepThreshold,
	}
}

func noProgress(c *ThresholdConfig) guard.NoProgress {
	if c == nil {
		return guard.NoProgress{Off: true}
	}
	return guard.NoProgress{Severity: severity(c.Severity), Threshold: c.Threshold}
}

func errorStreak(c *ThresholdConfig) guard.ErrorStreak {
	if c == nil {
		return guard.ErrorStreak{Off: true}
	}
	return guard.ErrorStreak{Severity: severity(c.Severity), Threshold: c.Threshold}
}

func burst(c *ThresholdConfig) guard.Burst {
	if c == nil {
		return guard.Burst{Off: true}
	}
	return guard.Burst{Severity: severity(c.Severity), Threshold: c.Threshold}
}

func waiting(c *WaitingConfig) guard.Waiting {
	if c == nil {
		return guard.Waiting{Off: true}
	}
	return guard.Waiting{Severity: severity(c.Severity), MinGap: c.MinGap, MaxDuration: c.MaxDuration}
}

func budget(c *BudgetConfig) guard.Budget {
	if c == nil {
		return guard.Budget{Off: true}
	}
	return guard.Budget{
		Severity:     severity(c.Severity),
		TotalTokens:  tokenLimit(c.TotalTokens),
		InputTokens:  tokenLimit(c.InputTokens),
		OutputTokens: tokenLimit(c.OutputTokens),
		CostUSD:      costLimit(c.Cost.Get()),
		DurationMs:   durationLimit(c.Duration.Get()),
	}
}

func tokenLimit(o configoptional.Optional[TokenLimitConfig]) guard.Limit {
	if c := o.Get(); c != nil {
		return guard.Limit{Max: float64(c.Limit), WarnAt: c.WarnAt}
	}
	return guard.Limit{}
}

func costLimit(c *CostLimitConfig) guard.Limit {
	if c == nil {
		return guard.Limit{}
	}
	return guard.Limit{Max: c.Limit, WarnAt: c.WarnAt}
}

func durationLimit(c *DurationLimConfig) guard.Limit {
	if c == nil {
		return guard.Limit{}
	}
	return guard.Limit{Max: float64(c.Limit) / 1e6, WarnAt: c.WarnAt}
}

func severity(s Severity) guard.Severity {
	switch s {
	case SeverityWarn:
		return guard.Warn
	case SeverityStop:
		return guard.Stop
	default:
		return guard.OK // The detector's own.
	}
}

func toolRules(tools map[string]ToolConfig) map[string]guard.Tool {
	rules := make(map[string]guard.Tool, len(tools))
	for glob, c := range tools {
		rules[glob] = guard.Tool{Ignore: c.Ignore, Key: c.Key, MaxCalls: c.MaxCalls}
	}
	return rules
}

// argumentKeys returns the arguments that tell two calls of a tool apart: those
// of the longest glob that names any.
func argumentKeys(tools map[string]ToolConfig) func(tool string) []string {
	globs := slices.DeleteFunc(sortedKeys(tools), func(glob string) bool { return len(tools[glob].Key) == 0 })
	if len(globs) == 0 {
		return nil
	}
	slices.SortStableFunc(globs, func(a, b string) int { return len(b) - len(a) })
	return func(tool string) []string {
		for _, glob := range globs {
			if ok, _ := path.Match(glob, tool); ok {
				return tools[glob].Key
			}
		}
		return nil
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
