// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package genai

// mcp are the MCP conventions and the MCP SDKs' own spans. They are views of a
// call: one call shows as framework, client and server span.
var mcp = vocabulary{
	dialect: MCP,
	scopes:  []string{"mcp-python-sdk", "mcp.server", "mcp.client", "fastmcp", "Experimental.ModelContextProtocol", "ModelContextProtocol"},
	fields: []fieldRow{
		{fieldEvidence, 0, "mcp.session.id"},
		{fieldEvidence, 0, "fastmcp.component.key"},
	},
	kinds: []kindRow{
		{"mcp.method.name", "tools/call", Tool, rankTransport, flagMCP},
		{"mcp.method.name", "*", Ignored, rankTransport, 0},
		{"rpc.method", "tools/call", Tool, rankTransport, flagMCP},
	},
	names: []nameRow{
		{prefix: "tools/call ", kind: Tool, rank: rankName, flags: flagTransport},
		{exact: "tools/call", kind: Tool, rank: rankName, flags: flagTransport, need: MCP},
		{prefix: "MCP send tools/call ", kind: Tool, rank: rankName, flags: flagTransport},
		{prefix: "MCP request: tools/call", kind: Tool, rank: rankName, flags: flagTransport},
		{prefix: "MCP server handle request: tools/call", kind: Tool, rank: rankName, flags: flagTransport},
		{exact: "mcp.client.session", kind: Container, rank: rankName},
		{exact: "mcp.server", kind: Container, rank: rankName},
		{prefix: "delegate ", kind: Tool, rank: rankName, flags: flagTransport, need: MCP},
	},
}
