// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// table is a table in Markdown.
type table struct{ strings.Builder }

func newTable(heads ...string) *table {
	t := &table{}
	fmt.Fprintf(t, "| %s |\n|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	return t
}

func (t *table) add(cells ...any) {
	for _, c := range cells {
		if text := fmt.Sprint(c); text != "" {
			fmt.Fprintf(t, "| %s ", text)
		} else {
			fmt.Fprint(t, "| - ")
		}
	}
	fmt.Fprintln(t, "|")
}
