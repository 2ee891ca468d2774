// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/confmap"

	"github.com/agentloopguard/loopguardprocessor/internal/genai"
)

// Config is the processor's YAML section. Every key is optional.
type Config struct {
	// Annotate says which spans are written on.
	Annotate Annotate `mapstructure:"annotate"`
	// Events adds a span event for each finding at the span where it crossed
	// its threshold.
	Events bool `mapstructure:"events"`
	// EvidencePreviews adds the first 256 bytes of the crossing call's
	// arguments and result to its event. They are the user's content.
	EvidencePreviews bool `mapstructure:"evidence_previews"`
	// IdleTimeout closes a trace that has had no new span for so long.
	IdleTimeout time.Duration `mapstructure:"idle_timeout"`
	// Limits bounds the processor's state.
	Limits LimitsConfig `mapstructure:"limits"`
	// Detectors says what to look for.
	Detectors DetectorsConfig `mapstructure:"detectors"`
	// Tools holds rules for tools by glob on their names.
	Tools map[string]ToolConfig `mapstructure:"tools"`
	// Pricing is the user's own price list, by glob on model names. It is for
	// spans that do not say what they cost.
	Pricing map[string]PriceConfig `mapstructure:"pricing"`
	// Overrides replaces detector settings for some resources; the first that
	// matches counts.
	Overrides []OverrideConfig `mapstructure:"overrides"`
	// Attributes adds attribute keys, by field, to those that are read.
	Attributes map[string][]string `mapstructure:"attributes"`

	_ struct{}
}

var (
	_ component.Config    = (*Config)(nil)
	_ confmap.Validator   = (*Config)(nil)
	_ confmap.Unmarshaler = (*Config)(nil)
)

// Unmarshal reads the section. What an override does not name is as in the
// section's own detectors.
func (cfg *Config) Unmarshal(conf *confmap.Conf) error {
	if err := conf.Unmarshal(cfg); err != nil {
		return err
	}
	list, _ := conf.Get("overrides").([]any)
	for i := range cfg.Overrides {
		cfg.Overrides[i].Detectors = cfg.Detectors
		override, _ := list[i].(map[string]any)
		own, _ := override["detectors"].(map[string]any)
		if err := confmap.NewFromStringMap(own).Unmarshal(&cfg.Overrides[i].Detectors); err != nil {
			return fmt.Errorf("overrides::%d::detectors: %w", i, err)
		}
	}
	return nil
}

// OverrideConfig sets the detectors for the runs of some resources.
type OverrideConfig struct {
	// Match holds globs on resource attributes; all of them must match.
	Match map[string]string `mapstructure:"match"`
	// Detectors says what to look for, where it is not as for all others.
	Detectors DetectorsConfig `mapstructure:"detectors"`

	_ struct{}
}

// maxOverrides is how many there may be: a profile's number is a byte.
const maxOverrides = 255

// Annotate says which spans are written on.
type Annotate string

// AnnotateAll writes a verdict on every run, AnnotateFaults leaves healthy runs
// untouched, AnnotateNone leaves all data untouched and only counts.
const (
	AnnotateAll    Annotate = "all"
	AnnotateFaults Annotate = "faults"
	AnnotateNone   Annotate = "none"
)

// LimitsConfig bounds the processor's state.
type LimitsConfig struct {
	// OpenRuns is how many runs may be open at once.
	OpenRuns int64 `mapstructure:"open_runs"`
	// StateBytes bounds the state of all open runs together.
	StateBytes int64 `mapstructure:"state_bytes"`
	// StepsPerRun is how many steps of a run are judged together.
	StepsPerRun int `mapstructure:"steps_per_run"`
	// AttributeBytes bounds how much text of one attribute is read.
	AttributeBytes int `mapstructure:"attribute_bytes"`
	// HistoryBytes bounds how much of a model's input messages is read.
	HistoryBytes int `mapstructure:"history_bytes"`

	_ struct{}
}

