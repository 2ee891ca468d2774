// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// talk is a history in short: "a" is an assistant's call of a with its answer,
// "a!" one that failed, "a?" an answer to no known call, "a/b" parallel calls,
// U, S and A are messages of user, system and assistant.
func talk(text string) []Message {
	var list []Message
	for i, word := range strings.Fields(text) {
		switch word {
		case "U":
			list = append(list, Message{Role: UserRole})
		case "S":
			list = append(list, Message{Role: SystemRole})
		case "A":
			list = append(list, Message{Role: AssistantRole})
		default:
			list = append(list, round(i, strings.Split(word, "/"))...)
		}
	}
	return list
}

func round(i int, calls []string) []Message {
	ask, answers := Message{Role: AssistantRole}, []Message(nil)
	for _, c := range calls {
		id := string(rune('A'+i)) + c
		name := strings.Trim(c, "!?")
		ask.Calls = append(ask.Calls, MessageCall{ID: id, Name: name, Args: map[string]any{"of": name}})
		m := Message{Role: ToolRole, CallID: id, Failed: strings.HasSuffix(c, "!")}
		if strings.HasSuffix(c, "?") {
			m.CallID = "unheard of"
		}
		answers = append(answers, m)
	}
	return append([]Message{ask}, answers...)
}

func TestToolLoopWarnsExactlyAtTheThreshold(t *testing.T) {
	tests := []struct {
		name, talk string
		count      int
		warns      bool
	}{
		{"at the threshold", "U a a a", 3, true},
		{"not before", "U a a", 2, false},
		{"once a streak", "U a a a a", 4, false},
		{"again after an interruption", "U a a a a b a a a", 3, true},
		{"another signature is progress", "U a a b a", 1, false},
		{"a user's message is a boundary", "a a U a", 1, false},
		{"a system message is too", "a a S a", 1, false},
		{"assistants are skipped", "a A a A A a A", 3, true},
		{"an answer to no known call is a boundary", "a a a? a", 1, false},
		{"a lone one at the end", "a a a?", 0, false},
		{"parallel calls that differ reset", "a/b a/b a/b a/b", 1, false},
		{"parallel equal calls count", "a/a/a", 3, true},
		{"errors count like results", "a! a a!", 3, true},
		{"nothing said", "", 0, false},
		{"a user at the end", "a a a U", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var heard []string
			s := ToolLoop{OnWarn: func(n string) { heard = append(heard, n) }}.Judge(talk(tt.talk))
			assert.Equal(t, tt.count, s.Count)
			assert.False(t, s.Halt)
			assert.Equal(t, tt.warns, len(heard) == 1)
			if tt.warns {
				assert.Equal(t, heard[0], s.Notice)
				assert.Contains(t, s.Notice, `"a" was called 3 times`)
			}
		})
	}
}

func TestToolLoopHaltsAtOrOverTheThreshold(t *testing.T) {
	loop := ToolLoop{Threshold: 2, Mode: HaltMode, OnWarn: func(string) { t.Error("a halt is no warning") }}
	assert.False(t, loop.Judge(talk("a")).Halt)
	assert.True(t, loop.Judge(talk("a a")).Halt)
	assert.True(t, loop.Judge(talk("a a a")).Halt)
	assert.NotEmpty(t, loop.Judge(talk("a a a")).Notice)
}

func TestToolLoopWithoutOnWarn(t *testing.T) {
	assert.NotEmpty(t, ToolLoop{}.Judge(talk("a a a")).Notice)
}

func TestToolLoopSignature(t *testing.T) {
	history := func(args ...any) []Message {
		var list []Message
		for _, a := range args {
			// Some providers start their ids over in each round.
			list = append(list, Message{Role: AssistantRole, Calls: []MessageCall{{ID: "1", Name: "f", Args: a}}},
				Message{Role: ToolRole, CallID: "1"})
		}
		return list
	}
	assert.Equal(t, 3, ToolLoop{}.Judge(history(nil, map[string]any{}, nil)).Count, "missing arguments are empty ones")
	assert.Equal(t, 1, ToolLoop{}.Judge(history(1, 1, 2)).Count)
	assert.NotPanics(t, func() { ToolLoop{}.Judge(history(hostile{}, func() {}, Unknown)) })
}

func TestToolErrorBudget(t *testing.T) {
	tests := []struct {
		name, talk string
		errors     int
		spent      bool
	}{
		{"five of any tool", "a! b! A c! d! a!", 5, true},
		{"four", "a! b! c! d!", 4, false},
		{"a success in between", "a! b! c a! b!", 2, false},
		{"a success at the end", "a! b! c! a! b! c", 0, false},
		{"a user's message in between", "a! b! c! U a! b!", 2, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, spent := ToolErrorBudget{}.Spent(talk(tt.talk))
			assert.Equal(t, tt.errors, n)
			assert.Equal(t, tt.spent, spent)
		})
	}
	_, spent := ToolErrorBudget{Limit: 2}.Spent(talk("a! b!"))
	assert.True(t, spent)
}
