// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"encoding/binary"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Chat-only emitters send a trace for each model call and tie the traces by a
// conversation id. Their responses are grouped by that id as if it were a
// trace, and closed by idle time: no span ends a conversation.

// talk is a model response that belongs to a conversation.
type talk struct {
	conversation uint64
	entry        entry
	said         map[uint64]string
}

// conversationTrace is the trace id under which a conversation is kept.
func conversationTrace(conversation uint64) pcommon.TraceID {
	id := pcommon.TraceID{'c', 'o', 'n', 'v', 'e', 'r', 's', 'e'}
	binary.BigEndian.PutUint64(id[8:], conversation)
	return id
}

// lone reports whether a group is a single response that only its conversation
// ties to others.
func (g *group) lone() bool {
	return g.conversation != 0 && g.models == 1 && g.tools == 0 && g.delegations == 0
}

// toConversation hands a lone response over to its conversation. A new trace
// is a new turn if a user message is seen in it, or nothing is. The span that
// closes the trace speaks for a response that has passed.
func (v *visit) toConversation(top *Item, g *group) {
	for i := range g.entries {
		e := g.entries[i]
		if e.model == nil {
			continue
		}
		if e.epoch != v.epoch {
			e.item = top.index
		}
		if !g.content {
			e.model.userTurn = true
		}
		*v.talks = append(*v.talks, talk{g.conversation, e, g.said})
	}
	v.release(g)
}

// converse takes in the responses that belong to conversations.
func (t *Tracker) converse(now time.Time, b *Batch, counts *Counts) {
	for i := range b.talks {
		t.say(now, b, &b.talks[i], counts)
	}
}

func (t *Tracker) say(now time.Time, b *Batch, talk *talk, counts *Counts) {
	it := &b.Items[talk.entry.item]
	had := it.Mark
	t.visit(now, b, conversationTrace(talk.conversation), counts, func(v *visit) {
		var top pcommon.SpanID
		talk.entry.epoch = v.epoch
		up := v.enter(talk.entry, place{up: top, ok: true})
		up.conversation = talk.conversation
		for key, code := range talk.said {
			up.say(key, code)
		}
		v.judgeTouched()
	})
	if it.Mark != had {
		t.remember(it)
	}
}

// remember keeps the mark of a span in its own trace, for when it comes again.
func (t *Tracker) remember(it *Item) {
	s := t.shardOf(it.Trace)
	s.Lock()
	defer s.Unlock()
	if tr := s.traces[it.Trace]; tr != nil {
		v := visit{trace: tr}
		m := it.Mark
		it.Mark = nil
		*v.mark(it) = *m
	}
}