// DetectorsConfig has a section for each detector. `enabled: false` in it
// switches the detector off.
type DetectorsConfig struct {
	FinishReason     configoptional.Optional[FinishReasonConfig]     `mapstructure:"finish_reason"`
	MaxSteps         configoptional.Optional[MaxStepsConfig]         `mapstructure:"max_steps"`
	RepeatedToolCall configoptional.Optional[RepeatedToolCallConfig] `mapstructure:"repeated_tool_call"`
	Oscillation      configoptional.Optional[OscillationConfig]      `mapstructure:"oscillation"`
	RepeatedError    configoptional.Optional[ThresholdConfig]        `mapstructure:"repeated_error"`
	RecurringCall    configoptional.Optional[RecurringCallConfig]    `mapstructure:"recurring_call"`
	DelegationLoop   configoptional.Optional[DelegationLoopConfig]   `mapstructure:"delegation_loop"`
	RepeatedText     configoptional.Optional[RepeatedTextConfig]     `mapstructure:"repeated_text"`
	Stagnation       configoptional.Optional[StagnationConfig]       `mapstructure:"stagnation"`
	NoProgress       configoptional.Optional[ThresholdConfig]        `mapstructure:"no_progress"`
	ErrorStreak      configoptional.Optional[ThresholdConfig]        `mapstructure:"error_streak"`
	Burst            configoptional.Optional[ThresholdConfig]        `mapstructure:"burst"`
	Waiting          configoptional.Optional[WaitingConfig]          `mapstructure:"waiting"`
	Budget           configoptional.Optional[BudgetConfig]           `mapstructure:"budget"`

	_ struct{}
}

// FinishReasonConfig judges how a run's last response ended.
type FinishReasonConfig struct {
	Severity Severity `mapstructure:"severity"`
	// Terminal are the reasons that are a fault at a run's end.
	Terminal []string `mapstructure:"terminal"`
	// OtherPolicy is for unfamiliar reasons: stop, continue or
	// stop-if-text-only.
	OtherPolicy string `mapstructure:"other_policy"`

	_ struct{}
}

// MaxStepsConfig stops a run that has this many steps.
type MaxStepsConfig struct {
	Severity Severity `mapstructure:"severity"`
	Limit    int      `mapstructure:"limit"`

	_ struct{}
}

// RepeatedToolCallConfig finds the same calls made again and again.
type RepeatedToolCallConfig struct {
	Severity Severity `mapstructure:"severity"`
	// Threshold counts equal calls with equal known outcomes.
	Threshold int `mapstructure:"threshold"`
	// ArgsOnlyThreshold counts equal calls whose outcomes are unknown.
	ArgsOnlyThreshold int `mapstructure:"args_only_threshold"`
	// ResultsOnlyThreshold counts equal outcomes of calls whose arguments are
	// unknown.
	ResultsOnlyThreshold int `mapstructure:"results_only_threshold"`
	// IgnoreErrors leaves failed calls out.
	IgnoreErrors bool `mapstructure:"ignore_errors"`
	// RequireIdenticalResults makes a changed outcome progress.
	RequireIdenticalResults bool `mapstructure:"require_identical_results"`

	_ struct{}
}

// OscillationConfig finds cycles of calls.
type OscillationConfig struct {
	Severity Severity `mapstructure:"severity"`
	// MaxPeriod is the longest cycle looked for, in rounds.
	MaxPeriod int `mapstructure:"max_period"`
	// Repeats is the number of full cycles.
	Repeats int `mapstructure:"repeats"`
	// ArgsOnlyRepeats is the number of cycles when outcomes are unknown.
	ArgsOnlyRepeats int `mapstructure:"args_only_repeats"`

	_ struct{}
}

// ThresholdConfig is for detectors that count one thing.
type ThresholdConfig struct {
	Severity  Severity `mapstructure:"severity"`
	Threshold int      `mapstructure:"threshold"`

	_ struct{}
}

// RecurringCallConfig finds calls that come again with others in between.
type RecurringCallConfig struct {
	Severity Severity `mapstructure:"severity"`
	// Window is how many of the last calls are looked at.
	Window int `mapstructure:"window"`
	// Seen is how many of them had been made before, with the same outcome.
	Seen int `mapstructure:"seen"`
	// Threshold counts one call since the last user message.
	Threshold int `mapstructure:"threshold"`

	_ struct{}
}

