// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The files in testdata are spans of real SDKs, driven by a scripted model.

func TestAISDK7(t *testing.T) {
	on := assertFacts(t, "aisdk7.on",
		"ai_sdk model model=gpt-4o response finish=tool-calls usage=in:389,out:21,read:0 text=0 call=search+id+args user messages",
		"ai_sdk tool search id args outcome",
		"ai_sdk container step 1",
		"ai_sdk model model=gpt-4o response finish=stop usage=in:720,out:18,read:0 text=14 answer=+id+outcome messages",
		"ai_sdk agent main-agent model=gpt-4o args outcome finish=stop usage=in:2283,out:74,read:0 text=14 call=search+id+args call=read_file+id+args call=get_job_status+id+args user messages",
	)
	assert.Equal(t, on[0].Calls[0].ID, on[1].CallID, "message and span speak of one call")
	assert.Equal(t, on[0].Calls[0].Args, on[1].Args, "and of the same arguments")

	off := assertFacts(t, "aisdk7.off",
		"ai_sdk model model=gpt-4o response finish=tool-calls usage=in:389,out:21,read:0",
		"ai_sdk tool search id",
		"ai_sdk container step 1",
		"ai_sdk agent main-agent model=gpt-4o finish=stop usage=in:2283,out:74,read:0",
	)
	assert.False(t, off[1].HasContent)

	failed := assertFacts(t, "aisdk7.error",
		"ai_sdk tool flaky id args outcome failed",
		"ai_sdk model model=gpt-4o response finish=tool-calls usage=in:464,out:10,read:0 text=0 call=flaky+id+args answer=+id+outcome messages",
	)
	assert.True(t, failed[0].Outcome.Failed)
	assertFacts(t, "aisdk7.truncated",
		"ai_sdk model model=gpt-4o response finish=tool-calls usage=in:389,out:21,read:0 messages",
		"ai_sdk tool search id args",
	)
}

func TestAISDK5(t *testing.T) {
	on := assertFacts(t, "aisdk5.on",
		"ai_sdk model model=gpt-4o conversation response finish=tool-calls usage=in:404,out:21 text=0 call=search+id+args user messages",
		"ai_sdk tool search id args outcome conversation",
		"ai_sdk model model=gpt-4o conversation response finish=tool-calls usage=in:549,out:21 text=0 call=read_file+id+args answer=search+id+outcome messages",
		"ai_sdk model model=gpt-4o conversation response finish=stop usage=in:735,out:18 text=14 answer=get_job_status+id+outcome messages",
		"ai_sdk agent main-agent model=gpt-4o args outcome conversation finish=stop usage=in:735,out:18 text=14 user messages",
	)
	assert.Equal(t, on[1].CallID, on[2].Results[0].ID)
	assert.Equal(t, on[1].Outcome, on[2].Results[0].Outcome, "the next input holds the tool's result")
	assertFacts(t, "aisdk5.off",
		"ai_sdk model model=gpt-4o conversation response finish=tool-calls usage=in:404,out:21",
		"ai_sdk tool search id conversation",
		"ai_sdk agent main-agent model=gpt-4o conversation finish=stop usage=in:735,out:18",
	)
	assertFacts(t, "aisdk5.error", "ai_sdk tool flaky id args outcome failed conversation")
}

func TestStrands(t *testing.T) {
	on := assertFacts(t, "strands.on",
		"strands model model=gpt-4o finish=tool-calls usage=in:351,out:21,total:372 text=0 call=search+id+args user messages",
		"strands tool search id args outcome",
		"strands container execute_agent_loop_cycle",
		"strands model model=gpt-4o finish=tool-calls usage=in:496,out:21,total:517 text=0 call=read_file+id+args answer=+id+outcome messages",
		"strands model model=gpt-4o finish=stop usage=in:681,out:18,total:699 text=14 answer=+id+outcome messages",
		"strands agent main-agent model=gpt-4o args outcome conversation finish=stop usage=in:2129,out:74,total:2203 text=14 user messages",
	)
	assert.Equal(t, on[0].Calls[0].Args, on[1].Args)
	assert.Equal(t, on[1].Outcome, on[3].Results[0].Outcome, "the event and the history wrap the result differently")
	failed := assertFacts(t, "strands.error",
		"strands tool flaky id args outcome failed",
		"strands model model=gpt-4o finish=tool-calls usage=in:424,out:10,total:434 text=0 call=flaky+id+args answer=+id+outcome messages",
	)
	assert.True(t, failed[1].Results[0].Outcome.Failed, "the history says so too")
	assertFacts(t, "strands.maxtokens",
		"strands model model=gpt-4o finish=length answer=+id+outcome messages",
		"strands container execute_agent_loop_cycle",
		"strands agent main-agent model=gpt-4o args outcome failed conversation finish=length usage=in:351,out:21,total:372 user messages",
	)
}

func TestOpenAIClientOfOTel(t *testing.T) {
	assertFacts(t, "openai_otel",
		"otel model model=gpt-4o response finish=tool-calls usage=in:332,out:21",
		"otel model model=gpt-4o response finish=stop usage=in:674,out:18",
		"not ours",
	)
}

