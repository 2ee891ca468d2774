// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	loopguard "github.com/agentloopguard/loopguardprocessor"
	"github.com/agentloopguard/loopguardprocessor/cmd/loopguard/internal/input"
)

// ours are the recordings of this repository. The full set, which has them, too,
// lies beside the checkout or nowhere.
const (
	ours    = "../../testdata/traces"
	fullSet = "../../../shared/traces"
)

// recordings is the folder with all recordings at hand, or under the race
// detector, which takes minutes over those, with ours.
func recordings() string {
	if _, err := os.Stat(fullSet); err == nil && !raceEnabled {
		return fullSet
	}
	return ours
}

// expectation is what must come out for one recording; see expected.json.
type expectation struct {
	Verdict   []string `json:"verdict"`
	Reasons   []string `json:"reasons"`
	OnsetStep []int64  `json:"onset_step"`
	NotGrade  string   `json:"not_grade"`
}

// reported is a line of --format jsonl.
type reported struct {
	File     string `json:"file"`
	TraceID  string `json:"trace_id"`
	SpanID   string `json:"span_id"`
	Verdict  string `json:"verdict"`
	Code     string `json:"code"`
	Grade    string `json:"grade"`
	JudgedBy string `json:"judged_by"`
	Onset    struct {
		Step int64 `json:"step"`
	} `json:"onset"`
	Findings []struct {
		Code   string `json:"code"`
		Reason string `json:"reason"`
	} `json:"findings"`
}

func parseReport(t *testing.T, out string) []reported {
	var all []reported
	for line := range strings.Lines(out) {
		var r reported
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		all = append(all, r)
	}
	return all
}

// expectations returns what must come out for the recordings of a folder, by
// their paths in it.
func expectations(t *testing.T, dir string) map[string]expectation {
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	require.NoError(t, err)
	var sdks map[string]struct{ Files map[string]expectation }
	require.NoError(t, json.Unmarshal(text, &sdks))
	all := map[string]expectation{}
	for sdk, s := range sdks {
		for name, e := range s.Files {
			all[sdk+"/"+name+".jsonl.gz"] = e
		}
	}
	return all
}

func TestVerdictsOnRecordings(t *testing.T) {
	dir := recordings()
	want := expectations(t, dir)
	require.NotEmpty(t, want)
	r := execute(t, "scan", "--format", "jsonl", dir)
	require.Zero(t, r.code, r.log)
	byFile := map[string][]reported{}
	for _, run := range parseReport(t, r.out) {
		name, err := filepath.Rel(dir, run.File)
		require.NoError(t, err)
		byFile[filepath.ToSlash(name)] = append(byFile[filepath.ToSlash(name)], run)
	}
	for _, file := range slices.Sorted(maps.Keys(want)) {
		t.Run(file, func(t *testing.T) {
			differences := want[file].differences(byFile[file])
			if v := processed(t, filepath.Join(dir, file)).worst; !slices.Contains(want[file].Verdict, v) {
				t.Skipf("the processor says %s, too: %v", v, differences)
			}
			assert.Empty(t, differences)
		})
	}
}

var ranks = []string{"ok", "warn", "stop"}

