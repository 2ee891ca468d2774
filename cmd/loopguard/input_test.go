// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// looping is a recording of a run that loops.
const looping = ours + "/strands/repeat6.on.jsonl.gz"

func gzipped(t *testing.T, text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func zstandard(t *testing.T, text []byte) []byte {
	z, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer z.Close()
	return z.EncodeAll(text, nil)
}

// document joins the requests in one indented document.
func document(t *testing.T, text []byte) []byte {
	b, err := (&ptrace.JSONMarshaler{}).MarshalTraces(joined(requests(t, text)))
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, b, "", "  "))
	return out.Bytes()
}

func joined(all []ptrace.Traces) ptrace.Traces {
	td := ptrace.NewTraces()
	for _, one := range all {
		one.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	return td
}

func proto(t *testing.T, td ptrace.Traces) []byte {
	b, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	return b
}

// framed writes messages as the collector's file exporter does.
func framed(t *testing.T, text []byte, pack func(ptrace.Traces) []byte) []byte {
	var out []byte
	for _, td := range requests(t, text) {
		message := pack(td)
		out = binary.BigEndian.AppendUint32(out, uint32(len(message)))
		out = append(out, message...)
	}
	return out
}

// forms are all ways to store the same spans.
func forms(t *testing.T, text []byte) map[string][]byte {
	return map[string][]byte{
		"lines":                text,
		"lines without an end": bytes.TrimSpace(text),
		"lines with marks":     append([]byte("\xef\xbb\xbf"), bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n\r\n"))...),
		"document":             document(t, text),
		"protobuf":             proto(t, joined(requests(t, text))),
		"protobuf in frames":   framed(t, text, func(td ptrace.Traces) []byte { return proto(t, td) }),
		"zstd in frames":       framed(t, text, func(td ptrace.Traces) []byte { return zstandard(t, proto(t, td)) }),
		"JSON in frames": framed(t, text, func(td ptrace.Traces) []byte {
			b, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
			require.NoError(t, err)
			return b
		}),
	}
}

func TestEveryFormIsRecognised(t *testing.T) {
	text := unzip(t, looping)
	want := execute(t, "scan", "--all", looping).out
	compressions := map[string]func(*testing.T, []byte) []byte{
		"plain": func(_ *testing.T, b []byte) []byte { return b }, "gzip": gzipped, "zstd": zstandard,
	}
	for form, content := range forms(t, text) {
		for name, compress := range compressions {
			t.Run(form+"/"+name, func(t *testing.T) {
				// The name says nothing; the content does.
				r := execute(t, "scan", "--all", write(t, "traces.txt", compress(t, content)))
				assert.Zero(t, r.code, r.log)
				assert.Equal(t, want, r.out)
				r = executeWith(t, string(compress(t, content)), "scan", "--all", "-")
				assert.Equal(t, want, r.out)
			})
		}
	}
}

func TestUnusableInput(t *testing.T) {
	text := unzip(t, looping)
	zipped := gzipped(t, text)
	tests := []struct {
		name    string
		content []byte
		want    string
	}{
		{"empty file", nil, "no traces: the file is empty; expected OTLP/JSON"},
		{"blank file", []byte(" \n\n"), "no traces: the file is empty; expected OTLP/JSON"},
		{"half a line", text[:len(text)/20], ": line 1: the JSON ends in the middle; expected OTLP/JSON"},
		{"half a document", document(t, text)[:3000], "the JSON ends in the middle; expected OTLP/JSON"},
		{"text", []byte("service,span\na,b\n"), "no traces: the file is text but no JSON; expected OTLP/JSON"},
		{"a JSON array", []byte(`[{"resourceSpans":[]}]`), "no traces: the file is a JSON array; expected OTLP/JSON"},
		{"binary garbage", []byte{0, 1, 2, 3, 0xff, 0xfe, 9}, "no traces: the file is binary and not OTLP; expected OTLP/JSON"},
		{"garbage like protobuf", []byte("\n\x05\xff\xff\xff\xff\xff"), "no traces: byte 7: not OTLP: "},
		{"half a protobuf", proto(t, joined(requests(t, text)))[:300], "the protobuf message ends in the middle"},
		{"half a frame", framed(t, text, func(td ptrace.Traces) []byte { return proto(t, td) })[:300], "message 1: the message ends in the middle: the file is cut off"},
		{"JSON that is no trace", []byte(`{"a":1}` + "\n"), `no traces: line 1: the JSON has no "resourceSpans"; expected OTLP/JSON`},
		{"a document that is no trace", []byte("{\n \"a\": 1\n}\n"), `no traces: the JSON has no "resourceSpans"; expected OTLP/JSON`},
		{"JSON of another shape", []byte(`{"resourceSpans":[{"scopeSpans":7}]}`), "no traces: line 1: the JSON is no OTLP request: "},
		{"cut gzip", zipped[:len(zipped)/2], "the compressed data ends too early: the file is cut off"},
		{"broken gzip", append([]byte{0x1f, 0x8b}, "no gzip at all"...), "the data cannot be decompressed"},
		{"broken zstd", append([]byte{0x28, 0xb5, 0x2f, 0xfd}, "no zstd at all"...), "the data cannot be decompressed"},
		{"bzip2", []byte("BZh91AY&SY\x00\x01"), "no traces: the file is compressed with bzip2; expected"},
		{"compressed twice", gzipped(t, zipped), "no traces: the file is compressed twice; expected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, "input", tt.content)
			r := execute(t, "scan", path)
			assert.Equal(t, exitInput, r.code)
			assert.Contains(t, r.log, "loopguard: "+filepath.ToSlash(path)+": ")
			assert.Contains(t, r.log, tt.want)
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	r := execute(t, "scan", missing)
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.log, "no such file or directory: expected a file or directory of traces, or - for the standard input")

	r = execute(t, "scan", t.TempDir())
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.log, "the directory has no files")

	path := write(t, "locked", unzip(t, looping))
	require.NoError(t, os.Chmod(path, 0))
	if f, err := os.Open(path); err == nil {
		f.Close()
		t.Skip("this user may read everything")
	}
	r = execute(t, "scan", path)
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.log, "permission denied")
}

func TestBadLinesAreSkipped(t *testing.T) {
	lines := strings.SplitAfter(string(unzip(t, looping)), "\n")
	text := strings.Join(lines[:2], "") + "{\"resourceSpans\":[{\n" + strings.Join(lines[2:], "") + "secret\n{\"resourceLogs\":[]}\n"
	path := write(t, "traces.jsonl", []byte(text))
	r := execute(t, "scan", path)
	assert.Zero(t, r.code)
	assert.Contains(t, r.log, filepath.ToSlash(path)+":3: skipped: the JSON ends in the middle; expected OTLP/JSON")
	assert.Contains(t, r.log, ":8: skipped: the line is no JSON object; expected OTLP/JSON")
	assert.Contains(t, r.log, `:9: skipped: the JSON has no "resourceSpans"; expected OTLP/JSON`)
	assert.NotContains(t, r.log, "secret")
	assert.Contains(t, r.out, "1 run: 1 stop")
	assert.Contains(t, r.out, "Skipped: 3 lines that could not be read.\n")

	r = execute(t, "scan", "--strict", path)
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.log, "3 lines could not be read, and --strict allows none")
	assert.Contains(t, r.out, "1 run: 1 stop")
}

