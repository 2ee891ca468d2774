// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// limitPieces makes pieces large that are not.
func limitPieces(t *testing.T) {
	was := maxPiece
	maxPiece = 1 << 20
	t.Cleanup(func() { maxPiece = was })
}

// large makes one resource with more spans than a portion holds.
func large() ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.SetSchemaUrl("https://resource.example")
	rs.Resource().Attributes().PutStr("service.name", "a \"service\"")
	for i := range 2 {
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName(string(rune('a' + i)))
		for j := range 200 {
			s := ss.Spans().AppendEmpty()
			s.SetSpanID(pcommon.SpanID{byte(i + 1), byte(j), byte(j >> 8)})
			s.Attributes().PutStr("text", strings.Repeat("a \"quoted\" [bracket {brace\n", 200))
		}
	}
	return td
}

// readAll returns the portions in which a file is read.
func readAll(t *testing.T, content []byte) []ptrace.Traces {
	var all []ptrace.Traces
	require.NoError(t, Read(bytes.NewReader(content), Handler{Traces: func(td ptrace.Traces, size int) error {
		assert.Positive(t, size)
		all = append(all, td)
		return nil
	}}))
	return all
}

func TestLargeDocumentsAreReadInPortions(t *testing.T) {
	limitPieces(t)
	td := large()
	oneLine, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	indented := bytes.ReplaceAll(oneLine, []byte(`{"spanId"`), []byte("{\n \"spanId\""))
	for name, content := range map[string][]byte{
		"lines": indented,
		// As a backend may write it: a line longer than a line may be.
		"one line": append(bytes.Repeat([]byte(" "), maxPiece+1<<19), oneLine...),
		"protobuf": resourceFirst(td, 2),
	} {
		t.Run(name, func(t *testing.T) {
			all := readAll(t, content)
			assert.GreaterOrEqual(t, len(all), 3)
			spans, misplaced := 0, 0
			for _, part := range all {
				rs := part.ResourceSpans().At(0)
				service, _ := rs.Resource().Attributes().Get("service.name")
				assert.Equal(t, "a \"service\"", service.Str())
				spans += part.SpanCount()
				for _, ss := range rs.ScopeSpans().All() {
					for _, s := range ss.Spans().All() {
						if ss.Scope().Name()[0]-'a'+1 != s.SpanID()[0] {
							misplaced++
						}
					}
				}
			}
			if name == "protobuf" {
				spans /= 2
			}
			assert.Equal(t, 400, spans)
			assert.Zero(t, misplaced)
		})
	}
}

// resourceFirst makes one message with the spans so many times and the fields
// in the order of their numbers, which the collector does not keep.
func resourceFirst(td ptrace.Traces, times int) []byte {
	attribute := field(field(nil, 1<<3|2, []byte("service.name")), 2<<3|2, field(nil, 1<<3|2, []byte("a \"service\"")))
	body := field(nil, resourceTag, field(nil, 1<<3|2, attribute))
	for range times {
		for _, ss := range td.ResourceSpans().At(0).ScopeSpans().All() {
			scopeSpans := field(nil, scopeTag, field(nil, 1<<3|2, []byte(ss.Scope().Name())))
			for _, s := range ss.Spans().All() {
				id, name := s.SpanID(), bytes.Repeat([]byte("n"), 5000)
				scopeSpans = field(scopeSpans, spanTag, field(field(nil, 2<<3|2, id[:]), 5<<3|2, name))
			}
			body = field(body, scopeSpansTag, field(scopeSpans, schemaURLTag, []byte("u")))
		}
	}
	return field(nil, resourceSpansTag, field(body, schemaURLTag, []byte("u")))
}

func TestErrorsOfTheHandlerComeBack(t *testing.T) {
	full := errors.New("full")
	td := large()
	oneLine, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	frame := append([]byte{0, 0, 0, 0}, oneLine...)
	frame[1], frame[2], frame[3] = byte(len(oneLine)>>16), byte(len(oneLine)>>8), byte(len(oneLine))
	for name, content := range map[string][]byte{
		"line": oneLine, "document": append([]byte("{\n"), oneLine[1:]...), "protobuf": protoOf(t, td), "frame": frame,
	} {
		err := Read(bytes.NewReader(content), Handler{Traces: func(ptrace.Traces, int) error { return full }})
		assert.Equal(t, full, err, name)
	}
}

