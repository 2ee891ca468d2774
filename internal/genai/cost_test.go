// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile are texts of about n bytes: what is deep, unfinished, quoted over and
// over, or many.
var hostile = map[string]func(n int) string{
	"lists":            repeated(``, `[`, ``),
	"objects":          repeated(``, `{"a":`, ``),
	"closed lists":     nested(`[`, `]`),
	"closed data":      nested(`{"role":"user","data":`, `}`),
	"closed message":   nested(`{"role":"user","message":`, `}`),
	"closed contents":  nested(`[{"role":"user","content":`, `}]`),
	"closed envelopes": nested(`{"messages":[`, `]}`),
	"closed kwargs":    nested(`{"lc":1,"kwargs":`, `}`),
	"closed args":      nested(`{"args":[`, `],"kwargs":{}}`),
	"closed text":      nested(`{"type":"text","text":`, `}`),
	"contents":         repeated(``, `[{"content":`, ``),
	"calls":            repeated(`[{"role":"assistant","parts":[`, `{"type":"tool_call","name":"a"},`, `{}]}]`),
	"many":             repeated(`[{"role":"user","content":"a"}`, `,{"role":"assistant","content":"a"}`, `]`),
	"results":          repeated(`[{"role":"user","content":"a"}`, `,{"role":"tool","name":"b","content":"x"}`, `]`),
	"answers":          repeated(`[{"role":"user","content":"a"}`, `,{"role":"tool","tool_call_id":"b","content":"x"}`, `]`),
	"turns":            repeated(`[{"role":"user","content":"a"}`, `,{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f"}}]},{"role":"tool","content":"x"}`, `]`),
	"cut":              repeated(`[`, `{"role":"assistant","content":"a"},`, `{"role":"x`),
	"numbers":          repeated(`[`, `1,`, `1]`),
	"empty":            repeated(`[`, `"",`, `""]`),
	"escapes":          repeated(`["`, `\"`, `"]`),
	"backslashes":      repeated(`["`, `\\`, ``),
	"python":           repeated(`[`, `{'role':'assistant','content':'a'},`, `]`),
	"python deep":      repeated(``, `['`, ``),
	"python atoms":     repeated(`{'a':`, `1`, ``),
	"reprs":            repeated(``, `content='`, ` tool_call_id='`),
	"masks":            repeated(`"`, `"*`, ``),
	"asterisks":        repeated(``, `*`, `x`),
	"dots":             repeated(``, `a.`, ``),
	"spaces":           repeated(``, ` `, `x`),
	"quotes": func(n int) string {
		s := "x"
		for len(s) < n/2 {
			s = fmt.Sprintf("%q", s)
		}
		return s
	},
	"finish": func(n int) string {
		return `[{"role":"assistant","content":"x","finish_reason":"` + strings.Repeat("[", n) + `"}]`
	},
}

func repeated(before, unit, after string) func(int) string {
	return func(n int) string { return before + strings.Repeat(unit, n/len(unit)) + after }
}

func nested(before, after string) func(int) string {
	return func(n int) string {
		n /= len(before) + len(after)
		return strings.Repeat(before, n) + "{}" + strings.Repeat(after, n)
	}
}