func TestTheFirstLineMayBeBad(t *testing.T) {
	path := write(t, "traces.jsonl", append([]byte("{\"resourceSpans\":[{\n"), unzip(t, looping)...))
	r := execute(t, "scan", path)
	assert.Zero(t, r.code)
	assert.Contains(t, r.log, ":1: skipped: the JSON ends in the middle")
	assert.Contains(t, r.out, "1 run: 1 stop")
}

func TestManyBadLinesAreNotAllReported(t *testing.T) {
	path := write(t, "traces.jsonl", append(unzip(t, looping), strings.Repeat("x\n", 100)...))
	r := execute(t, "scan", path)
	assert.Equal(t, 6, strings.Count(r.log, "\n"))
	assert.Contains(t, r.log, "further bad lines of this file are counted only")
	assert.Contains(t, r.out, "Skipped: 100 lines")
}

func TestOtherFilesOfADirectoryAreSkipped(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	for name, content := range map[string][]byte{
		"README.md": []byte("# Traces\n"), "empty": nil, "expected.json": []byte("{\n \"a\": 1\n}"), "x.bin": {0, 1, 2},
		filepath.Join("sub", "run.jsonl"): unzip(t, looping),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	r := execute(t, "scan", dir)
	assert.Zero(t, r.code, r.log)
	assert.Contains(t, r.out, "1 file, ")
	assert.Contains(t, r.out, "Skipped: 4 files without traces.\n")

	r = execute(t, "scan", filepath.Join(dir, "README.md"), dir)
	assert.Equal(t, exitInput, r.code, "a file that was named is not skipped")

	require.NoError(t, os.RemoveAll(filepath.Join(dir, "sub")))
	r = execute(t, "scan", dir)
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.log, "none of the files has traces")
}

