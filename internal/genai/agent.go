// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// agentPrefixes stand before the agent's name in a span's name.
var agentPrefixes = []string{"invoke_agent ", "invoke_workflow ", "agent_run [", "Agent run: ", "agent.", "run."}

// agent reads an agent span. It may be all that there is of a remote agent, so
// it is read like a model's response too.
func (x *reading) agent() {
	x.agentName()
	x.usage()
	x.output()
	x.input()
	x.codexCalls()
	text, controlFlow := x.errorText()
	if !controlFlow && (x.span.Status().Code() == ptrace.StatusCodeError || x.failed) {
		x.f.Failed = true
		x.f.Outcome = x.outcome(result{}, false, true, text)
	}
	x.f.HasContent = x.f.HasMessages
}

// container reads only what a container may lend to a run without an agent.
func (x *reading) container() {
	x.f.Name = nameOf(firstText(x.scan.text(fieldAgentName), x.span.Name()))
	x.usage()
	x.f.Finish = x.finish()
}

func (x *reading) agentName() {
	name := x.scan.text(fieldAgentName)
	if name == "" && x.mark.flags&flagEntity != 0 {
		name = x.scan.text(fieldEntityName)
	}
	if name == "" && x.mark.flags&flagSpanName != 0 {
		name = x.span.Name()
	}
	if x.f.Name = nameOf(name); x.f.Name != "" {
		x.f.NameKnown = true
		return
	}
	for _, p := range agentPrefixes {
		// AI SDK 7 puts the model where the agent's name belongs.
		if rest, ok := strings.CutPrefix(x.span.Name(), p); ok && rest != x.scan.text(fieldModel) {
			x.f.Name = nameOf(strings.Trim(rest, "[]'\""))
			return
		}
	}
}
