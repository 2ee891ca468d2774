// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package loopguardprocessor

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

// configsIn returns a document's YAML blocks that configure the processor.
func configsIn(t *testing.T, document string) []*confmap.Conf {
	t.Helper()
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	var configs []*confmap.Conf
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
		path := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(path, block[1], 0o600))
		conf, err := confmaptest.LoadConf(path)
		require.NoError(t, err, "%s", block[1])
		if sub, err := conf.Sub("loop_guard"); err == nil && len(sub.ToStringMap()) > 0 {
			configs = append(configs, sub)
		}
	}
	return configs
}

func TestReadmeShowsTheDefaults(t *testing.T) {
	configs := configsIn(t, "README.md")
	require.Len(t, configs, 1)
	want, got := createDefaultConfig().(*Config), createDefaultConfig().(*Config)
	require.NoError(t, configs[0].Unmarshal(got))
	require.NoError(t, confmap.Validate(got))
	assert.Equal(t, guardOptions(&want.Detectors, want.Tools), guardOptions(&got.Detectors, got.Tools))
	// A section that is off by default is not the same as one switched off.
	want.Detectors, got.Detectors = DetectorsConfig{}, DetectorsConfig{}
	assert.Equal(t, want, got)
}

func TestDocumentedTuningIsValid(t *testing.T) {
	configs := configsIn(t, filepath.Join("docs", "detection.md"))
	require.NotEmpty(t, configs)
	for _, conf := range configs {
		cfg := createDefaultConfig().(*Config)
		require.NoError(t, conf.Unmarshal(cfg), "%v", conf.ToStringMap())
		assert.NoError(t, confmap.Validate(cfg), "%v", conf.ToStringMap())
	}
}