func TestConfiguration(t *testing.T) {
	sections := map[string]string{
		"the section":             "detectors: {repeated_tool_call: {enabled: false}, no_progress: {enabled: false}}",
		"with its name":           "loop_guard:\n  detectors: {repeated_tool_call: {threshold: 9}, no_progress: {threshold: 9}}",
		"a collector's":           "receivers: {otlp: {}}\nprocessors:\n  loop_guard:\n    detectors: {repeated_tool_call: {threshold: 9}, no_progress: {threshold: 9}}",
		"with more to its name":   "loop_guard/agents:\n  detectors: {repeated_tool_call: {threshold: 9}, no_progress: {threshold: 9}}",
		"a collector's, likewise": "processors:\n  batch: {}\n  loop_guard/agents:\n    detectors: {repeated_tool_call: {threshold: 9}, no_progress: {threshold: 9}}",
		"a severity of one's own": "detectors: {repeated_tool_call: {severity: warn}, no_progress: {severity: warn}}",
	}
	for name, section := range sections {
		t.Run(name, func(t *testing.T) {
			path := write(t, "config.yaml", []byte(section))
			assert.Zero(t, execute(t, "scan", "--fail-on", "stop", "--config", path, looping).code)
		})
	}
	assert.Equal(t, exitFound, execute(t, "scan", "--fail-on", "stop", looping).code)
}

func TestOneOfSeveralProcessors(t *testing.T) {
	path := write(t, "config.yaml", []byte(`processors:
  loop_guard:
  loop_guard/lenient: {detectors: {repeated_tool_call: {threshold: 9}, no_progress: {threshold: 9}}}
`))
	tests := []struct {
		processor string
		code      int
		log       string
	}{
		{"", exitInput, "several such processors, choose one with --processor: loop_guard, loop_guard/lenient"},
		{"loop_guard", exitFound, ""},
		{"loop_guard/lenient", exitFine, ""},
		{"loop_guard/strict", exitInput, "no processor named loop_guard/strict, but: loop_guard, loop_guard/lenient"},
	}
	for _, tt := range tests {
		r := execute(t, "scan", "--fail-on", "stop", "--config", path, "--processor", tt.processor, looping)
		assert.Equal(t, tt.code, r.code, tt.processor)
		assert.Contains(t, r.log, tt.log)
	}
	bare := write(t, "config.yaml", []byte("annotate: all"))
	r := execute(t, "scan", "--config", bare, "--processor", "loop_guard/a", looping)
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.log, "no processor named loop_guard/a")
}

func TestWrongConfiguration(t *testing.T) {
	tests := map[string]string{
		"detectorz: {}":     "invalid keys: detectorz",
		"idle_timeout: 1ms": "idle_timeout is 1ms, must be from 1s to 720h0m0s",
		"detectors: {oscillation: {max_period: 1}}": "detectors::oscillation: max_period is 1, must be from 2 to 32",
		"- a list":                "expected the YAML section of the loop_guard processor",
		"a: [":                    "config.yaml: ",
		"processors: {batch: {}}": "the configuration has no processor named loop_guard",
		"detectors: {repeated_tool_call: {threshold: x}}": "threshold",
	}
	for section, want := range tests {
		path := write(t, "config.yaml", []byte(section))
		for _, args := range [][]string{{"scan", "--config", path, looping}, {"replay", "--config", path, "-"}} {
			r := execute(t, args...)
			assert.Equal(t, exitInput, r.code, section)
			assert.Contains(t, r.log, want)
		}
	}
	r := execute(t, "scan", "--config", "none.yaml", looping)
	assert.Equal(t, exitInput, r.code)
	assert.Contains(t, r.log, "read configuration: ")
}
