// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
)

// Recording is a recorded trace file (testdata/traces): export requests in the order in which an SDK sent them.
type Recording struct {
	raw    [][]byte // as recorded, OTLP/JSON
	traces []ptrace.Traces
}

// ReadRecording reads a gzip file with one OTLP/JSON export request a line.
func ReadRecording(path string) (*Recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read a recording: %w", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("read recording %s: %w", path, err)
	}
	r := &Recording{}
	r.raw, r.traces, err = readLines(unzipped)
	if err != nil {
		return nil, fmt.Errorf("read recording %s: %w", path, err)
	}
	return r, nil
}

// readLines reads one OTLP/JSON message a line.
func readLines(from io.Reader) (raw [][]byte, traces []ptrace.Traces, err error) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
			if err != nil {
				return nil, nil, fmt.Errorf("line %d: %w", len(raw)+1, err)
			}
			raw, traces = append(raw, line), append(traces, td)
		}
		if errors.Is(err, io.EOF) {
			return raw, traces, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// Traces returns the ids of the recorded traces, in the order in which they first appear.
func (r *Recording) Traces() []pcommon.TraceID {
	var ids []pcommon.TraceID
	seen := map[pcommon.TraceID]bool{}
	for _, td := range r.traces {
		for _, span := range spans(td) {
			if id := span.TraceID(); !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// SendHTTP sends the requests as they were recorded to the OTLP/HTTP receiver at address (host:port).
func (r *Recording) SendHTTP(ctx context.Context, address string) error {
	for _, body := range r.raw {
		if err := post(ctx, "http://"+address+"/v1/traces", body); err != nil {
			return fmt.Errorf("send over OTLP/HTTP: %w", err)
		}
	}
	return nil
}

func post(ctx context.Context, url string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 4<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, answer)
	}
	return nil
}

// SendSpanBySpan sends each span in a request of its own, in recorded order, over an OTLP/gRPC connection.
func (r *Recording) SendSpanBySpan(ctx context.Context, conn *grpc.ClientConn) error {
	client := ptraceotlp.NewGRPCClient(conn)
	for _, td := range r.traces {
		for _, single := range spanBySpan(td) {
			if _, err := client.Export(ctx, ptraceotlp.NewExportRequestFromTraces(single)); err != nil {
				return fmt.Errorf("send over OTLP/gRPC: %w", err)
			}
		}
	}
	return nil
}
