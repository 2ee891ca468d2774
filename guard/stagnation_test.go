// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func stagnant(t *testing.T, steps []Step) string {
	return strings.Join(found(t, only(ReasonStagnation, Retrospective()), steps), ", ")
}

func TestStagnation(t *testing.T) {
	ways := func(n int, out string) (s string) {
		for i := range n {
			s += fmt.Sprintf("a(%d)=%s ", i, out)
		}
		return s
	}
	tests := []struct{ name, run, want string }{
		{"five ways to one answer", ways(5, long), "STAGNATION confirmed@4-4 ended_in_loop"},
		{"four", ways(4, long), ""},
		{"an acknowledgement says nothing", ways(9, "ok"), ""},
		{"nor does a short answer", ways(9, "moved_it"), ""},
		{"whatever lies between", strings.ReplaceAll(ways(5, long), " ", " b=1 "), "STAGNATION confirmed@8-8 ended_in_loop"},
		{"another answer is progress", ways(4, long) + "a(7)=" + long + "_2 " + ways(4, long), ""},
		{"unknown answers neither count nor break", ways(3, long) + "a(8)=? a(9)=? a(10)=" + long + " a(11)=" + long, "STAGNATION confirmed@6-6 ended_in_loop"},
		{"the same way counts once", strings.Repeat("a(1)="+long+" a(2)="+long+" ", 4), ""},
		{"unknown arguments", strings.Repeat("a(?)="+long+" b=1 ", 5), "STAGNATION results_only@8-8 ended_in_loop"},
		{"the calls of one step are one decision", strings.ReplaceAll(strings.TrimSpace(ways(8, long)), " ", "/"), ""},
		{"errors are told elsewhere", ways(9, "!"+long), ""},
		{"a user's message starts afresh", ways(3, long) + "U:" + ways(3, long), ""},
		{"progress closes it", ways(6, long) + "a(9)=" + long + "_2", "STAGNATION confirmed@4-5 recovered"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, stagnant(t, scene(tt.run)))
		})
	}
}

// asked makes steps of one call each, a tool with arguments and a result.
func asked(args []any, result func(i int) any) (steps []Step) {
	for i, a := range args {
		steps = append(steps, Step{Calls: []ToolCall{{Name: "tool", Args: a, Result: result(i)}}})
	}
	return steps
}

func TestSelfAppend(t *testing.T) {
	growing := func(n int, wrap func(string) any) (args []any) {
		for i := range n {
			args = append(args, wrap("make clean all "+strings.Repeat("&& make test -j4 ", i+1)))
		}
		return args
	}
	plain := func(s string) any { return s }
	object := func(s string) any {
		return map[string]any{"command": s, "description": "Run the whole build once again, from the start. " + s[:20]}
	}
	constant := func(v any) func(int) any { return func(int) any { return v } }
	unchanged := func(n int) (args []any) {
		for i := range n {
			args = append(args, fmt.Sprintf("%d. another text of its own %s", i, strings.Repeat("x", i)))
		}
		return args
	}
	tests := []struct {
		name  string
		steps []Step
		want  string
	}{
		{"six inputs", asked(growing(6, plain), constant(Unknown)), "SELF_APPEND args_only@5-5 ended_in_loop"},
		{"five", asked(growing(5, plain), constant(Unknown)), ""},
		{"within other arguments", asked(growing(6, object), constant(Unknown)), "SELF_APPEND args_only@5-5 ended_in_loop"},
		{"with one result, which stagnates too", asked(growing(6, object), constant("The shard is locked by maintenance job 771, giving up.")), "STAGNATION confirmed@4-5 ended_in_loop, SELF_APPEND confirmed@5-5 ended_in_loop"},
		{"a document may grow", asked(growing(9, plain), constant("saved")), ""},
		{"results that differ are progress", asked(growing(9, plain), func(i int) any { return fmt.Sprint("The result of part ", i, " of the whole of it.") }), ""},
		{"longer, but others", asked(unchanged(9), constant(Unknown)), ""},
		{"short ones have no shape", asked([]any{"1", "12", "123", "1234", "12345", "123456", "1234567"}, constant(Unknown)), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, stagnant(t, tt.steps)) })
	}
}

