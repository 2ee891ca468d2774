// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentloopguard/loopguardprocessor/guard"
)

// search is an agent that never changes its mind.
func search(i int) guard.Step {
	return guard.Step{
		FinishReason: "tool-calls",
		Calls: []guard.ToolCall{{
			Name: "search", Args: map[string]any{"query": "loops"}, Result: "nothing found",
		}},
	}
}

func Example() {
	g, err := guard.New(guard.Options{})
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		v := g.Check(search(i))
		if v.Stop {
			fmt.Println(guard.Explain(v))
			break
		}
	}
	// Output:
	// Stop [REPEATED_TOOL_CALL] Tool "search" was called 3 times in a row with the same arguments and the same outcome. Call: search({"query":"loops"}).
	// Hint: See whether the tool's answer tells the model what to do next, above all when it fails.
}

func ExampleRun() {
	result, err := guard.Run(context.Background(), guard.Loop{
		Step: func(_ context.Context, i int) (guard.Step, error) { return search(i), nil },
	})
	fmt.Println(len(result.Steps), result.Completed, result.Verdict.Code, err)
	// Output: 3 false REPEATED_TOOL_CALL <nil>
}

func ExampleGuard_Watch() {
	g, err := guard.New(guard.Options{MaxSteps: guard.MaxSteps{Limit: 2}})
	if err != nil {
		panic(err)
	}
	steps := func(yield func(guard.Step) bool) {
		for i := 0; yield(search(i)); i++ {
		}
	}
	for s, v := range g.Watch(steps) {
		fmt.Printf("%s %t %q\n", s.Calls[0].Name, v.Stop, v.Code)
	}
	// Output:
	// search false ""
	// search true "MAX_STEPS"
}

func ExampleDetector() {
	deletes := func(history []guard.Step, _ guard.Step) *guard.CustomStop {
		n := 0
		for _, s := range history {
			for _, c := range s.Calls {
				if c.Name == "delete_file" {
					n++
				}
			}
		}
		if n <= 5 {
			return nil
		}
		return &guard.CustomStop{
			Code: "TOO_MANY_DELETES", Detail: fmt.Sprintf("%d files deleted in one run.", n),
			Evidence: guard.Evidence{"deletes": n},
		}
	}
	g, err := guard.New(guard.Options{Custom: []guard.Detector{deletes}})
	if err != nil {
		panic(err)
	}
	for i := range 6 {
		v := g.Check(guard.Step{Calls: []guard.ToolCall{{Name: "delete_file", Args: i}}})
		fmt.Printf("%t %q\n", v.Stop, v.Detail)
	}
	// Output:
	// false ""
	// false ""
	// false ""
	// false ""
	// false ""
	// true "6 files deleted in one run."
}

func ExampleStopWhen() {
	stop, err := guard.StopWhen(guard.Options{}, func(v guard.Verdict) { fmt.Println(v.Code) })
	if err != nil {
		panic(err)
	}
	var steps []guard.Step
	for i := 0; !stop(steps); i++ {
		steps = append(steps, search(i))
	}
	fmt.Println(len(steps))
	// Output:
	// REPEATED_TOOL_CALL
	// 3
}

func ExampleToolLoop() {
	ask := guard.Message{Role: guard.AssistantRole, Calls: []guard.MessageCall{{ID: "1", Name: "search", Args: "loops"}}}
	answer := guard.Message{Role: guard.ToolRole, CallID: "1"}
	history := slices.Concat([]guard.Message{{Role: guard.UserRole}}, slices.Repeat([]guard.Message{ask, answer}, 3))

	loop := guard.ToolLoop{OnWarn: func(notice string) { fmt.Println(notice) }}
	loop.Judge(history)

	loop.Mode = guard.HaltMode
	fmt.Println(loop.Judge(history).Halt)
	// Output:
	// Tool "search" was called 3 times in a row with the same arguments.
	// true
}

func ExampleRetrospective() {
	g, err := guard.New(guard.Retrospective())
	if err != nil {
		panic(err)
	}
	check := func(args, result any) {
		g.Check(guard.Step{Calls: []guard.ToolCall{{Name: "read_file", Args: args, Result: result}}})
	}
	// Telemetry without results: the same call five times is weaker evidence.
	for range 5 {
		check("main.go", guard.Unknown)
	}
	check("other.go", guard.Unknown)
	g.End()
	for _, f := range g.Findings() {
		fmt.Println(f.Severity, f.Code, f.Grade, f.State, f.Step)
	}
	// Output: warn REPEATED_TOOL_CALL args_only recovered 4
}

func ExampleGuard_Snapshot() {
	g, err := guard.New(guard.Options{})
	if err != nil {
		panic(err)
	}
	g.Check(search(0))
	g.Check(search(1))
	saved, err := g.Snapshot()
	if err != nil {
		panic(err)
	}

	later := g.Fresh()
	if err := later.Restore(saved); err != nil {
		panic(err)
	}
	fmt.Println(later.Check(search(2)).Code)
	// Output: REPEATED_TOOL_CALL
}
