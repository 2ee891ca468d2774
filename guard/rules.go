// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"time"
)

// rules are checked options with their defaults filled in. They do not change,
// so all guards of one configuration share them.
type rules struct {
	Options
	digester *Digester
	active   []active
	terminal map[string]bool
	noOp     map[string]bool
	variants []variant
	// globs are the keys of Tools, the longest first.
	globs []string
	// wanted is how many steps evidence is to name: as many as a threshold.
	wanted int
}

// active is a detector that is switched on.
type active struct {
	*detector
	rank     int
	severity Severity
	// thin is the severity where outcomes are not known.
	thin Severity
}

// newActive fills in the severities that are not asked for.
func newActive(rank int, asked Severity, retrospective bool) active {
	a := active{detector: &detectors[rank], rank: rank, severity: asked, thin: asked}
	if asked == OK {
		a.severity = Stop
		if a.weak {
			a.severity = Warn
		}
		a.thin = a.severity
		if retrospective {
			a.thin = Warn
		}
	}
	return a
}

// warning is the severity of what the detector only warns of, unless it is
// asked to stop.
func (a *active) warning() Severity { return a.thin }

// rate is the severity of a finding with a grade.
func (a *active) rate(g Grade) Severity {
	if g == ArgsOnly {
		return a.thin
	}
	return a.severity
}

