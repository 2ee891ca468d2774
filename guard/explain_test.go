// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExplain(t *testing.T) {
	g := mustNew(t, Options{Budget: Budget{CostUSD: Limit{Max: 1, WarnAt: 0.5}}})
	g.Check(Step{Calls: stepOf("a").Calls, Usage: Usage{CostUSD: 0.75}})
	v := g.Check(stepOf("a"))
	assert.Equal(t, "Continue.\nWarning [BUDGET_WARNING] The run has spent 0.75 of cost_usd, 75% of the limit 1.", Explain(v))
	text := Explain(g.Check(stepOf("a")))
	assert.Contains(t, text, `Stop [REPEATED_TOOL_CALL] Tool "a" was called 3 times in a row`)
	assert.Contains(t, text, "\nHint: ")
	assert.Contains(t, text, "\nWarning [BUDGET_WARNING]")

	assert.Equal(t, "Done [FINISH_TERMINAL] The model finished normally.",
		Explain(mustNew(t, Options{}).Check(Step{FinishReason: "stop"})))
	assert.Contains(t, Explain(mustNew(t, Options{}).Check(Step{FinishReason: "length"})), "Hint: The response was cut")
	assert.NotContains(t, Explain(Verdict{Stop: true, Reason: ReasonCustom, Code: "MINE"}), "Hint")
}

func TestVerdictIsPlainJSON(t *testing.T) {
	_, v := firstStop(t, Options{}, scene("a=x a=x a=x"))
	data, err := json.Marshal(v)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"stop": true, "reason": "repeated-tool-call", "code": "REPEATED_TOOL_CALL",
		"detail": "Tool \"a\" was called 3 times in a row with the same arguments and the same outcome. Call: a({\"of\":\"a\"}).",
		"evidence": {"tool": "a", "args_preview": "{\"of\":\"a\"}", "count": 3, "threshold": 3,
			"step_indexes": [0, 1, 2], "identical_results": true}
	}`, string(data))
	data, err = json.Marshal(mustNew(t, Options{}).Check(stepOf("a")))
	require.NoError(t, err)
	assert.JSONEq(t, `{"stop": false}`, string(data))
}

func TestPreviewsAreShort(t *testing.T) {
	g := mustNew(t, Options{})
	args := make([]byte, 5000)
	for i := range args {
		args[i] = "é"[i%2]
	}
	var v Verdict
	for range 3 {
		v = g.Check(Step{Calls: []ToolCall{{Name: "a", Args: []string{string(args)}}}})
	}
	preview := v.Evidence["args_preview"].(string)
	assert.Less(t, len(preview), 300)
	assert.NotContains(t, preview, "\ufffd", "no character is cut in two")
	_, v = firstStop(t, Options{}, []Step{{Calls: []ToolCall{{Name: "a"}}}, {Calls: []ToolCall{{Name: "a"}}}, {Calls: []ToolCall{{Name: "a"}}}})
	assert.Empty(t, v.Evidence["args_preview"])
}

func TestSummary(t *testing.T) {
	g := mustNew(t, Options{})
	for _, s := range scene("a=1/b!x b=2 c=3 c=3") {
		s.Usage, s.DurationMs = Usage{InputTokens: 10, OutputTokens: 1, CostUSD: 0.5}, 100
		g.Check(s)
	}
	s := g.Summary()
	assert.Equal(t, map[string]int{"a": 1, "b": 2, "c": 2}, s.Tools)
	assert.Equal(t, Totals{40, 4, 44, 2, 400}, s.Totals)
	assert.Equal(t, Streaks{RepeatedTool: "c", RepeatedCalls: 2, StalledSteps: 1}, s.State)
	assert.Equal(t, []int{4, 5, 1}, []int{s.Steps, s.ToolCalls, s.ToolErrors})
	_, err := json.Marshal(s)
	assert.NoError(t, err)
}

func TestReport(t *testing.T) {
	g := mustNew(t, Retrospective())
	assert.Contains(t, g.Report(), "Nothing found.")
	for _, s := range scene("a=x a=x a!x") {
		s.Usage.InputTokens = 10
		g.Check(s)
	}
	g.Check(stepOf("a=x"))
	for range 3 {
		g.Check(stepOf("b=x"))
	}
	assert.Equal(t, `Steps: 7. Tool calls: 7, of which 1 failed.
- a: 4
- b: 3
Tokens: 30 in, 0 out, 30 in all. Cost: 0 USD.
stop [REPEATED_TOOL_CALL] from step 7: Tool "b" was called 3 times in a row with the same arguments and the same outcome.
`, g.Report())
}