// differences says where a report is not what was expected.
func (e expectation) differences(runs []reported) []string {
	var out []string
	check := func(ok bool, format string, args ...any) {
		if !ok {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	worst := reported{Verdict: "ok"}
	for _, r := range runs {
		if slices.Index(ranks, r.Verdict) > slices.Index(ranks, worst.Verdict) {
			worst = r
		}
	}
	check(slices.Contains(e.Verdict, worst.Verdict), "verdict %s (%s), want %v", worst.Verdict, worst.Code, e.Verdict)
	if worst.Verdict == "ok" {
		return out
	}
	check(e.Reasons == nil || slices.Contains(e.Reasons, worst.reason()), "reason %s, want %v", worst.reason(), e.Reasons)
	check(e.NotGrade == "" || worst.Grade != e.NotGrade, "grade %s is a lie", worst.Grade)
	if len(e.OnsetStep) == 2 && worst.SpanID != "" && worst.JudgedBy == "" {
		check(worst.Onset.Step >= e.OnsetStep[0] && worst.Onset.Step <= e.OnsetStep[1], "onset %d, want %v", worst.Onset.Step, e.OnsetStep)
	}
	return out
}

// worstVerdict is the worst that spans and events say.
func worstVerdict(all []ptrace.Traces) string {
	worst := 0
	look := func(attrs pcommon.Map, key string) {
		if v, ok := attrs.Get(key); ok {
			worst = max(worst, slices.Index(ranks, v.Str()))
		}
	}
	eachSpan(all, func(s ptrace.Span) {
		look(s.Attributes(), "loop_guard.verdict")
		for _, e := range s.Events().All() {
			look(e.Attributes(), "gen_ai.evaluation.score.label")
		}
	})
	return ranks[worst]
}

func (r *reported) reason() string {
	for _, f := range r.Findings {
		if f.Code == r.Code {
			return f.Reason
		}
	}
	return ""
}

func unzip(t *testing.T, path string) []byte {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var b bytes.Buffer
	_, err = b.ReadFrom(z)
	require.NoError(t, err)
	return b.Bytes()
}

// requests reads OTLP/JSON with the reader of the scanner, which is many times
// faster than the collector's; its own tests show that they read the same.
func requests(t *testing.T, text []byte) []ptrace.Traces {
	var all []ptrace.Traces
	require.NoError(t, input.Read(bytes.NewReader(text), input.Handler{
		Traces: func(td ptrace.Traces, _ int) error { all = append(all, td); return nil },
		Bad:    func(line int, err error) { assert.NoError(t, err, line) },
	}))
	return all
}

// runAttributes are what is said on the spans of runs, by span.
func runAttributes(all []ptrace.Traces) map[string]map[string]any {
	out := map[string]map[string]any{}
	eachSpan(all, func(s ptrace.Span) {
		attrs := map[string]any{}
		for key, v := range s.Attributes().All() {
			if strings.HasPrefix(key, "loop_guard.") && !isOfCall(key) {
				attrs[key] = v.AsRaw()
			}
		}
		if _, ok := attrs["loop_guard.coverage"]; ok {
			out[s.TraceID().String()+s.SpanID().String()] = attrs
		}
	})
	return out
}

// isOfCall reports whether an attribute is about a call or a crossing, not
// about the run.
func isOfCall(key string) bool {
	return key == "loop_guard.run.id" || key == "loop_guard.call.repeat" || strings.HasPrefix(key, "loop_guard.finding.")
}

func eachSpan(all []ptrace.Traces, visit func(ptrace.Span)) {
	for _, td := range all {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					visit(s)
				}
			}
		}
	}
}

// process sends requests through a processor.
func process(t *testing.T, all []ptrace.Traces) []ptrace.Traces {
	factory := loopguard.NewFactory()
	sink := new(consumertest.TracesSink)
	p, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), factory.CreateDefaultConfig(), sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	for _, td := range all {
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
	}
	require.NoError(t, p.Shutdown(t.Context()))
	return sink.AllTraces()
}

// outcome is what the processor says of a recording.
type outcome struct {
	attributes map[string]map[string]any
	worst      string
	spans      int
}

// outcomes remembers what processed has found out: several tests ask.
var outcomes = map[string]outcome{}

func processed(t *testing.T, path string) outcome {
	o, ok := outcomes[path]
	if !ok {
		all := process(t, requests(t, unzip(t, path)))
		o = outcome{runAttributes(all), worstVerdict(all), countSpans(all)}
		outcomes[path] = o
	}
	return o
}

func TestRunAttributesEqualTheProcessors(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(recordings(), "*", "*.jsonl.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), func(t *testing.T) {
			r := execute(t, "scan", "--format", "otlp", path)
			require.Zero(t, r.code, r.log)
			got := requests(t, []byte(r.out))
			want := processed(t, path)
			assert.Equal(t, want.attributes, runAttributes(got))
			assert.Equal(t, want.spans, countSpans(got))
		})
	}
}

func countSpans(all []ptrace.Traces) (n int) {
	for _, td := range all {
		n += td.SpanCount()
	}
	return n
}

// TestOrderDoesNotMatter feeds the spans one a line, parents first and mixed
// up, as a backend may export them.
func TestOrderDoesNotMatter(t *testing.T) {
	orders := map[string]func([]string){
		"parents first": slices.Reverse[[]string],
		"mixed up": func(lines []string) {
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		},
	}
	paths, err := filepath.Glob(filepath.Join(ours, "*", "*.jsonl.gz"))
	require.NoError(t, err)
	for _, path := range paths {
		lines := spanBySpan(t, requests(t, unzip(t, path)))
		want := processed(t, path).attributes
		for name, order := range orders {
			t.Run(name+"/"+filepath.Base(path), func(t *testing.T) {
				order(lines)
				r := executeWith(t, strings.Join(lines, "\n"), "scan", "--format", "otlp", "-")
				require.Zero(t, r.code, r.log)
				assert.Equal(t, want, runAttributes(requests(t, []byte(r.out))))
			})
		}
	}
}

// spanBySpan makes a request of each span.
func spanBySpan(t *testing.T, all []ptrace.Traces) []string {
	var lines []string
	for _, td := range all {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					one := ptrace.NewTraces()
					to := one.ResourceSpans().AppendEmpty()
					rs.Resource().CopyTo(to.Resource())
					scope := to.ScopeSpans().AppendEmpty()
					ss.Scope().CopyTo(scope.Scope())
					s.CopyTo(scope.Spans().AppendEmpty())
					b, err := (&ptrace.JSONMarshaler{}).MarshalTraces(one)
					require.NoError(t, err)
					lines = append(lines, string(b))
				}
			}
		}
	}
	return lines
}
