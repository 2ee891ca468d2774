// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package manual finds in the documentation what is said about a code.
package manual

import (
	"regexp"
	"slices"
	"strings"
)

// Entry is what is said about one or more codes.
type Entry struct {
	Codes []string
	Text  string // Markdown.
}

var code = regexp.MustCompile("`([A-Z][A-Z_]+)`")

// Entries splits the page about detection: each heading of the third level that
// has codes in it begins an entry.
func Entries(page string) []Entry {
	var all []Entry
	for _, part := range strings.Split(page, "\n### ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		body, _, _ = strings.Cut(body, "\n## ")
		var e Entry
		for _, m := range code.FindAllStringSubmatch(heading, -1) {
			e.Codes = append(e.Codes, m[1])
		}
		if len(e.Codes) > 0 {
			e.Text = strings.TrimSpace(body)
			all = append(all, e)
		}
	}
	return all
}

// Find returns the entry about a code, in any spelling: repeated-tool-call is
// REPEATED_TOOL_CALL.
func Find(all []Entry, name string) (Entry, bool) {
	name = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(name), "-", "_"))
	i := slices.IndexFunc(all, func(e Entry) bool { return slices.Contains(e.Codes, name) })
	if i < 0 {
		return Entry{}, false
	}
	return all[i], true
}

var notation = regexp.MustCompile(`(?ms)^\*\*Notation\.\*\* .*?\n\n`)

// Notation explains how examples are written, "" if the page does not say.
func Notation(page string) string {
	text := strings.TrimSpace(notation.FindString(page))
	return strings.ReplaceAll(text, "**", "")
}

// Plain makes Markdown readable on a terminal, in lines of at most so many
// characters where the text allows it.
func Plain(markdown string, width int) string {
	var b strings.Builder
	fenced := false
	var paragraph []string
	flush := func() {
		b.WriteString(wrap(strings.Join(paragraph, " "), width))
		paragraph = paragraph[:0]
	}
	for line := range strings.SplitSeq(markdown, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			flush()
			fenced = !fenced
		case fenced:
			b.WriteString("    " + line + "\n")
		case strings.TrimSpace(line) == "":
			flush()
			b.WriteByte('\n')
		case strings.HasPrefix(line, "- "):
			flush()
			paragraph = append(paragraph, line)
		default:
			paragraph = append(paragraph, strings.TrimSpace(line))
		}
	}
	flush()
	return b.String()
}

// wrap breaks a paragraph into lines; those of a list item hang.
func wrap(text string, width int) string {
	if text == "" {
		return ""
	}
	hang := ""
	if strings.HasPrefix(text, "- ") {
		hang = "  "
	}
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + hang)
			at = len(hang)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String() + "\n"
}
