// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// one is a span with what stands around it.
type one struct {
	res   pcommon.Resource
	scope pcommon.InstrumentationScope
	span  ptrace.Span
}

func newOne(scope, name string, attrs map[string]any) one {
	rs := ptrace.NewTraces().ResourceSpans().AppendEmpty()
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(scope)
	span := ss.Spans().AppendEmpty()
	span.SetName(name)
	if err := span.Attributes().FromRaw(attrs); err != nil {
		panic(err)
	}
	return one{rs.Resource(), ss.Scope(), span}
}

func (o one) read(r *Reader, f *Fact) bool { return r.Read(o.res, o.scope, o.span, f) }

// webSpan is a span of a web server with the usual attributes.
func webSpan() one {
	return newOne("@opentelemetry/instrumentation-http", "GET /cart/{id}", map[string]any{
		"http.request.method": "GET", "http.route": "/cart/{id}", "http.response.status_code": 200, "url.scheme": "https",
		"url.path": "/cart/7", "server.address": "shop.example", "server.port": 443, "client.address": "10.0.0.7",
		"user_agent.original": "Mozilla/5.0", "network.protocol.version": "1.1", "session.id": "s-1", "error.type": "500",
	})
}

func toolSpan() one {
	return newOne("opentelemetry.instrumentation.openai_agents", "execute_tool search", map[string]any{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.call.id": "call_1", "gen_ai.tool.type": "function",
		"gen_ai.tool.call.arguments": `{"query":"collector queue full","limit":10}`,
		"gen_ai.tool.call.result":    `{"hits":[{"title":"Queue full","url":"https://docs.example/1","snippet":"The sending queue is full; the batch is dropped."}]}`,
	})
}

// chatSpan has a history of n rounds.
func chatSpan(n int) one {
	var b strings.Builder
	b.WriteString(`[{"role":"system","parts":[{"type":"text","content":"You are helpful."}]},{"role":"user","parts":[{"type":"text","content":"Why?"}]}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"role":"assistant","parts":[{"type":"tool_call","id":"c%d","name":"search","arguments":{"query":"queue %d"}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"tool","parts":[{"type":"tool_call_response","id":"c%d","response":"The sending queue is full; the batch is dropped, said document %d of the list."}]}`, i, i)
	}
	b.WriteByte(']')
	return newOne("gen_ai", "chat gpt-4o", map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o", "gen_ai.response.model": "gpt-4o",
		"gen_ai.response.id": "resp-1", "gen_ai.usage.input_tokens": 404, "gen_ai.usage.output_tokens": 21,
		"gen_ai.response.finish_reasons": []any{"tool-calls"}, "gen_ai.input.messages": b.String(),
		"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"Let me look."},{"type":"tool_call","id":"c9","name":"search","arguments":{"query":"queue"}}]}]`,
	})
}

func TestASpanThatIsNotOursCostsNoMemory(t *testing.T) {
	r, span, f := newReader(t, Options{}), webSpan(), Fact{Name: "untouched"}
	require.False(t, span.read(r, &f))
	assert.Equal(t, "untouched", f.Name)
	assert.Zero(t, testing.AllocsPerRun(100, func() { span.read(r, &f) }))
}

func BenchmarkRead(b *testing.B) {
	r := newReader(b, Options{})
	for _, c := range []struct {
		name string
		span one
	}{{"not ours", webSpan()}, {"tool", toolSpan()}, {"chat/2 rounds", chatSpan(2)}, {"chat/200 rounds", chatSpan(200)}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var f Fact
			for b.Loop() {
				c.span.read(r, &f)
			}
		})
	}
}

// BenchmarkDialects reads with a few dialects, with all of them, and with as
// many again: a span must cost the same.
func BenchmarkDialects(b *testing.B) {
	var invented []vocabulary
	for i := range vocabularies {
		v := vocabulary{dialect: User}
		for _, row := range vocabularies[i].fields {
			row.key = fmt.Sprintf("x%d.%s", i, row.key)
			v.fields = append(v.fields, row)
		}
		for _, row := range vocabularies[i].kinds {
			row.key = fmt.Sprintf("x%d.%s", i, row.key)
			v.kinds = append(v.kinds, row)
		}
		invented = append(invented, v)
	}
	for _, c := range []struct {
		name string
		use  []vocabulary
	}{{"4", vocabularies[:4]}, {"all", vocabularies}, {"twice", append(invented, vocabularies...)}} {
		b.Run(c.name, func(b *testing.B) {
			r := newReader(b, Options{})
			r.tables = newTables(c.use)
			span := toolSpan()
			var f Fact
			for b.Loop() {
				span.read(r, &f)
			}
		})
	}
}
