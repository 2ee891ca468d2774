// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/confmap"

	loopguard "github.com/agentloopguard/loopguardprocessor"
)

// section is the processor's name in a configuration.
const section = "loop_guard"

// configFlags say where the settings are.
type configFlags struct{ file, processor string }

func (c *configFlags) add(cmd *cobra.Command, note string) {
	flags := cmd.Flags()
	flags.StringVar(&c.file, "config", "", "a YAML file with the section of the loop_guard processor, or a collector's configuration"+note)
	flags.StringVar(&c.processor, "processor", "", "which processor of --config, if it has several, such as loop_guard/agents")
}

// load reads the processor's section from a YAML file: the section itself, with
// its name above it, or a collector's whole configuration. No file is the
// default.
func (c *configFlags) load() (*loopguard.Config, error) {
	path := c.file
	cfg := loopguard.NewFactory().CreateDefaultConfig().(*loopguard.Config)
	if path == "" && c.processor != "" {
		return nil, errors.New("--processor chooses from the file that --config names, and there is none")
	}
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
	if conf, err = sectionOf(conf, c.processor); err != nil {
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

// sectionOf finds the section in a file: all of it, or under its name, which
// may have more to it (loop_guard/agents), at the top or among processors.
func sectionOf(conf *confmap.Conf, wanted string) (*confmap.Conf, error) {
	names, err := processorsIn(conf), error(nil)
	whole := len(names) == 0 && conf.IsSet("processors")
	if whole {
		if conf, err = conf.Sub("processors"); err != nil {
			return nil, err
		}
		names = processorsIn(conf)
	}
	switch {
	case len(names) == 0 && !whole && wanted == "":
		return conf, nil
	case len(names) == 0:
		return nil, fmt.Errorf("the configuration has no processor named %s", cmp.Or(wanted, section))
	case len(names) == 1 && wanted == "":
		return conf.Sub(names[0])
	case wanted == "":
		return nil, fmt.Errorf("the configuration has several such processors, choose one with --processor: %s", strings.Join(names, ", "))
	case !slices.Contains(names, wanted):
		return nil, fmt.Errorf("the configuration has no processor named %s, but: %s", wanted, strings.Join(names, ", "))
	default:
		return conf.Sub(wanted)
	}
}

// processorsIn are the names that processors of ours have, sorted.
func processorsIn(conf *confmap.Conf) []string {
	var names []string
	for name := range conf.ToStringMap() {
		if name == section || strings.HasPrefix(name, section+"/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
