// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "strings"

// hints say what to look at first.
var hints = map[Reason]string{
	ReasonBudget:      "See what the tokens or the time went into, and raise the limit if the work was worth it.",
	ReasonMaxSteps:    "See whether the last steps got anywhere; long tasks need a higher limit.",
	ReasonToolLimit:   "See whether the tool is used as intended; raise its limit if it is.",
	ReasonRepeated:    "See whether the tool's answer tells the model what to do next, above all when it fails.",
	ReasonOscillation: "See what the calls in the cycle wait for from each other; the model may lack a way to decide.",
	ReasonDelegation:  "See who is to decide: each agent takes the task for another's, or its own part for the whole.",
	ReasonText:        "See what the model waits for; often it may not call the tool that it announces.",
	ReasonStagnation:  "See whether the tool can answer at all; its result does not depend on how it is asked.",
	ReasonError:       "See what the error tells the model; it tries other arguments where something else is wrong.",
	ReasonRecurring:   "See why the model asks again for what it has been told; earlier answers may be lost to it.",
	ReasonErrorStreak: "See whether the tools work at all: credentials, paths, a service that is down.",
	ReasonBurst:       "See whether the framework sends calls twice; else a limit on parallel calls helps.",
	ReasonWaiting:     "See whether the work that is waited for still goes on.",
	ReasonNoProgress:  "See whether the model can tell that nothing changes; it may need an instruction for giving up.",
}

// finishHints are those of finish reasons, by code.
var finishHints = map[string]string{
	CodeFinishTerminal:      "The response was cut, blocked or failed; see the provider's limits and filters.",
	CodeFinishOther:         "The provider gave a reason that nobody knows; map it if it is harmless.",
	CodeFinishOtherTextOnly: "The answer looks final, but its reason does not say so: some frameworks then ask again and again.",
}

// Explain says in words what a verdict means, with a hint and its warnings.
func Explain(v Verdict) string {
	var b strings.Builder
	switch {
	case !v.Stop:
		b.WriteString("Continue.")
	case !IsFault(v):
		b.WriteString("Done [" + v.Code + "] The model finished normally.")
	default:
		b.WriteString("Stop [" + v.Code + "] " + v.Detail)
		if hint := hintFor(v.Reason, v.Code); hint != "" {
			b.WriteString("\nHint: " + hint)
		}
	}
	for _, w := range v.Warnings {
		b.WriteString("\nWarning [" + w.Code + "] " + w.Detail)
	}
	return b.String()
}

func hintFor(reason Reason, code string) string {
	if reason == ReasonFinish {
		return finishHints[code]
	}
	return hints[reason]
}
