/** The shop's tools as an MCP server, one shop a connection; the other half of `mcp-session.ts`. */
import { optionalPart } from "limbeck-base/base/optional-part";
import type { JsonObject } from "limbeck-base/base/json";
import type { Database } from "./database.ts";
import { ENDS_MARK, loadSdk, STATE_CAPABILITY, STATE_URI } from "./mcp-connection.ts";
import type { McpTransport } from "./mcp-options.ts";
import { shopSession } from "./session.ts";
import { TOOL_DEFINITIONS, unknownTool } from "./toolbox.ts";

/**
 * Serves until the transport closes. Gives back what stops it.
 *
 * @example
 * import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
 * import { Database } from "limbeck-worlds/tools/database";
 * import { generateShop } from "limbeck-worlds/tools/generate-database";
 *
 * const [, transport] = InMemoryTransport.createLinkedPair();
 * const stop = await serveShop(new Database(generateShop({ seed: 1, remainder: 0 })), transport);
 * console.log(typeof stop); // function
 * await stop();
 */
export async function serveShop(database: Database, transport: McpTransport): Promise<() => Promise<void>> {
  const { types } = await loadSdk();
  const { Server } = await optionalPart("mcp", () => import("@modelcontextprotocol/sdk/server/index.js"));
  const session = shopSession(database);
  const server = new Server(
    { name: "limbeck-shop", version: "1" },
    { capabilities: { tools: {}, resources: {}, experimental: { [STATE_CAPABILITY]: {} } } },
  );
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: TOOL_DEFINITIONS.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: { ...tool.parameters, type: "object" as const },
      annotations: { readOnlyHint: tool.effect === "read", destructiveHint: tool.irreversible },
      ...(tool.ends ? { _meta: { [ENDS_MARK]: true } } : {}),
    })),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
    const known = TOOL_DEFINITIONS.map((tool) => tool.name);
    const reply = known.includes(params.name)
      ? await session.call(params.name, (params.arguments ?? {}) as JsonObject)
      : { ok: false, text: unknownTool(params.name, known) };
    return { content: [{ type: "text" as const, text: reply.text }], isError: !reply.ok };
  });
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
    resources: [{ uri: STATE_URI, name: "state", mimeType: "text/plain" }],
  }));
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params }) => {
    if (params.uri === STATE_URI) return { contents: [{ uri: STATE_URI, text: session.stateHash }] };
    throw new types.McpError(types.ErrorCode.InvalidParams, `No resource "${params.uri}"; there is ${STATE_URI}.`);
  });
  await server.connect(transport);
  return () => server.close();
}
