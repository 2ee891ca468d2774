// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Of a history that is too long to read, the newest messages count.
func TestNewestMessagesOfALongHistoryCount(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"role":"user","parts":[{"type":"text","content":"Why?"}]}`)
	for i := range 100 {
		fmt.Fprintf(&b, `,{"role":"assistant","parts":[{"type":"tool_call","id":"c%d","name":"search","arguments":{"q":1}}]}`, i)
		fmt.Fprintf(&b, `,{"role":"tool","parts":[{"type":"tool_call_response","id":"c%d","response":"answer %d"}]}`, i, i)
	}
	b.WriteByte(']')
	span := newOne("gen_ai", "chat gpt-4o", map[string]any{"gen_ai.operation.name": "chat", "gen_ai.input.messages": b.String()})
	r := newReader(t, Options{HistoryBytes: 2000})
	var f Fact
	require.True(t, span.read(r, &f))
	require.Len(t, f.Results, 1)
	assert.Equal(t, hashID("c99"), f.Results[0].ID)
	steps := r.History(span.scope, span.span)
	assert.Greater(t, len(steps), 3)
	assert.Less(t, len(steps), 30)

	tooLong := newOne("gen_ai", "chat gpt-4o", map[string]any{
		"gen_ai.operation.name": "chat",
		"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"` + strings.Repeat("x", 3000) + `"}]}]`,
	})
	require.True(t, tooLong.read(r, &f))
	assert.False(t, f.UserTurn)
}
