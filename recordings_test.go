// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/agentloopguard/loopguardprocessor/internal/metadatatest"
)

// expectation is what must come out for one recording; see expected.json.
type expectation struct {
	Verdict      []string `json:"verdict"`
	Reasons      []string `json:"reasons"`
	OnsetStep    []int64  `json:"onset_step"`
	Calls        *int64   `json:"calls"`
	InputTokens  *int64   `json:"input_tokens"`
	OutputTokens *int64   `json:"output_tokens"`
	NotGrade     string   `json:"not_grade"`
}

// observation is what did come out.
type observation struct {
	verdict, code, grade string
	onset                int64
	runs                 int // Spans with totals.
	calls, in, out       int64
}

// recordings returns the expectations of a folder of recordings by file.
func recordings(t *testing.T, dir string) map[string]expectation {
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	require.NoError(t, err)
	var sdks map[string]struct{ Files map[string]expectation }
	require.NoError(t, json.Unmarshal(text, &sdks))
	files := make(map[string]expectation)
	for sdk, s := range sdks {
		for name, e := range s.Files {
			files[filepath.Join(sdk, name+".jsonl.gz")] = e
		}
	}
	return files
}

// readRecording returns the export requests of a recording in their order.
func readRecording(t testing.TB, path string) []ptrace.Traces {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	gz, err := gzip.NewReader(f)
	require.NoError(t, err)
	lines := bufio.NewScanner(gz)
	lines.Buffer(nil, 64<<20)
	var batches []ptrace.Traces
	for lines.Scan() {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(bytes.Clone(lines.Bytes()))
		require.NoError(t, err)
		batches = append(batches, td)
	}
	require.NoError(t, lines.Err())
	return batches
}

// portions are the ways in which a recording is sent.
var portions = map[string]func([]ptrace.Traces) []ptrace.Traces{
	"as recorded":  func(batches []ptrace.Traces) []ptrace.Traces { return batches },
	"span by span": spanBySpan,
	"as one batch": func(batches []ptrace.Traces) []ptrace.Traces {
		all := ptrace.NewTraces()
		for _, td := range batches {
			td.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
		}
		return []ptrace.Traces{all}
	},
}

func spanBySpan(batches []ptrace.Traces) []ptrace.Traces {
	var out []ptrace.Traces
	for _, td := range batches {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					one := ptrace.NewTraces()
					to := one.ResourceSpans().AppendEmpty()
					rs.Resource().CopyTo(to.Resource())
					scope := to.ScopeSpans().AppendEmpty()
					ss.Scope().CopyTo(scope.Scope())
					s.CopyTo(scope.Spans().AppendEmpty())
					out = append(out, one)
				}
			}
		}
	}
	return out
}

// process sends batches through a new processor and returns what comes out.
func process(t *testing.T, batches []ptrace.Traces, change ...func(*Config)) []ptrace.Traces {
	sink := new(consumertest.TracesSink)
	p := started(t, sink, change...)
	for _, td := range batches {
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
	}
	return sink.AllTraces()
}

// observe reads the verdicts off the spans that came out.
func observe(batches []ptrace.Traces) observation {
	var o observation
	for _, td := range batches {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					o.span(s)
				}
			}
		}
	}
	o.verdict = cmp.Or(o.verdict, "ok")
	return o
}

var ranks = []string{"", "ok", "warn", "stop"}

func (o *observation) span(s ptrace.Span) {
	attrs := s.Attributes()
	str := func(key string) string { return stringOf(attrs, "loop_guard."+key) }
	num := func(key string) int64 {
		if v, ok := attrs.Get("loop_guard." + key); ok {
			return v.Int()
		}
		return 0
	}
	if _, ok := attrs.Get("loop_guard.run.steps"); ok {
		o.runs++
	}
	o.calls += num("run.tool_calls")
	o.in += num("run.input_tokens")
	o.out += num("run.output_tokens")
	// The run's own span knows more than the event that came before it.
	v := str("verdict")
	if rank := slices.Index(ranks, v) - slices.Index(ranks, o.verdict); rank > 0 || rank == 0 && o.onset < 0 {
		o.verdict, o.code, o.grade, o.onset = v, str("code"), str("grade"), num("onset.step")
	}
	for _, e := range s.Events().All() {
		label := stringOf(e.Attributes(), "gen_ai.evaluation.score.label")
		if slices.Index(ranks, label) > slices.Index(ranks, o.verdict) {
			o.verdict, o.code, o.onset = label, stringOf(e.Attributes(), "loop_guard.code"), -1
		}
	}
}

func stringOf(attrs pcommon.Map, key string) string {
	if v, ok := attrs.Get(key); ok {
		return v.Str()
	}
	return ""
}