// everywhere are spans with a text in all the places where one can be.
func everywhere(s string) []one {
	model := chat(attrs{
		"gen_ai.input.messages": s, "gen_ai.output.messages": s, "gen_ai.response.finish_reasons": s, "gen_ai.conversation.id": s, "metadata": s,
		"gen_ai.response.id": s, "gen_ai.request.model": s, "gen_ai.usage.input_tokens": s, "gen_ai.usage.cost": s,
	})
	model.scope.SetName(s)
	model.span.SetName(s)
	model.res.Attributes().PutStr("service.name", s)
	flat := newOne("", "llm", attrs{
		"openinference.span.kind": "LLM", "llm.input_messages.0.message.content": s, "llm.output_messages.0.message.content": s,
		"llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": s, "input.value": s, "output.value": s, "llm.finish_reason": s,
	})
	events := chat(nil).with("gen_ai.user.message", attrs{"content": s}).with("gen_ai.tool.message", attrs{"content": s}).
		with("gen_ai.choice", attrs{"finish_reason": s, "message": s, "tool_calls": s}).with("exception", attrs{"exception.type": s, "exception.message": s})
	call := tool(attrs{"gen_ai.tool.call.arguments": s, "gen_ai.tool.call.result": s, "gen_ai.tool.call.id": s, "gen_ai.tool.name": s, "tool.parameters": s, "error.type": s})
	agent := newOne("", "invoke_agent a", attrs{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": s, "input.value": s, "output.value": s})
	return []one{model, flat, events, call, agent}
}

// cost is the time in which spans are read.
func cost(t *testing.T, r *Reader, spans []one) time.Duration {
	start := time.Now()
	for _, o := range spans {
		require.True(t, o.read(r, new(Fact)))
		r.History(o.scope, o.span)
		r.Preview(o.scope, o.span)
	}
	return time.Since(start)
}

// numerous are spans with n flattened attributes or n events.
func numerous(n int) []one {
	flat, params := attrs{"openinference.span.kind": "LLM"}, attrs{"openinference.span.kind": "TOOL"}
	events, details := chat(nil), tool(nil)
	for i := range n {
		flat[fmt.Sprintf("llm.input_messages.%d.message.content", i)] = "x"
		flat[fmt.Sprintf("llm.output_messages.0.message.tool_calls.%d.tool_call.function.name", i)] = "f"
		params[fmt.Sprintf("traceloop.tool.%d", i)] = "x"
		events = events.with("gen_ai.tool.message", attrs{"content": "x", "id": "1"}).with("gen_ai.choice", attrs{"message": "x"})
		details = details.with("gen_ai.client.inference.operation.details", attrs{"gen_ai.input.messages": `[{"role":"user","content":"x"}]`})
	}
	return []one{newOne("", "llm", flat), newOne("", "tool", params), events, details}
}

// assertLinear fails where eight times as much takes far more than eight times
// as long, each time it is tried. Short times pass: they measure the machine.
func assertLinear(t *testing.T, what string, of func(n int) []one, n int) {
	t.Helper()
	r := newReader(t, Options{})
	var few, many time.Duration
	for range 5 {
		if many = cost(t, r, of(8*n)); many < 100*time.Millisecond {
			return
		}
		if few = cost(t, r, of(n)); many < 24*few {
			return
		}
	}
	assert.Fail(t, "not linear", "%s: %v, eight times as much %v", what, few, many)
}

func TestHostileNumbersCostTheirOwnSize(t *testing.T) {
	assertLinear(t, "attributes and events", numerous, 1000)
}

func TestHostileTextCostsItsOwnSize(t *testing.T) {
	for name, text := range hostile {
		assertLinear(t, name, func(n int) []one { return everywhere(text(n)) }, 1<<15-64)
	}
}

func TestLongHistoriesCostTheirOwnSize(t *testing.T) {
	for _, name := range []string{"results", "answers", "turns", "calls"} {
		assertLinear(t, name, func(n int) []one {
			return []one{chat(attrs{"gen_ai.input.messages": hostile[name](n)})}
		}, 1<<17-64)
	}
}

func TestFinishReasonsAreShortAndFlat(t *testing.T) {
	for text, want := range map[string]string{
		`["stop"]`: FinishStop, `[["stop"]]`: FinishStop, `[[["stop"]]]`: "", `[null,["length"]]`: FinishLength,
		`["` + strings.Repeat("x", maxFinishText) + `","stop"]`: "", strings.Repeat("[", 1<<16): "",
	} {
		assert.Equal(t, want, chat(attrs{"gen_ai.response.finish_reasons": text}).fact(t).Finish, text[:min(len(text), 20)])
	}
	assert.Equal(t, FinishStop, chat(attrs{"gen_ai.response.finish_reasons": []any{strings.Repeat("[", 99), `["stop"]`}}).fact(t).Finish)
}

func TestScopeIsKnownByItsBeginning(t *testing.T) {
	tables := newReader(t, Options{}).tables
	for scope, dialect := range tables.scopes {
		assert.Equal(t, dialect, tables.scope(scope), scope)
		assert.Equal(t, dialect, tables.scope(scope+"/"+strings.Repeat("a.", 1<<16)), scope)
	}
	assert.Equal(t, Unspecified, tables.scope(strings.Repeat("a.", 1<<16)))
}

func TestAHugeSpanLeavesNoHugeMemory(t *testing.T) {
	m := new(messages)
	m.read(hostile["many"](1<<18), roleUser, 1<<20)
	m.reset()
	m.shrink()
	assert.LessOrEqual(t, cap(m.parts), maxScratch)
	m.readTail(hostile["numbers"](1<<18), roleUser, 1<<20)
	m.reset()
	m.shrink()
	assert.LessOrEqual(t, cap(m.items), maxScratch)
}
