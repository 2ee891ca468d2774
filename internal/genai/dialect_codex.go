// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// codex is the OpenAI Codex CLI. A turn's tool calls are span events that name
// the tool and nothing of what it was given or returned.
var codex = vocabulary{
	dialect: Codex,
	scopes:  []string{"codex_otel", "codex"},
	names: []nameRow{
		{exact: "session_task.turn", kind: Agent, rank: rankName},
		{exact: "handle_responses", kind: Container, rank: rankName, need: Codex},
	},
}

// codexCalls reads the calls that a turn's span events report. What they were
// given and returned is in log records only.
func (x *reading) codexCalls() {
	for _, e := range x.span.Events().All() {
		if e.Name() != "codex.tool_result" {
			continue
		}
		a := e.Attributes()
		name, id := nameOf(eventText(a, "tool_name")), hashID(eventText(a, "call_id"))
		failed := eventText(a, "success") == "false"
		x.f.Calls = append(x.f.Calls, Call{ID: id, Name: name, Args: x.args(name, eventText(a, "arguments"))})
		res, ok := x.Reader.result(eventText(a, "output"))
		x.f.Results = append(x.f.Results, Result{ID: id, Name: name, Outcome: x.outcome(res, ok, failed, "")})
	}
}
