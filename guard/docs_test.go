// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// detectionSection is a heading of docs/detection.md with codes, and what
// follows it.
type detectionSection struct{ heading, body string }

func detectionDoc(t *testing.T) []detectionSection {
	text, err := os.ReadFile(filepath.Join("..", "docs", "detection.md"))
	require.NoError(t, err)
	var sections []detectionSection
	for part := range strings.SplitSeq(string(text), "\n### ") {
		heading, body, _ := strings.Cut(part, "\n")
		sections = append(sections, detectionSection{heading, body})
	}
	return sections[1:]
}

// codesInSource are the values of the exported constants Code….
func codesInSource(t *testing.T) []string {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var codes []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			codes = append(codes, codesOf(decl)...)
		}
	}
	return codes
}

func codesOf(decl ast.Decl) (codes []string) {
	d, ok := decl.(*ast.GenDecl)
	if !ok || d.Tok != token.CONST {
		return nil
	}
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		for i, name := range v.Names {
			if strings.HasPrefix(name.Name, "Code") && i < len(v.Values) {
				code, _ := strconv.Unquote(v.Values[i].(*ast.BasicLit).Value)
				codes = append(codes, code)
			}
		}
	}
	return codes
}

func TestEveryCodeIsDocumented(t *testing.T) {
	headings := ""
	for _, s := range detectionDoc(t) {
		headings += s.heading + "\n"
	}
	codes := codesInSource(t)
	require.NotEmpty(t, codes)
	for _, code := range codes {
		assert.Contains(t, headings, "`"+code+"`")
	}
}

func TestDocumentedExamples(t *testing.T) {
	quoted := regexp.MustCompile("`([^`]+)`")
	lines := regexp.MustCompile("(?m)^- (Found|Not found): (.*)$")
	for _, s := range detectionDoc(t) {
		for _, line := range lines.FindAllStringSubmatch(s.body, -1) {
			for _, example := range quoted.FindAllStringSubmatch(line[2], -1) {
				t.Run(s.heading+" "+line[1], func(t *testing.T) {
					reported := reportedCodes(t, documented(t, example[1]))
					assert.Equal(t, line[1] == "Found", named(s.heading, reported), "%s: %q", example[1], reported)
				})
			}
		}
	}
}

// named says whether a heading names one of the codes.
func named(heading, codes string) bool {
	for code := range strings.FieldsSeq(codes) {
		if strings.Contains(heading, "`"+code+"`") {
			return true
		}
	}
	return false
}

func reportedCodes(t *testing.T, steps []StepDigest) string {
	g := mustNew(t, Retrospective())
	for _, s := range steps {
		g.CheckDigest(s)
	}
	g.End()
	codes := ""
	for _, f := range g.Findings() {
		codes += f.Code + " "
	}
	return codes
}

var lapsOf = regexp.MustCompile(`^(?:\[(.*)\]|(.*)) x(\d+)$`)

// documented reads the notation of docs/detection.md.
func documented(t *testing.T, text string) []StepDigest {
	d, err := NewDigester(Sameness{})
	require.NoError(t, err)
	var steps []StepDigest
	boundary := false
	for _, word := range documentedSteps(text) {
		if word == "U" {
			boundary = true
			continue
		}
		s := documentedStep(d, word)
		s.Boundary, boundary = boundary, false
		steps = append(steps, s)
	}
	return steps
}

// documentedSteps writes repetitions out.
func documentedSteps(text string) []string {
	var steps []string
	for len(text) > 0 {
		part := text
		if end := strings.Index(text, "]"); text[0] == '[' && end > 0 {
			rest, _, _ := strings.Cut(text[end:], "; ")
			part = text[:end] + rest
		} else {
			part, _, _ = strings.Cut(text, "; ")
		}
		text = strings.TrimPrefix(text[len(part):], "; ")
		steps = append(steps, documentedLaps(part)...)
	}
	return steps
}

func documentedLaps(part string) (steps []string) {
	m, laps := lapsOf.FindStringSubmatch(part), 1
	body := strings.Trim(part, "[]")
	if m != nil {
		body = m[1] + m[2]
		laps, _ = strconv.Atoi(m[3])
	}
	for range laps {
		steps = append(steps, strings.Split(body, "; ")...)
	}
	return steps
}

func documentedStep(d *Digester, word string) StepDigest {
	if said, ok := strings.CutPrefix(word, `"`); ok {
		return StepDigest{Text: d.Text(strings.TrimSuffix(said, `"`))}
	}
	var s StepDigest
	for call := range strings.SplitSeq(word, " || ") {
		s.Calls = append(s.Calls, documentedCall(d, call))
	}
	return s
}

func documentedCall(d *Digester, text string) CallDigest {
	name, rest, _ := strings.Cut(text, "(")
	args, out, _ := strings.Cut(rest, ")=")
	var c CallDigest
	c.Tool, c.Delegation = strings.CutPrefix(name, "@")
	if args != "?" {
		c.Args = d.Args(args)
	}
	if failure, ok := strings.CutPrefix(out, "!"); ok {
		c.Outcome = d.Error(failure)
	} else if out != "?" {
		c.Outcome = d.Result(out)
	}
	return c
}