func TestExtends(t *testing.T) {
	d := newDigester(t)
	r := rand.New(rand.NewPCG(1, 9))
	for range 2000 {
		text := make([]byte, 16+r.IntN(3000))
		for i := range text {
			text[i] = 'a' + byte(r.IntN(26))
		}
		cut := 16 + r.IntN(len(text)-15)
		part, whole := d.Args(string(text[:cut])).Shape, d.Args(string(text)).Shape
		if len(text) > cut && len(text) < 2*cut {
			assert.True(t, whole.extends(&part), "%d of %d", cut, len(text))
		}
		assert.False(t, part.extends(&whole))
		text[r.IntN(cut*7/10)] = '-'
		other := d.Args(string(text)).Shape
		assert.False(t, other.extends(&part), "%d of %d", cut, len(text))
	}
}

func TestRanges(t *testing.T) {
	tests := []struct {
		name, args string
		from, to   uint32
	}{
		{"offset and limit", `{"file":"a","offset":40,"limit":40}`, 40, 79},
		{"limit alone", `{"file":"a","limit":40}`, 0, 39},
		{"start and end", `{"path":"a","start_line":1,"end_line":40}`, 1, 40},
		{"from and count", `{"from":280,"count":40}`, 280, 319},
		{"a pair", `{"path":"a","view_range":[11,20]}`, 11, 20},
		{"a page", `{"page":3,"page_size":50}`, 3, 3},
		{"a line", `{"line":7}`, 7, 7},
		{"spelled otherwise", `{"offset":4e1,"limit":40.0,"file":"a"}`, 40, 79},
	}
	d := newDigester(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := d.Args(tt.args).Shape
			assert.True(t, s.ranged())
			assert.Equal(t, []uint32{tt.from, tt.to}, []uint32{s.From, s.To})
			assert.Equal(t, s, d.ArgsValue(json.RawMessage(tt.args)).Shape)
			var v any
			assert.NoError(t, json.Unmarshal([]byte(tt.args), &v))
			assert.Equal(t, s, d.ArgsValue(v).Shape)
		})
	}
	for _, none := range []string{
		`{"file":"a"}`, `{"to":"bob"}`, `{"offset":-1}`, `{"offset":1.5}`, `{"start":1764500000}`, `{"end":9,"start":12}`,
		`{"offset":1,"start":2}`, `[1,2]`, `{"opts":{"offset":1}}`, `{"range":[1,2,3]}`, "offset 1",
	} {
		shape := d.Args(none).Shape
		assert.False(t, shape.ranged(), none)
	}
	one, two := d.Args(`{"file":"a","limit":4}`).Shape, d.Args(`{"file":"b","limit":4}`).Shape
	assert.NotEqual(t, one.Rest, two.Rest, "another file")
}

func TestSweep(t *testing.T) {
	read := func(ranges string, result func(i int) any) []Step {
		var args []any
		for r := range strings.FieldsSeq(ranges) {
			var from, to int
			fmt.Sscanf(r, "%d-%d", &from, &to)
			args = append(args, map[string]any{"file": "scan.rs", "start_line": from, "end_line": to})
		}
		return asked(args, result)
	}
	unknown := func(int) any { return Unknown }
	tests := []struct {
		name  string
		steps []Step
		want  string
	}{
		{"after a wrap, shifted", read("1-40 41-80 81-120 11-50 21-60 51-90 61-100 71-110 81-120", unknown), "SWEEP args_only@8-8 ended_in_loop"},
		{"one pass", read("1-40 41-80 81-120 121-160 161-200 201-240 241-280 281-320", unknown), ""},
		{"one pass with overlaps", read("1-40 21-60 41-80 61-100 81-120 101-140 121-160 141-180", unknown), ""},
		{"new ranges in between are progress", read("1-40 41-80 1-40 11-40 21-50 90-130 1-40 41-80 1-40 5-30", unknown), ""},
		{"ranges that have changed are", read("1-9 10-19 1-9 10-19 1-9 10-19 1-9 10-19 1-9 10-19", func(i int) any { return i }), ""},
		{"the same as before", read("1-9 10-19 1-9 10-19 1-9 10-19 1-9 10-19", func(i int) any { return i % 2 }), "SWEEP confirmed@7-7 ended_in_loop"},
		{"what is new closes it", read("1-9 10-19 1-9 10-19 1-9 10-19 1-9 10-19 40-49", unknown), "SWEEP args_only@7-7 recovered"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, stagnant(t, tt.steps)) })
	}
}

func TestSweepForgetsWhatIsTooMuch(t *testing.T) {
	var s reads
	s.restart(0)
	for i := range uint32(100) {
		s.take(span{i * 10, i*10 + 2}, mark(i))
	}
	assert.True(t, s.covers(span{990, 992}))
	assert.False(t, s.covers(span{0, 2}))
	assert.False(t, s.take(span{0, 1<<32 - 1}, 0))
	assert.True(t, s.take(span{5, 1 << 31}, 0))
}