func TestADK(t *testing.T) {
	on := assertFacts(t, "adk.on",
		"adk tool search id args outcome",
		"adk model model=gemini-2.5-flash conversation finish=stop usage=in:319,out:21 text=0 call=search+args user messages",
		"adk model model=gemini-2.5-flash conversation finish=stop usage=in:436,out:21 text=0 call=read_file+args answer=search+outcome messages",
		"adk model model=gemini-2.5-flash conversation finish=stop usage=in:578,out:18 text=14 answer=get_job_status+outcome messages",
		"adk agent main_agent conversation",
		"adk container invocation",
	)
	assert.Equal(t, on[1].Calls[0].Args, on[0].Args)
	assert.Equal(t, on[2].Results[0].Outcome, on[0].Outcome)
	assertFacts(t, "adk.error", "adk tool ?flaky")
}

func TestGenkit(t *testing.T) {
	on := assertFacts(t, "genkit.on",
		"genkit model model=googleai/gemini-2.5-flash finish=stop usage=in:289,out:21,total:310 text=0 call=search+args user messages",
		"genkit tool search args outcome",
		"genkit model model=googleai/gemini-2.5-flash finish=stop usage=in:413,out:21,total:434 text=0 call=read_file+args answer=search+outcome messages",
		"genkit model model=googleai/gemini-2.5-flash finish=stop usage=in:571,out:18,total:589 text=14 answer=get_job_status+outcome messages",
		"genkit container generate",
		"genkit container mainFlow",
	)
	assert.Equal(t, on[1].Outcome, on[2].Results[0].Outcome)
	assertFacts(t, "genkit.error", "genkit tool flaky args outcome failed")
}

func TestOpenInferenceLangGraph(t *testing.T) {
	on := assertFacts(t, "openinference_langgraph.on",
		"openinference model model=gpt-4o conversation finish=tool-calls usage=in:392,out:21,total:413 text=0 call=search+args user messages",
		"openinference container agent conversation",
		"openinference tool search id args outcome conversation",
		"openinference container tools conversation",
		"openinference model model=gpt-4o conversation finish=tool-calls usage=in:544,out:21,total:565 text=0 call=read_file+args answer=+outcome messages",
		"openinference container main conversation",
	)
	assert.Equal(t, on[2].Outcome, on[4].Results[0].Outcome, "out of the ToolMessage with the call id")
	assertFacts(t, "openinference_langgraph.off",
		"openinference model model=gpt-4o conversation finish=tool-calls usage=in:392,out:21,total:413",
		"openinference tool search conversation",
		"openinference container main conversation",
	)
	assertFacts(t, "openinference_langgraph.error", "openinference tool flaky args outcome failed conversation")
}

func TestOpenInferenceOpenAIAgents(t *testing.T) {
	on := assertFacts(t, "openinference_openai_agents.on",
		"openinference model model=gpt-4o finish=stop usage=in:337,out:21,total:358,read:0,reasoning:0 text=0 call=search+id+args user messages",
		"openinference tool search args outcome",
		"openinference container turn",
		"openinference model model=gpt-4o finish=stop usage=in:490,out:21,total:511,read:0,reasoning:0 text=0 call=read_file+id+args answer=+id+outcome messages",
		"openinference model model=gpt-4o finish=stop usage=in:693,out:18,total:711,read:0,reasoning:0 text=14 answer=+id+outcome messages",
		"openinference agent main-agent",
		"openinference container loop-test",
	)
	assert.Equal(t, on[0].Calls[0].Args, on[1].Args)
	assert.Equal(t, on[1].Outcome, on[3].Results[0].Outcome)
	assertFacts(t, "openinference_openai_agents.off", "openinference model", "openinference tool search")
	assertFacts(t, "openinference_openai_agents.redacted",
		"openinference model model=gpt-4o finish=stop usage=in:337,out:21,total:358,read:0,reasoning:0",
		"openinference tool search",
	)
	assertFacts(t, "openinference_openai_agents.error", "openinference tool flaky args outcome failed")
}

func TestTraceloopLangGraph(t *testing.T) {
	on := assertFacts(t, "traceloop_langgraph.on",
		"traceloop container workflow RunnableSequence",
		"traceloop model model=gpt-4o finish=tool-calls usage=in:392,out:21,total:413 text=0 user messages",
		"traceloop tool search id args outcome",
		"traceloop model model=gpt-4o finish=tool-calls usage=in:544,out:21,total:565 text=0 answer=+outcome messages",
		"traceloop model model=gpt-4o finish=stop usage=in:748,out:18,total:766 text=14 answer=+outcome messages",
		"traceloop container workflow CompiledStateGraph",
	)
	assert.Equal(t, digester(t).Args(`{"query":"otel collector queue full drops batch"}`), on[2].Args, "JSON in a JSON string in args")
	assert.Equal(t, on[2].Outcome, on[3].Results[0].Outcome)
	assertFacts(t, "traceloop_langgraph.off",
		"traceloop model model=gpt-4o finish=tool-calls usage=in:392,out:21,total:413",
		"traceloop tool ?DynamicStructuredTool",
		"traceloop container workflow CompiledStateGraph",
	)
	assertFacts(t, "traceloop_langgraph.error", "traceloop tool ?DynamicStructuredTool args outcome failed")
}
