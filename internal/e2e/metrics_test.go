// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"net/http"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

// metrics is what a collector's Prometheus endpoint shows.
type metrics map[string]*dto.MetricFamily

func scrape(t *testing.T, c *Collector) metrics {
	t.Helper()
	response, err := http.Get("http://" + c.Metrics + "/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	require.NoError(t, err)
	return families
}

// sum adds up the counter otelcol_processor_loop_guard_<name> over all series that have the given labels (name, value, name, value, …).
// A counter that was never moved is not exposed: zero.
func (m metrics) sum(name string, labels ...string) float64 {
	var total float64
	for _, series := range m["otelcol_processor_loop_guard_"+name].GetMetric() {
		if has(series, labels) {
			total += series.GetCounter().GetValue()
		}
	}
	return total
}

func has(series *dto.Metric, labels []string) bool {
	values := map[string]string{}
	for _, label := range series.GetLabel() {
		values[label.GetName()] = label.GetValue()
	}
	for i := 0; i < len(labels); i += 2 {
		if values[labels[i]] != labels[i+1] {
			return false
		}
	}
	return true
}
