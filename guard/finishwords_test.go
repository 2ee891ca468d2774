// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNormalFinish(t *testing.T) {
	for reason, want := range map[string]string{
		"": "", "stop": FinishStop, " STOP ": FinishStop, "end_turn": FinishStop, "endTurn": FinishStop,
		"FinishReason.STOP": FinishStop, "FINISH_REASON_STOP": FinishStop, "stop_sequence": FinishStop,
		"max_tokens": FinishLength, "MAX_TOKENS": FinishLength, "MaxTokens": FinishLength,
		"tool_use": FinishToolCalls, "toolCalls": FinishToolCalls, "function_call": FinishToolCalls,
		"SAFETY": FinishContentFilter, "content_filter": FinishContentFilter, "failed": FinishError,
		"pause_turn": "pause-turn", "Something New": "something-new", ".": "", "FinishReason.": "",
	} {
		assert.Equal(t, want, NormalFinish(reason), reason)
		assert.Equal(t, want, NormalFinish(want), "a normal word stays")
	}
}

// The words of providers mean the same to Retrospective, whether steps come
// with them or as digests; to the zero Options they are unfamiliar.
func TestProvidersFinishWords(t *testing.T) {
	for reason, want := range map[string]Severity{
		"end_turn": OK, "STOP": OK, "stop_sequence": OK, "tool_use": OK, "toolUse": OK,
		"max_tokens": Warn, "MAX_TOKENS": Warn, "SAFETY": Warn, "strange": Warn,
	} {
		step := Step{Text: "done", FinishReason: reason}
		whole, digested := mustNew(t, Retrospective()), mustNew(t, Retrospective())
		whole.Check(step)
		digested.CheckDigest(digested.rules.digester.Step(step))
		for _, g := range []*Guard{whole, digested} {
			g.End()
			assert.Equal(t, want, g.Verdict().Severity, reason)
		}
	}
	v := mustNew(t, Options{}).Check(Step{Text: "done", FinishReason: "end_turn"})
	assert.Equal(t, CodeFinishOtherTextOnly, v.Code)
	assert.Equal(t, "end-turn", v.Evidence["normalized"])
}

func TestTerminalWords(t *testing.T) {
	long := strings.Repeat("abc_", 100)
	for name, o := range map[string]Options{"seed": {}, "retrospective": Retrospective()} {
		o.FinishReason.Terminal = []string{long, "max_tokens"}
		for _, reason := range []string{long, "MAX_TOKENS"} {
			g := mustNew(t, o)
			v := g.Check(Step{FinishReason: reason})
			g.End()
			assert.Equal(t, CodeFinishTerminal, max(v.Code, g.Verdict().Code), name)
		}
	}
}
