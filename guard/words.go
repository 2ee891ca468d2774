// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// Every word list of the package stands here, with its source. A name such as
// openclaw#93917 is an issue of a public repository. Keys are compared without
// regard to case and separators (messageId = message_id); a star at either end
// stands for any number of words (*request_id matches openai_request_id).
// Phrases are compared in lower case, without final punctuation.

// DefaultCommentaryKeys are arguments in which a model says why it calls. They
// are left out at the top of the arguments, unless nothing else is there.
// Source: oh-my-pi#10895 (303 calls that differ in "reason" alone); CodeTracer's
// Terminal-Bench runs, where 69 commands were repeated under two or more
// different descriptions; OpenHands, whose actions carry "thought" and whose
// detector is blind if it compares them.
var DefaultCommentaryKeys = []string{
	"description", "thought", "thoughts", "reasoning", "reason", "explanation", "rationale",
	"justification", "summary_for_user", "thinking",
}

// DefaultVolatileKeys are new at every call. They are left out of arguments
// and results at any depth; in arguments only where something else is left.
// Source: openclaw#93917 (request ids and times in arguments), openchrome#1091
// (ids in results), the idempotency keys of payment APIs and W3C Trace Context.
var DefaultVolatileKeys = []string{
	"*request_id", "*correlation_id", "*nonce", "*idempotency_key", "*idempotency_token",
	"trace_id", "span_id", "traceparent", "*timestamp", "ts",
}

// DefaultResultKeys are left out of results, at any depth, besides the
// volatile keys. Source: openclaw#34574, #34687, #41502 and #34770 (pid and
// duration), #89090 (message id); call ids as OpenAI and Anthropic name them.
var DefaultResultKeys = []string{
	"pid", "process_id", "*duration", "*duration_ms", "*duration_seconds", "duration_s",
	"elapsed", "*elapsed_ms", "*elapsed_seconds", "elapsed_s", "*elapsed_time", "took", "took_ms",
	"*latency", "*latency_ms", "execution_time", "execution_time_ms", "*time_ms", "wall_time", "*wall_time_seconds",
	"message_id", "call_id", "tool_call_id", "tool_use_id",
}

// protectedWords keep everything below a key that has one of them as a word,
// to the letter. Source: everruns#2295 (paging through new rows is no loop),
// openclaw#93917 (cursors). A checksum changes when its content does.
var protectedWords = []string{
	"page", "pages", "cursor", "offset", "limit", "line", "lines", "range", "ranges",
	"sha", "sha1", "sha256", "md5", "hash", "checksum", "digest", "etag", "commit",
}

// timeWords make a number under a key with one of them a point in time.
// Source: openclaw#93917 (since and until move with the clock), Cogtrix#474.
var timeWords = []string{
	"since", "until", "before", "after", "now", "time", "timestamp", "date", "at", "epoch", "start", "end", "ts",
}

// The words of keys that say which part of a resource is asked for: where it
// begins, where it ends, how much it is, the number of a page, or a pair of the
// first two. Source: the read tools of Claude Code (offset, limit), Gemini CLI,
// Cline and Codex (start_line, end_line), Anthropic's editor (view_range),
// stella#4034 and the paging of common web services.
var (
	edgeFromWords  = []string{"offset", "start", "from", "begin", "skip", "first", "line"}
	edgeToWords    = []string{"end", "to", "until", "stop", "last"}
	edgeCountWords = []string{"limit", "count", "length", "size", "take", "lines", "max", "num"}
	edgePageWords  = []string{"page"}
	edgePairWords  = []string{"range"}
)

// statusWords name keys whose value says how far work has come.
// Source: sdk#762, xal#45 and qwen-code#9450 (polls taken for loops).
var statusWords = []string{"status", "state", "phase", "stage", "progress"}

