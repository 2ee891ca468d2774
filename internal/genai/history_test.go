// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

func historyOf(t *testing.T, key, messages string) []guard.StepDigest {
	t.Helper()
	o := newOne("", "chat m", attrs{"gen_ai.operation.name": "chat", key: messages})
	return newReader(t, Options{}).History(o.scope, o.span)
}

func TestHistoryTellsTheStepsSinceTheUsersLastMessage(t *testing.T) {
	steps := historyOf(t, "gen_ai.input.messages", `[
		{"role":"user","content":"first"},
		{"role":"assistant","tool_calls":[{"id":"c0","function":{"name":"old","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c0","content":"x"},
		{"role":"user","content":"second"},
		{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"c1","function":{"name":"search","arguments":"{\"q\":1}"}},{"id":"c2","function":{"name":"read","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c2","content":"page"},
		{"role":"tool","tool_call_id":"c1","content":"hits"},
		{"role":"assistant","content":"Again."}]`)
	require.Len(t, steps, 2)
	d := digester(t)
	assert.True(t, steps[0].Boundary)
	assert.Equal(t, d.Text("Let me see."), steps[0].Text)
	assert.Equal(t, []guard.CallDigest{
		{Tool: "search", Args: d.Args(`{"q":1}`), Outcome: d.Result("hits")},
		{Tool: "read", Args: d.Args(`{}`), Outcome: d.Result("page")},
	}, steps[0].Calls)
	assert.Equal(t, d.Text("Again."), steps[1].Text)
	assert.False(t, steps[1].Boundary)
}

func TestHistoryWithoutCallsHasResultsOnly(t *testing.T) {
	// As Traceloop for LangChain JS writes it.
	steps := historyOf(t, "gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"Why?"}]},
		{"role":"assistant","parts":[{"type":"text","content":""}]},{"role":"tool","parts":[{"type":"text","content":"one"}]},
		{"role":"assistant","parts":[{"type":"text","content":""}]},{"role":"tool","parts":[{"type":"text","content":"two"}]}]`)
	require.Len(t, steps, 2)
	assert.Equal(t, []guard.CallDigest{{Outcome: digester(t).Result("two")}}, steps[1].Calls)
}

func TestHistoryKeepsParallelItemsInOneStep(t *testing.T) {
	// As the Responses API lists them: one item per call.
	steps := historyOf(t, "gen_ai.input.messages", `[{"type":"message","role":"user","content":"Why?"},
		{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call","call_id":"b","name":"g","arguments":"{}"},
		{"type":"function_call_output","call_id":"a","output":"1"},{"type":"function_call_output","call_id":"b","output":"2"},
		{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"1"}]`)
	require.Len(t, steps, 2)
	assert.Len(t, steps[0].Calls, 2)
	assert.Equal(t, steps[0].Calls[0], steps[1].Calls[0])
}

func TestHistoryAnswersByIDThenByNameInOrder(t *testing.T) {
	steps := historyOf(t, "gen_ai.input.messages", `[{"role":"user","content":"Why?"},
		{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f"}},{"id":"2","function":{"name":"g"}},{"id":"3","function":{"name":"f"}},{"id":"4","function":{"name":"f"}}]},
		{"role":"tool","tool_call_id":"3","content":"third"},{"role":"tool","name":"f","content":"first"},{"role":"tool","content":"second"},
		{"role":"tool","name":"f","content":"fourth"},{"role":"tool","name":"f","content":"over"},{"role":"tool","tool_call_id":"9","content":"foreign"},
		{"role":"assistant","tool_calls":[{"id":"5","function":{"name":"f"}}]},
		{"role":"tool","tool_call_id":"3","content":"late"},{"role":"tool","name":"g","content":"none"},{"role":"tool","name":"f","content":"fifth"}]`)
	require.Len(t, steps, 2)
	d := digester(t)
	var want [2][]guard.CallDigest
	for i, said := range [2][]string{{"f first", "g second", "f third", "f fourth", "f over", " foreign"}, {"f fifth", " late", "g none"}} {
		for _, s := range said {
			name, text, _ := strings.Cut(s, " ")
			want[i] = append(want[i], guard.CallDigest{Tool: name, Outcome: d.Result(text)})
		}
	}
	assert.Equal(t, want[0], steps[0].Calls)
	assert.Equal(t, want[1], steps[1].Calls)
}

func TestHistoryHiddenResultTakesItsCall(t *testing.T) {
	steps := historyOf(t, "gen_ai.input.messages", `[{"role":"user","content":"Why?"},
		{"role":"assistant","parts":[{"type":"tool_call","name":"f"},{"type":"tool_call","name":"f"}]},
		{"role":"tool","name":"f","content":"__REDACTED__"},{"role":"tool","name":"f","content":"seen"}]`)
	require.Len(t, steps, 1)
	assert.Equal(t, []guard.CallDigest{{Tool: "f"}, {Tool: "f", Outcome: digester(t).Result("seen")}}, steps[0].Calls)
}

func TestHistoryIsNoneWhereItCannotBeRead(t *testing.T) {
	assert.Nil(t, historyOf(t, "gen_ai.input.messages", `[{"role":"user","content":"first"},{"role":"assi`), "cut")
	assert.Nil(t, historyOf(t, "http.method", "GET"), "not captured")
	r, tool, web := newReader(t, Options{}), toolSpan(), webSpan()
	assert.Nil(t, r.History(tool.scope, tool.span))
	assert.Nil(t, r.History(web.scope, web.span))
}
