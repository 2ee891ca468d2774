// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"go.opentelemetry.io/collector/confmap"

	loopguard "github.com/agentloopguard/loopguardprocessor"
)

// section is the processor's name in a configuration.
const section = "loop_guard"

// loadConfig reads the processor's section from a YAML file: the section
// itself, with its name above it, or a collector's whole configuration. No file
// is the default.
func loadConfig(path string) (*loopguard.Config, error) {
	cfg := loopguard.NewFactory().CreateDefaultConfig().(*loopguard.Config)
	if path == "" {
		return cfg, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	retrieved, err := confmap.NewRetrievedFromYAML(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	conf, err := retrieved.AsConf()
	if err != nil {
		return nil, fmt.Errorf("%s: expected the YAML section of the %s processor: %w", path, section, err)
	}
	if conf, err = sectionOf(conf); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := confmap.Validate(cfg); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cfg, nil
}

func sectionOf(conf *confmap.Conf) (*confmap.Conf, error) {
	for _, key := range []string{section, "processors" + confmap.KeyDelimiter + section} {
		if conf.IsSet(key) {
			return conf.Sub(key)
		}
	}
	if conf.IsSet("processors") {
		return nil, fmt.Errorf("the configuration has no processor named %s", section)
	}
	return conf, nil
}