// DelegationLoopConfig finds agents that hand a task round in a circle.
type DelegationLoopConfig struct {
	Severity Severity `mapstructure:"severity"`
	// Repeats counts the laps.
	Repeats int `mapstructure:"repeats"`
	// NamesOnlyRepeats is for agents of which only the names are known.
	NamesOnlyRepeats int `mapstructure:"names_only_repeats"`

	_ struct{}
}

// RepeatedTextConfig finds models that say the same again and again.
type RepeatedTextConfig struct {
	Severity Severity `mapstructure:"severity"`
	// Threshold counts equal responses in a row.
	Threshold int `mapstructure:"threshold"`
	// MinWords is the length from which equal texts count by themselves.
	MinWords int `mapstructure:"min_words"`

	_ struct{}
}

// StagnationConfig finds tools that are asked in ever new ways and tell
// nothing new.
type StagnationConfig struct {
	Severity Severity `mapstructure:"severity"`
	// Threshold counts calls with different arguments and one result.
	Threshold int `mapstructure:"threshold"`
	// SelfAppendThreshold counts inputs of which each goes on from the last.
	SelfAppendThreshold int `mapstructure:"self_append_threshold"`
	// SweepThreshold counts ranges that are read once more.
	SweepThreshold int `mapstructure:"sweep_threshold"`
	// MinResultChars is the length from which a result says something.
	MinResultChars int `mapstructure:"min_result_chars"`

	_ struct{}
}

// WaitingConfig tells polls from loops.
type WaitingConfig struct {
	Severity Severity `mapstructure:"severity"`
	// MinGap is the time between two calls from which repetition is a poll.
	MinGap time.Duration `mapstructure:"min_gap"`
	// MaxDuration is how long a poll may last; 0 is for ever.
	MaxDuration time.Duration `mapstructure:"max_duration"`

	_ struct{}
}

// BudgetConfig limits what a run may spend. A limit is spent when it is
// reached.
type BudgetConfig struct {
	Severity     Severity                                   `mapstructure:"severity"`
	TotalTokens  configoptional.Optional[TokenLimitConfig]  `mapstructure:"total_tokens"`
	InputTokens  configoptional.Optional[TokenLimitConfig]  `mapstructure:"input_tokens"`
	OutputTokens configoptional.Optional[TokenLimitConfig]  `mapstructure:"output_tokens"`
	Cost         configoptional.Optional[CostLimitConfig]   `mapstructure:"cost"`
	Duration     configoptional.Optional[DurationLimConfig] `mapstructure:"duration"`

	_ struct{}
}

// TokenLimitConfig is a limit in tokens. From the share warn_at of it on, the
// run has a warning.
type TokenLimitConfig struct {
	Limit  int64   `mapstructure:"limit"`
	WarnAt float64 `mapstructure:"warn_at"`

	_ struct{}
}

// CostLimitConfig is a limit in the currency that the spans report.
type CostLimitConfig struct {
	Limit  float64 `mapstructure:"limit"`
	WarnAt float64 `mapstructure:"warn_at"`

	_ struct{}
}

// DurationLimConfig is a limit in time.
type DurationLimConfig struct {
	Limit  time.Duration `mapstructure:"limit"`
	WarnAt float64       `mapstructure:"warn_at"`

	_ struct{}
}

// ToolConfig is a rule for the tools that a glob matches.
type ToolConfig struct {
	// Ignore leaves the tool's calls out of all detectors.
	Ignore bool `mapstructure:"ignore"`
	// Key names the only top-level arguments that tell two calls apart.
	Key []string `mapstructure:"key"`
	// MaxCalls is how often each such tool may be called in a run.
	MaxCalls int `mapstructure:"max_calls"`

	_ struct{}
}

// PriceConfig is what a million tokens cost.
type PriceConfig struct {
	Input  float64 `mapstructure:"input"`
	Output float64 `mapstructure:"output"`
	// CacheRead and CacheWrite are for cached input; without them it costs as
	// much as any other.
	CacheRead  *float64 `mapstructure:"cache_read"`
	CacheWrite *float64 `mapstructure:"cache_write"`

	_ struct{}
}

// Severity says what a detector's findings ask for; empty is its default.
type Severity string

// The severities.
const (
	SeverityWarn Severity = "warn"
	SeverityStop Severity = "stop"
)