// DefaultAcknowledgements are results that carry no information, whatever
// their length. A star stands for any text. Source: stella#3328 and #5719
// (constant answers of notifying tools); Terminal-Bench 2 runs, in which 868
// of 1,419 shell results were one sentence; the answers of coding agents'
// own edit and to-do tools.
var DefaultAcknowledgements = []string{
	"ok", "okay", "done", "success", "successful", "succeeded", "true", "yes", "accepted", "acknowledged",
	"sent", "saved", "stored", "created", "updated", "deleted", "removed", "queued", "submitted",
	"completed", "complete", "finished", "null", "none", "no output", "(no output)",
	"command completed with no output", "tool ran without output or errors", "tool ran without output or errors*",
	"command executed successfully*", "command ran successfully*", "the command completed successfully*",
	"your command ran successfully and did not produce any output",
	"todos have been modified successfully*", "todo list updated*",
	"file created successfully at*", "file written successfully*", "successfully wrote*",
	"the file * has been updated*", "the file * has been edited successfully*",
	"message sent*", "operation completed successfully", "request accepted*",
}

// DefaultVagueErrors are errors that do not say what is wrong: that two of them
// are equal means little. A star stands for any text. Source: the messages of
// os/exec, subprocess and coding agents' shells for a command that has failed,
// and what instrumentations report of an error without a text.
var DefaultVagueErrors = []string{
	"error", "failed", "failure", "unknown error", "internal error", "_OTHER", "tool error", "tool execution failed",
	"exit status *", "exit code *", "exit code: *", "error: exit code *", "exited with code *",
	"process exited with code *", "command failed with exit code *", "command exited with code *",
	"command failed", "command returned non-zero exit status *",
}

// DefaultUnknownTool are phrases of errors about a tool that does not exist. A
// star stands for one word. Source: oh-my-pi#10876 (names cut short), OpenClaw's
// unknown-tool detector; the messages of LangGraph, the AI SDK, the OpenAI
// Agents SDK and of MCP servers.
var DefaultUnknownTool = []string{
	"unknown tool", "no such tool", "no tool named", "no tool called", "unavailable tool", "tool not found",
	"tool * not found", "tool * was not found", "tool * does not exist", "tool * is not available",
	"tool * is unknown", "not a valid tool", "not an available tool", "unknown function call",
}

// otherTools are words with which such an error goes on to list the tools that
// do exist.
var otherTools = []string{"available", "valid", "try", "use", "did", "please", "known", "existing", "choose"}

// DefaultInProgress are words and phrases for work that still goes on. A
// single word counts as the whole text or the value of a key such as "status";
// a phrase of several words counts anywhere in a short text.
// Source: openhands sdk#762 and xal#45 ("still running"), qwen-code#9450
// (task_list), the job states of Kubernetes, GitHub Actions and ACME (RFC 8555).
var DefaultInProgress = []string{
	"pending", "running", "in progress", "queued", "processing", "starting", "waiting",
	"building", "deploying", "provisioning", "creating", "initializing",
	"still running", "still processing", "still pending", "still in progress", "still waiting",
	"not ready yet", "not finished yet", "not yet complete", "not yet finished", "has not finished",
	"is being processed", "currently running", "try again later", "check back later",
}

// DefaultNoOpTools only take a note: calling them again is no loop.
// Source: tau-bench airline runs ("think" between refused bookings), Claude
// Code's TodoWrite, the planning tools of deepagents and Codex.
var DefaultNoOpTools = []string{
	"think", "thinking", "sequentialthinking", "sequential_thinking", "TodoWrite", "todo_write", "write_todos", "update_plan",
}

// durationWords stand before a time that was measured, not chosen. Source:
// the closing lines of pytest, go test, cargo, npm and gradle.
var durationWords = []string{"took", "elapsed", "duration", "in", "after", "time"}

// redactions are what SDKs and collectors write in place of content. Source:
// OpenInference ("__REDACTED__"), Google ADK ("<elided>"), the redaction
// processors of the OpenTelemetry Collector ("***"), Pydantic Logfire.
var redactions = []string{
	"__REDACTED__", "<elided>", "[REDACTED]", "<redacted>", "REDACTED", "[FILTERED]", "N/A", "<no content>",
}

// changeWords are words in the names of tools that make changes, so that
// looking again after a new call of theirs has a reason. Source: the editing
// tools of Claude Code, Codex, Gemini CLI, Cline and OpenHands (apply_patch,
// write_file, replace_in_file, insert), and of common MCP servers (create_issue,
// update_row, delete_branch).
var changeWords = []string{
	"edit", "write", "patch", "apply", "replace", "insert", "append", "set", "update", "create", "delete", "remove",
	"rename", "move", "put", "add", "save", "commit", "install", "render", "generate",
}