// compile checks options.
func compile(o Options) (*rules, error) {
	o.setDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	d, err := NewDigester(o.Sameness)
	if err != nil {
		return nil, err
	}
	r := &rules{Options: o, digester: d, terminal: map[string]bool{}, noOp: map[string]bool{}, wanted: o.highest()}
	for _, reason := range o.FinishReason.Terminal {
		r.terminal[clip(r.finish(reason))] = true
	}
	for _, name := range o.NoOpTools {
		r.noOp[name] = true
	}
	for glob := range o.Tools {
		r.globs = append(r.globs, glob)
	}
	slices.SortFunc(r.globs, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	for i := range detectors {
		if off, severity := detectors[i].options(&o); !off {
			r.active = append(r.active, newActive(i, severity, o.retrospective))
		}
	}
	if o.NearMisses && o.retrospective {
		if r.variants, err = variants(o); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// highest is the highest threshold of the detectors that list steps.
func (o *Options) highest() int {
	c := &o.RepeatedToolCall
	return max(
		c.Threshold, c.ArgsOnlyThreshold, c.ResultsOnlyThreshold,
		o.RepeatedError.Threshold, o.RepeatedText.Threshold, o.ErrorStreak.Threshold,
	)
}

// detector is the active detector of a reason, or nil.
func (r *rules) detector(reason Reason) *active {
	for i := range r.active {
		if r.active[i].reason == reason {
			return &r.active[i]
		}
	}
	return nil
}

func (o *Options) setDefaults() {
	o.FinishReason.OtherPolicy = cmp.Or(o.FinishReason.OtherPolicy, StopIfTextOnly)
	if o.FinishReason.Terminal == nil {
		o.FinishReason.Terminal = []string{FinishStop, FinishLength, FinishContentFilter, FinishError}
	}
	setDefault(&o.MaxSteps.Limit, 50)
	setDefault(&o.RepeatedToolCall.Threshold, 3)
	setDefault(&o.Oscillation.Repeats, 3)
	setDefault(&o.DelegationLoop.Repeats, 3)
	setDefault(&o.DelegationLoop.NamesOnlyRepeats, 5)
	setDefault(&o.RepeatedText.Threshold, 3)
	setDefault(&o.RepeatedText.MinWords, 20)
	setDefault(&o.Stagnation.Threshold, 5)
	setDefault(&o.Stagnation.SelfAppendThreshold, 6)
	setDefault(&o.Stagnation.SweepThreshold, 6)
	setDefault(&o.NoProgress.Threshold, 3)
	setDefault(&o.RepeatedError.Threshold, 3)
	setDefault(&o.RecurringCall.Window, 8)
	setDefault(&o.RecurringCall.Seen, 5)
	setDefault(&o.RecurringCall.Threshold, 3)
	setDefault(&o.ErrorStreak.Threshold, 5)
	setDefault(&o.Burst.Threshold, 5)
	o.Waiting.MinGap = cmp.Or(o.Waiting.MinGap, 10*time.Second)
	if o.retrospective {
		setDefault(&o.Oscillation.MaxPeriod, maxPeriod)
		setDefault(&o.RepeatedToolCall.ArgsOnlyThreshold, 5)
		setDefault(&o.RepeatedToolCall.ResultsOnlyThreshold, 5)
		setDefault(&o.Oscillation.ArgsOnlyRepeats, 5)
		if o.NoOpTools == nil {
			o.NoOpTools = DefaultNoOpTools
		}
	}
	setDefault(&o.Oscillation.MaxPeriod, 3)
	if o.Now == nil {
		o.Now = time.Now
	}
}

func setDefault(field *int, value int) {
	*field = cmp.Or(*field, value)
}

// validate names the option, the value and what is allowed.
func (o *Options) validate() error {
	r, c := &o.RepeatedToolCall, &o.Oscillation
	return errors.Join(
		atLeast("max steps limit", o.MaxSteps.Limit, 1),
		atLeast("repeated tool call threshold", r.Threshold, 2),
		never("repeated tool call args-only threshold", r.ArgsOnlyThreshold),
		never("repeated tool call results-only threshold", r.ResultsOnlyThreshold),
		atLeast("oscillation max period", c.MaxPeriod, 2),
		atMost("oscillation max period", c.MaxPeriod, maxPeriod),
		atLeast("oscillation repeats", c.Repeats, 2),
		never("oscillation args-only repeats", c.ArgsOnlyRepeats),
		atLeast("delegation loop repeats", o.DelegationLoop.Repeats, 2),
		atLeast("delegation loop names-only repeats", o.DelegationLoop.NamesOnlyRepeats, 2),
		atLeast("repeated text threshold", o.RepeatedText.Threshold, 2),
		atLeast("repeated text min words", o.RepeatedText.MinWords, 1),
		atLeast("stagnation threshold", o.Stagnation.Threshold, 2),
		atLeast("stagnation self-append threshold", o.Stagnation.SelfAppendThreshold, 2),
		atLeast("stagnation sweep threshold", o.Stagnation.SweepThreshold, 2),
		atLeast("no progress threshold", o.NoProgress.Threshold, 2),
		atLeast("repeated error threshold", o.RepeatedError.Threshold, 2),
		atLeast("recurring call threshold", o.RecurringCall.Threshold, 2),
		atLeast("recurring call seen", o.RecurringCall.Seen, 2),
		atLeast("recurring call window", o.RecurringCall.Window, o.RecurringCall.Seen),
		atMost("recurring call window", o.RecurringCall.Window, maxWindow),
		atLeast("error streak threshold", o.ErrorStreak.Threshold, 2),
		atLeast("burst threshold", o.Burst.Threshold, 2),
		o.Waiting.validate(),
		o.FinishReason.validate(),
		o.Budget.validate(),
		o.validateSeverities(),
		o.validateTools(),
		o.validateCustom(),
	)
}

func atLeast(option string, value, least int) error {
	if value < least {
		return fmt.Errorf("guard: %s %d: allowed are %d and more", option, value, least)
	}
	return nil
}

func atMost(option string, value, most int) error {
	if value > most {
		return fmt.Errorf("guard: %s %d: allowed are at most %d", option, value, most)
	}
	return nil
}

// never checks a threshold that is off when it is 0.
func never(option string, value int) error {
	if value == 0 {
		return nil
	}
	return atLeast(option, value, 2)
}

func (f *FinishReason) validate() error {
	if !slices.Contains([]OtherPolicy{StopIfTextOnly, StopOnOther, ContinueOther}, f.OtherPolicy) {
		return fmt.Errorf("guard: finish reason other policy %q: allowed are %s, %s and %s",
			f.OtherPolicy, StopIfTextOnly, StopOnOther, ContinueOther)
	}
	for _, reason := range f.Terminal {
		if normalFinish(reason) == "" {
			return fmt.Errorf("guard: finish reason terminal %q: allowed are words", reason)
		}
	}
	return nil
}

func (b *Budget) validate() error {
	err := b.validateRatio("budget", b.WarnAt)
	for i := range metrics {
		l := metrics[i].limit(b)
		name := "budget " + metrics[i].name
		switch {
		case !(l.Max >= 0) || math.IsInf(l.Max, 1):
			err = errors.Join(err, fmt.Errorf("guard: %s limit %g: allowed are positive numbers", name, l.Max))
		case l.Max == 0 && l.WarnAt != 0:
			err = errors.Join(err, fmt.Errorf("guard: %s warn at %g: allowed only with a limit", name, l.WarnAt))
		}
		err = errors.Join(err, b.validateRatio(name, l.WarnAt))
	}
	return err
}

func (b *Budget) validateRatio(name string, ratio float64) error {
	if !(ratio >= 0 && ratio <= 1) {
		return fmt.Errorf("guard: %s warn at %g: allowed are 0 to 1", name, ratio)
	}
	return nil
}

func (w *Waiting) validate() error {
	if w.MinGap < 0 || w.MaxDuration < 0 {
		return fmt.Errorf("guard: waiting min gap %s, max duration %s: allowed are positive durations", w.MinGap, w.MaxDuration)
	}
	return nil
}

func (o *Options) validateSeverities() error {
	for i := range detectors {
		if _, s := detectors[i].options(o); s < OK || s > Stop {
			return fmt.Errorf("guard: %s severity %d: allowed are Warn and Stop", detectors[i].reason, int(s))
		}
	}
	return nil
}

func (o *Options) validateTools() error {
	for glob, t := range o.Tools {
		if _, err := path.Match(glob, ""); err != nil || glob == "" {
			return fmt.Errorf("guard: tools glob %q: allowed are patterns of path.Match", glob)
		}
		if err := atLeast(fmt.Sprintf("tools %q max calls", glob), t.MaxCalls, 0); err != nil {
			return err
		}
		if slices.Contains(t.Key, "") {
			return fmt.Errorf("guard: tools %q key %q: allowed are names of arguments", glob, t.Key)
		}
	}
	return nil
}

func (o *Options) validateCustom() error {
	if len(o.Custom) > 0 && o.NoHistory {
		return errors.New("guard: no history true: custom detectors need the history")
	}
	if i := slices.IndexFunc(o.Custom, func(d Detector) bool { return d == nil }); i >= 0 {
		return fmt.Errorf("guard: custom detector %d is nil: allowed are functions", i)
	}
	return nil
}

// toolInfo is what the rules say about a tool, or the name of a set of tools.
type toolInfo struct {
	name string
	// set marks the name of a set, cut one that is not whole.
	set, cut bool
	ignored  bool
	// acts says that the name speaks of a change.
	acts     bool
	maxCalls int
}

// makesChanges goes by the name of a tool.
func makesChanges(name string) bool { return hasWord(keyWords(cut(name)), changeWords) }

func (r *rules) tool(name string) toolInfo {
	info := toolInfo{name: name, ignored: r.noOp[name], acts: makesChanges(name)}
	for _, glob := range r.globs {
		if ok, _ := path.Match(glob, name); !ok {
			continue
		}
		t := r.Tools[glob]
		info.ignored = info.ignored || t.Ignore
		if t.MaxCalls > 0 && (info.maxCalls == 0 || t.MaxCalls < info.maxCalls) {
			info.maxCalls = t.MaxCalls
		}
	}
	return info
}

// keys are the arguments that tell the calls of a tool apart; nil is all.
func (r *rules) keys(name string) []string {
	for _, glob := range r.globs {
		if ok, _ := path.Match(glob, name); ok && len(r.Tools[glob].Key) > 0 {
			return r.Tools[glob].Key
		}
	}
	return nil
}
