// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import "github.com/agentloopguard/loopguardprocessor/internal/genai/jsonscan"

// UsageKnown says which numbers of a Usage were reported.
type UsageKnown uint8

// The numbers of a Usage.
const (
	KnownInput UsageKnown = 1 << iota
	KnownOutput
	KnownTotal
	KnownCacheRead
	KnownCacheWrite
	KnownReasoning
	KnownCost
)

// Usage is what one span reports as spent. A number whose Known bit is not set
// was not reported (and is 0).
type Usage struct {
	// Input includes cached tokens, Output includes reasoning tokens: the
	// three numbers after Total are parts of them and never to be added.
	Input, Output, Total             int64
	CacheRead, CacheWrite, Reasoning int64
	// Cost is in the emitter's currency, as a rule USD.
	Cost float64
	// Priced says that the cost comes from Options.Price, not from the span.
	Priced bool
	Known  UsageKnown
}

// Has reports whether all of the given numbers were reported.
func (u Usage) Has(k UsageKnown) bool { return u.Known&k == k }

// A usageField says where a number goes.
type usageField struct {
	field field
	known UsageKnown
}

var usageFields = []usageField{
	{fieldInputTokens, KnownInput}, {fieldOutputTokens, KnownOutput}, {fieldTotalTokens, KnownTotal},
	{fieldCacheRead, KnownCacheRead}, {fieldCacheWrite, KnownCacheWrite}, {fieldReasoning, KnownReasoning},
}

// aggregateFields are totals that only containers carry; they come first there.
var aggregateFields = []usageField{
	{fieldAggregateInput, KnownInput}, {fieldAggregateOutput, KnownOutput},
	{fieldAggregateCacheRead, KnownCacheRead}, {fieldAggregateCacheWrite, KnownCacheWrite},
}

// usageNames maps the members of usage objects to numbers: Langfuse, MLflow,
// OpenAI, Anthropic, Gemini, Genkit, LangChain.
var usageNames = map[string]UsageKnown{
	"input": KnownInput, "input_tokens": KnownInput, "inputTokens": KnownInput, "prompt_tokens": KnownInput,
	"promptTokens": KnownInput, "promptTokenCount": KnownInput, "prompt_token_count": KnownInput,
	"output": KnownOutput, "output_tokens": KnownOutput, "outputTokens": KnownOutput, "completion_tokens": KnownOutput,
	"completionTokens": KnownOutput, "candidatesTokenCount": KnownOutput, "candidates_token_count": KnownOutput,
	"total": KnownTotal, "total_tokens": KnownTotal, "totalTokens": KnownTotal, "totalTokenCount": KnownTotal, "total_token_count": KnownTotal,
	"input_cached_tokens": KnownCacheRead, "cache_read_input_tokens": KnownCacheRead, "cachedContentTokens": KnownCacheRead,
	"cachedContentTokenCount": KnownCacheRead, "cache_read": KnownCacheRead, "cachedInputTokens": KnownCacheRead,
	"cache_creation_input_tokens": KnownCacheWrite, "input_cache_creation": KnownCacheWrite, "cache_creation": KnownCacheWrite,
	"output_reasoning_tokens": KnownReasoning, "reasoning_tokens": KnownReasoning, "thoughtsTokens": KnownReasoning,
	"thoughtsTokenCount": KnownReasoning, "reasoningTokens": KnownReasoning,
}

// set stores a count that was not there yet, unless it is beyond belief.
func (u *Usage) set(k UsageKnown, n float64) {
	if u.Has(k) || n > maxCount {
		return
	}
	u.Known |= k
	switch v := int64(n); k {
	case KnownInput:
		u.Input = v
	case KnownOutput:
		u.Output = v
	case KnownTotal:
		u.Total = v
	case KnownCacheRead:
		u.CacheRead = v
	case KnownCacheWrite:
		u.CacheWrite = v
	case KnownReasoning:
		u.Reasoning = v
	}
}

// usage reads each number from the first key that has it.
func (x *reading) usage() {
	if x.mark.flags&flagNoUsage != 0 {
		return
	}
	if x.mark.kind != Model && x.mark.kind != Embedding {
		x.numbers(aggregateFields)
	}
	x.numbers(usageFields)
	if !x.f.Usage.Has(KnownInput) && !x.f.Usage.Has(KnownOutput) {
		x.usageFrom(x.scan.text(fieldUsageJSON))
	}
	x.cost()
	x.includeCache()
}

func (x *reading) numbers(fields []usageField) {
	for _, u := range fields {
		if x.has(u.field) {
			if n, ok := number(x.slots[u.field].value); ok {
				x.f.Usage.set(u.known, n)
			}
		}
	}
}

// usageFrom reads a usage object, one that is not too long.
func (x *reading) usageFrom(object string) {
	if len(object) > maxUsageJSON || x.mark.flags&flagNoUsage != 0 {
		return
	}
	for c := jsonscan.Members(object); c.Next(); {
		if k, ok := usageNames[c.Key()]; ok {
			if n, ok := parseNumber(c.Value()); ok {
				x.f.Usage.set(k, n)
			}
		}
	}
}

// maxUsageJSON bounds a usage or cost object, in bytes.
const maxUsageJSON = 4096

// cost reads what the span says it cost.
func (x *reading) cost() {
	if x.has(fieldCost) {
		if n, ok := number(x.slots[fieldCost].value); ok {
			x.f.Usage.setCost(n)
			return
		}
	}
	if object := x.scan.text(fieldCostJSON); object != "" && len(object) <= maxUsageJSON {
		if n, ok := parseNumber(firstText(jsonscan.Get(object, "total"), jsonscan.Get(object, "total_cost"))); ok {
			x.f.Usage.setCost(n)
			return
		}
	}
	in, okIn := x.costPart(fieldInputCost)
	out, okOut := x.costPart(fieldOutputCost)
	if okIn || okOut {
		x.f.Usage.setCost(in + out)
	}
}

func (x *reading) costPart(f field) (float64, bool) {
	if !x.has(f) {
		return 0, false
	}
	n, ok := number(x.slots[f].value)
	if !ok {
		return 0, false
	}
	return n, true
}

// setCost stores a cost, unless it is beyond belief.
func (u *Usage) setCost(n float64) {
	if !(n >= 0 && n <= maxCost) {
		return
	}
	u.Cost = n
	u.Known |= KnownCost
}

// includeCache makes Input include the cached tokens where the emitter left
// them out: it always does, or the numbers cannot be otherwise.
func (x *reading) includeCache() {
	u := &x.f.Usage
	if cached := u.CacheRead + u.CacheWrite; u.Has(KnownInput) && (cached > u.Input || cacheExclusive.has(x.mark.dialect)) {
		u.Input = min(u.Input+cached, maxCount)
	}
}