func TestDocumentsThatAreWrong(t *testing.T) {
	tests := map[string]string{
		"{\n\"resourceSpans\": [{}] x": `line 2: 'x' where the JSON needs one of ",}"`,
		"{\n\"resourceSpans\": {}}":    `line 2: '{' where the JSON needs one of "["`,
		"{\n7: []}":                    `"7" where the JSON needs a key`,
		"{\n\"a\" 1}":                  `'1' where the JSON needs one of ":"`,
		"{\n}\n7":                      `'7' instead of a JSON object`,
		"{\n\"resourceSpans\": [{\"scopeSpans\": [{\"spans\": [{\"spanId\": 7}]":      "line 2: the JSON ends in the middle",
		"{\n\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"spanId\":7}]}]}]}":     "the JSON is no OTLP request",
		"{\n\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{}]}],\"resource\":{}}]}": "a resource comes after its spans",
	}
	for content, want := range tests {
		err := Read(strings.NewReader(content), Handler{
			Traces: func(ptrace.Traces, int) error { return nil }, Bad: func(int, error) {},
		})
		assert.ErrorContains(t, err, want, content)
	}
}

func TestUnknownMembersOfDocumentsAreSkipped(t *testing.T) {
	all := readAll(t, []byte("{\n\"x\": [1, {\"y\": \"}\\\"\"}, true], \"resource_spans\": [{\"z\": null, \"scope_spans\": [\n{\"w\": 1.5, \"spans\": [{\"name\": \"n\"}], \"schemaUrl\": \"u\"}]}], \"v\": 3\n}\n"))
	require.Len(t, all, 1)
	ss := all[0].ResourceSpans().At(0).ScopeSpans().At(0)
	assert.Equal(t, "n", ss.Spans().At(0).Name())
}

func TestProtobufThatIsWrong(t *testing.T) {
	big := protoOf(t, large())
	tests := map[string][]byte{
		"field 2 is none of TracesData":    append(protoOf(t, byName("a\x00")), 0x12, 0),
		"the protobuf message ends in the": big[:len(big)/2],
	}
	for want, content := range tests {
		err := Read(bytes.NewReader(content), Handler{Traces: func(ptrace.Traces, int) error { return nil }})
		assert.ErrorContains(t, err, want)
	}
}

func TestLargeProtobufThatIsWrong(t *testing.T) {
	limitPieces(t)
	padding := make([]byte, maxPiece)
	tests := map[string][]byte{
		"field 15 is none of ResourceSpans":  append(field(nil, 15<<3|2, nil), padding...),
		"field 15 is none of ScopeSpans":     field(nil, scopeSpansTag, append(field(nil, 15<<3|2, nil), padding...)),
		"field 0 is none of OTLP":            bytes.Clone(padding),
		"field 2 is longer than its message": append([]byte{scopeSpansTag, 0xff, 0xff, 0xff, 0x7f}, padding...),
		"field 1 is longer than 1 MiB":       field(nil, resourceTag, append(padding, 0)),
		"a resource comes after its spans": field(
			field(nil, scopeSpansTag, field(nil, spanTag, field(nil, 5<<3|2, padding[:maxPiece-100]))), resourceTag, make([]byte, 200)),
	}
	for want, body := range tests {
		if len(body) <= maxPiece {
			body = append(body, 0)
		}
		err := Read(bytes.NewReader(field(nil, resourceSpansTag, body)), Handler{Traces: func(ptrace.Traces, int) error { return nil }})
		assert.ErrorContains(t, err, want)
	}
}

func byName(name string) ptrace.Traces {
	td := ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName(name)
	return td
}

func TestLongLinesAreSkipped(t *testing.T) {
	limitPieces(t)
	good := `{"resourceSpans":[]}` + "\n"
	var bad []int
	seen := 0
	err := Read(strings.NewReader(good+"{"+strings.Repeat(" ", maxPiece+1<<20)+"}\n"+good), Handler{
		Traces: func(ptrace.Traces, int) error { seen++; return nil },
		Bad:    func(line int, err error) { bad = append(bad, line); assert.ErrorIs(t, err, errLong) },
	})
	assert.NoError(t, err)
	assert.Equal(t, []int{2}, bad)
	assert.Equal(t, 2, seen)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{}]}]}]}\n{}"))
	f.Add([]byte("{\n\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{}]}]}]}"))
	f.Add([]byte("\n\x02\x12\x00"))
	f.Add([]byte("\x00\x00\x00\x04\n\x02\x12\x00"))
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x00"))
	f.Fuzz(func(t *testing.T, content []byte) {
		_ = Read(bytes.NewReader(content), Handler{ // It must not panic or hang.
			Traces: func(ptrace.Traces, int) error { return nil }, Bad: func(int, error) {},
		})
	})
}
