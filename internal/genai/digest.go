// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/agentloopguard/loopguardprocessor/guard"
	"github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"
)

// args fingerprints the arguments of a call of a tool.
func (r *Reader) args(tool, text string) guard.Fingerprint {
	content, ok := known(text, r.opts.AttributeBytes)
	if !ok || jsonscan.IsNull(content) {
		return guard.Fingerprint{}
	}
	content = unwrapArgs(content)
	// What was wrapped may be masked or cut for itself.
	if content, ok = r.inner(content); !ok || jsonscan.IsNull(content) {
		return guard.Fingerprint{}
	}
	if keys := r.opts.ArgumentKeys; keys != nil {
		return r.digester.Args(content, keys(tool)...)
	}
	return r.digester.Args(content)
}

// inner checks what came out of a wrapper. Empty is a value there.
func (r *Reader) inner(content string) (string, bool) {
	if content == "" {
		return "", true
	}
	return known(content, r.opts.AttributeBytes)
}

// result reads what a call came back with; ok is false if that is unknown.
func (r *Reader) result(text string) (res result, ok bool) {
	if len(text) <= r.opts.AttributeBytes {
		if m, isRepr := toolMessageRepr(text); isRepr {
			text = m
		}
	}
	content, ok := known(text, r.opts.AttributeBytes)
	if !ok {
		return result{}, false
	}
	res = unwrapResult(content)
	res.content, ok = r.inner(res.content)
	return res, ok
}

// outcome fingerprints a result. failed adds what else is known of a failure,
// and errorText describes it better than the result does.
func (r *Reader) outcome(res result, ok, failed bool, errorText string) guard.Outcome {
	if !failed && !(ok && res.failed) {
		if !ok {
			return guard.Outcome{}
		}
		return r.digester.Result(res.content)
	}
	for _, text := range [...]string{errorText, res.errorText, res.content} {
		if text = strings.TrimSpace(text); text != "" && len(text) <= r.opts.AttributeBytes && !masked(text) {
			return r.digester.Error(text)
		}
	}
	return guard.Outcome{Failed: true}
}