// reasonOf is the reason that a code belongs to.
func reasonOf(code string) string {
	for prefix, reason := range map[string]string{
		"FINISH": "finish-reason", "BUDGET": "budget", "SELF_APPEND": "stagnation", "SWEEP": "stagnation",
		"TOOL_CALL_LIMIT": "tool-limit", "TOOL_ERROR_STREAK": "error-streak",
	} {
		if strings.HasPrefix(code, prefix) {
			return reason
		}
	}
	return strings.ReplaceAll(strings.ToLower(code), "_", "-")
}

// differences says where an observation is not what was expected.
func (e expectation) differences(o observation) []string {
	var out []string
	check := func(ok bool, format string, args ...any) {
		if !ok {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	check(slices.Contains(e.Verdict, o.verdict), "verdict %s (%s), want %v", o.verdict, o.code, e.Verdict)
	if o.verdict != "ok" {
		check(e.Reasons == nil || slices.Contains(e.Reasons, reasonOf(o.code)), "reason %s, want %v", reasonOf(o.code), e.Reasons)
		check(e.NotGrade == "" || o.grade != e.NotGrade, "grade %s is a lie", o.grade)
		if e.OnsetStep != nil && o.onset >= 0 {
			check(o.onset >= e.OnsetStep[0] && o.onset <= e.OnsetStep[1], "onset %d, want %v", o.onset, e.OnsetStep)
		}
	}
	exact := func(name string, want *int64, got int64) {
		check(want == nil || *want == got, "%s %d, want %v", name, got, deref(want))
	}
	exact("calls", e.Calls, o.calls)
	exact("input tokens", e.InputTokens, o.in)
	exact("output tokens", e.OutputTokens, o.out)
	return out
}

func deref(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}

func TestRecordings(t *testing.T) {
	table := make(emitterTable)
	for _, dir := range []string{"testdata/traces", "../shared/traces"} {
		if _, err := os.Stat(dir); err != nil {
			continue // The full set lies beside the checkout or nowhere.
		}
		for file, want := range recordings(t, dir) {
			for name, portion := range portions {
				t.Run(strings.TrimSuffix(file, ".jsonl.gz")+"/"+name, func(t *testing.T) {
					batches := portion(readRecording(t, filepath.Join(dir, file)))
					diff := want.differences(observeRecording(t, batches))
					table.add(file, name, diff)
					assert.Empty(t, diff)
				})
			}
		}
	}
	t.Log("\n" + table.String())
}

// emitterTable says by SDK and scenario how each capture of it fared.
type emitterTable map[string][]string

func (e emitterTable) add(file, portion string, diff []string) {
	sdk, name := filepath.Split(strings.TrimSuffix(file, ".jsonl.gz"))
	scenario, capture, _ := strings.Cut(name, ".")
	result := "pass"
	if len(diff) > 0 {
		result = strings.Join(diff, "; ")
	}
	row := fmt.Sprintf("| %s | %s | %s |", filepath.Clean(sdk), scenario, capture)
	if line := portion + ": " + result; !slices.Contains(e[row], line) {
		e[row] = append(e[row], line)
	}
}

// String is the table; portions that fared alike are one word.
func (e emitterTable) String() string {
	var b strings.Builder
	b.WriteString("| SDK | scenario | capture | result |\n|---|---|---|---|\n")
	for _, row := range slices.Sorted(maps.Keys(e)) {
		results := e[row]
		slices.Sort(results)
		if !slices.ContainsFunc(results, func(r string) bool { return !strings.HasSuffix(r, ": pass") }) {
			results = []string{"pass"}
		}
		fmt.Fprintf(&b, "%s %s |\n", row, strings.Join(results, ", "))
	}
	return b.String()
}

// observeRecording sends a recording through a processor. Where no span of a
// run came, the totals are in the metrics only.
func observeRecording(t *testing.T, batches []ptrace.Traces) observation {
	tel := componenttest.NewTelemetry()
	sink := new(consumertest.TracesSink)
	p := created(t, metadatatest.NewSettings(tel), sink)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	for _, td := range batches {
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
	}
	o := observe(sink.AllTraces())
	if o.runs == 0 {
		o.in, o.out = tokenMetric(t, tel, "input"), tokenMetric(t, tel, "output")
	}
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, tel.Shutdown(context.Background()))
	return o
}

func tokenMetric(t *testing.T, tel *componenttest.Telemetry, kind string) int64 {
	m, err := tel.GetMetric("otelcol_processor_loop_guard_tokens")
	if err != nil {
		return 0
	}
	for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
		if v, _ := p.Attributes.Value("type"); v.AsString() == kind {
			return p.Value
		}
	}
	return 0
}