// Validate reports every mistake with its key, its value and what is allowed.
func (cfg *Config) Validate() error {
	return errors.Join(
		oneOf("annotate", string(cfg.Annotate), string(AnnotateAll), string(AnnotateFaults), string(AnnotateNone)),
		between("idle_timeout", cfg.IdleTimeout, time.Second, 720*time.Hour),
		cfg.validateTools(),
		cfg.validatePricing(),
		cfg.validateAttributes(),
		cfg.validateOverrides(),
	)
}

// Validate checks what the override is for.
func (c *OverrideConfig) Validate() error {
	if len(c.Match) == 0 {
		return errors.New("match is empty, must name a resource attribute and a glob on its value")
	}
	var errs []error
	for _, key := range sortedKeys(c.Match) {
		if _, err := path.Match(c.Match[key], ""); err != nil {
			errs = append(errs, fmt.Errorf("match::%s: %q is no glob such as \"research-*\"", key, c.Match[key]))
		}
	}
	return errors.Join(errs...)
}

// validateOverrides checks what the overrides cannot check by themselves: text
// is read in the same way for all resources.
func (cfg *Config) validateOverrides() error {
	errs := []error{between("number of overrides", len(cfg.Overrides), 0, maxOverrides)}
	chars := minResultChars(&cfg.Detectors)
	for i := range cfg.Overrides {
		if own := minResultChars(&cfg.Overrides[i].Detectors); own != chars {
			errs = append(errs, fmt.Errorf("overrides::%d::detectors::stagnation::min_result_chars is %d, must be as for all others (%d)", i, own, chars))
		}
	}
	return errors.Join(errs...)
}

func (cfg *Config) validateTools() error {
	var errs []error
	for _, glob := range sortedKeys(cfg.Tools) {
		key := "tools::" + glob
		if _, err := path.Match(glob, ""); err != nil || glob == "" {
			errs = append(errs, fmt.Errorf("%s: %q is no glob on tool names such as \"search*\"", key, glob))
		}
		errs = append(errs, atLeast(key+"::max_calls", cfg.Tools[glob].MaxCalls, 0))
	}
	return errors.Join(errs...)
}

func (cfg *Config) validatePricing() error {
	var errs []error
	for _, glob := range sortedKeys(cfg.Pricing) {
		if _, err := path.Match(glob, ""); err != nil || glob == "" {
			errs = append(errs, fmt.Errorf("pricing::%s: %q is no glob on model names such as \"gpt-4o*\"", glob, glob))
		}
		p := cfg.Pricing[glob]
		for key, price := range map[string]*float64{"input": &p.Input, "output": &p.Output, "cache_read": p.CacheRead, "cache_write": p.CacheWrite} {
			if price != nil && !(*price >= 0) {
				errs = append(errs, fmt.Errorf("pricing::%s::%s is %v, must be at least 0", glob, key, *price))
			}
		}
	}
	return errors.Join(errs...)
}

func (cfg *Config) validateAttributes() error {
	var errs []error
	fields := genai.UserFields()
	for _, field := range sortedKeys(cfg.Attributes) {
		if !slices.Contains(fields, field) {
			errs = append(errs, fmt.Errorf("attributes::%s: is no field, must be one of: %s", field, strings.Join(fields, ", ")))
		}
		if slices.Contains(cfg.Attributes[field], "") {
			errs = append(errs, fmt.Errorf("attributes::%s: has an empty key, must be names of span attributes", field))
		}
	}
	return errors.Join(errs...)
}

// Validate checks the limits.
func (l *LimitsConfig) Validate() error {
	return errors.Join(
		atLeast("open_runs", l.OpenRuns, 1),
		atLeast("state_bytes", l.StateBytes, 1<<20),
		between("steps_per_run", l.StepsPerRun, 2, 1<<20),
		atLeast("attribute_bytes", l.AttributeBytes, 64),
		atLeast("history_bytes", l.HistoryBytes, 64),
	)
}

// Validate checks the section.
func (c *FinishReasonConfig) Validate() error {
	return errors.Join(
		c.Severity.validate(),
		oneOf("other_policy", c.OtherPolicy, "stop", "continue", "stop-if-text-only"),
	)
}

