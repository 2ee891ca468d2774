// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "fmt"

// Role says who a message is from.
type Role string

// The roles that a history knows. System counts like User.
const (
	UserRole      Role = "user"
	SystemRole    Role = "system"
	AssistantRole Role = "assistant"
	ToolRole      Role = "tool"
)

// Message is one message of a model's history.
type Message struct {
	Role Role
	// Calls are the tool calls that an assistant message asks for.
	Calls []MessageCall
	// CallID pairs a tool message with the call that it answers.
	CallID string
	// Failed marks a tool message that is an error.
	Failed bool
}

// MessageCall is a tool call in an assistant message. Args of nil equal empty
// ones.
type MessageCall struct {
	ID   string
	Name string
	Args any
}

// Mode says what ToolLoop does about a loop.
type Mode int

const (
	// WarnMode tells OnWarn, once a streak, and changes nothing.
	WarnMode Mode = iota
	// HaltMode asks the caller to end the run.
	HaltMode
)

// ToolLoop is the history judge: it finds the same call answered again and
// again at the end of a list of messages. It has no state, so nothing leaks from
// one turn to the next; results do not matter. The rule is that of gaunt-sloth's
// tool loop guard middleware.
type ToolLoop struct {
	// Threshold is the streak that is a loop; below 1 it is 3.
	Threshold int
	Mode      Mode
	// OnWarn gets the notice; it may be nil.
	OnWarn func(notice string)
}

// Streak is the run of equal tool calls at the end of a history.
type Streak struct {
	Tool  string
	Count int
	// Halt says that the run should end, with Notice as its last word.
	Halt   bool
	Notice string
}

// Judge looks at the messages before the model is called again. In WarnMode it
// gives notice exactly when the streak reaches the threshold; in HaltMode it
// asks to halt then and after.
func (t ToolLoop) Judge(messages []Message) Streak {
	if t.Threshold < 1 {
		t.Threshold = 3
	}
	s := tailStreak(messages)
	switch {
	case t.Mode == HaltMode && s.Count >= t.Threshold:
		s.Halt, s.Notice = true, s.notice()
	case t.Mode == WarnMode && s.Count == t.Threshold:
		s.Notice = s.notice()
		if t.OnWarn != nil {
			t.OnWarn(s.Notice)
		}
	}
	return s
}

func (s Streak) notice() string {
	return fmt.Sprintf("Tool %q was called %d times in a row with the same arguments.", cut(s.Tool), s.Count)
}

// tailStreak counts back over the tool messages with one signature. Another
// signature, a message that is no answer to a known call, and a user's or
// system's message end the count; what assistants say is skipped.
func tailStreak(messages []Message) Streak {
	calls := answered(messages)
	var s Streak
	var signature mark
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == AssistantRole {
			continue
		}
		if calls[i] == nil {
			return s
		}
		sig := calls[i].signature()
		if sig == 0 || s.Count > 0 && sig != signature {
			return s
		}
		s.Tool, signature = calls[i].Name, sig
		s.Count++
	}
	return s
}

// answered pairs tool messages with their calls. Ids come again in some
// histories, so the call is the last one before the message.
func answered(messages []Message) []*MessageCall {
	byID, calls := map[string]*MessageCall{}, make([]*MessageCall, len(messages))
	for i := range messages {
		m := &messages[i]
		for j := range m.Calls {
			byID[m.Calls[j].ID] = &m.Calls[j]
		}
		if m.Role == ToolRole {
			calls[i] = byID[m.CallID]
		}
	}
	return calls
}

// signature is 0 for arguments that equal nothing.
func (c *MessageCall) signature() mark {
	args := c.Args
	if args == nil {
		args = map[string]any{}
	}
	return mark(FingerprintOf(c.Name).Exact).with(mark(FingerprintOf(args).Exact))
}

// ToolErrorBudget ends a run after so many failed tool calls in a row, whatever
// the tools; it is ToolLoop's sibling, and as stateless.
type ToolErrorBudget struct {
	// Limit is the number of errors; below 1 it is 5.
	Limit int
}

// Spent counts the errors at the end of the history, back to the last user's or
// system's message, and reports whether they reach the limit.
func (b ToolErrorBudget) Spent(messages []Message) (errors int, spent bool) {
	if b.Limit < 1 {
		b.Limit = 5
	}
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if m.Role == AssistantRole {
			continue
		}
		if m.Role != ToolRole || !m.Failed {
			break
		}
		errors++
	}
	return errors, errors >= b.Limit
}