// Validate checks the section.
func (c *MaxStepsConfig) Validate() error {
	return errors.Join(c.Severity.validate(), atLeast("limit", c.Limit, 1))
}

// Validate checks the section.
func (c *RepeatedToolCallConfig) Validate() error {
	return errors.Join(
		c.Severity.validate(),
		atLeast("threshold", c.Threshold, 2),
		atLeast("args_only_threshold", c.ArgsOnlyThreshold, 2),
		atLeast("results_only_threshold", c.ResultsOnlyThreshold, 2),
	)
}

// Validate checks the section.
func (c *OscillationConfig) Validate() error {
	return errors.Join(
		c.Severity.validate(),
		between("max_period", c.MaxPeriod, 2, 32),
		atLeast("repeats", c.Repeats, 2),
		atLeast("args_only_repeats", c.ArgsOnlyRepeats, 2),
	)
}

// Validate checks the section.
func (c *ThresholdConfig) Validate() error {
	return errors.Join(c.Severity.validate(), atLeast("threshold", c.Threshold, 2))
}

// Validate checks the section.
func (c *RecurringCallConfig) Validate() error {
	return errors.Join(
		c.Severity.validate(),
		between("window", c.Window, 2, 64),
		between("seen", c.Seen, 2, max(2, c.Window)),
		atLeast("threshold", c.Threshold, 2),
	)
}

// Validate checks the section.
func (c *DelegationLoopConfig) Validate() error {
	return errors.Join(
		c.Severity.validate(),
		atLeast("repeats", c.Repeats, 2),
		atLeast("names_only_repeats", c.NamesOnlyRepeats, 2),
	)
}

// Validate checks the section.
func (c *RepeatedTextConfig) Validate() error {
	return errors.Join(
		c.Severity.validate(),
		atLeast("threshold", c.Threshold, 2),
		atLeast("min_words", c.MinWords, 1),
	)
}

// Validate checks the section.
func (c *StagnationConfig) Validate() error {
	return errors.Join(
		c.Severity.validate(),
		atLeast("threshold", c.Threshold, 2),
		atLeast("self_append_threshold", c.SelfAppendThreshold, 2),
		atLeast("sweep_threshold", c.SweepThreshold, 2),
		atLeast("min_result_chars", c.MinResultChars, 1),
	)
}

// Validate checks the section.
func (c *WaitingConfig) Validate() error {
	return errors.Join(
		c.Severity.validate(),
		atLeast("min_gap", c.MinGap, time.Millisecond),
		atLeast("max_duration", c.MaxDuration, 0),
	)
}

// Validate checks the section.
func (c *BudgetConfig) Validate() error { return c.Severity.validate() }

// Validate checks the limit.
func (c *TokenLimitConfig) Validate() error {
	return errors.Join(atLeast("limit", c.Limit, 1), share("warn_at", c.WarnAt))
}

// Validate checks the limit.
func (c *CostLimitConfig) Validate() error {
	if !(c.Limit > 0) {
		return fmt.Errorf("limit is %v, must be above 0", c.Limit)
	}
	return share("warn_at", c.WarnAt)
}

// Validate checks the limit.
func (c *DurationLimConfig) Validate() error {
	return errors.Join(atLeast("limit", c.Limit, time.Millisecond), share("warn_at", c.WarnAt))
}

func (s Severity) validate() error {
	if s == "" {
		return nil
	}
	return oneOf("severity", string(s), string(SeverityWarn), string(SeverityStop))
}

func oneOf(key, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s is %q, must be one of: %s", key, value, strings.Join(allowed, ", "))
}

func atLeast[T int | int64 | time.Duration](key string, value, least T) error {
	if value >= least {
		return nil
	}
	return fmt.Errorf("%s is %v, must be at least %v", key, value, least)
}

func between[T int | int64 | time.Duration](key string, value, least, most T) error {
	if value >= least && value <= most {
		return nil
	}
	return fmt.Errorf("%s is %v, must be from %v to %v", key, value, least, most)
}

// share checks a warn_at, of which 0 stands for "no warning".
func share(key string, value float64) error {
	if value >= 0 && value < 1 {
		return nil
	}
	return fmt.Errorf("%s is %v, must be from 0 (no warning) to below 1", key, value)
}
