/** A world over an MCP server of somebody else: notes, and tools that go wrong in every way. */
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { mcpSessions } from "../../packages/worlds/src/tools/mcp-session.ts";
import type { Scenario } from "../../packages/worlds/src/tools/scenario.ts";
import { createTools, scenarioTask } from "../../packages/worlds/src/tools/tools-env.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { createNotesServer } from "./notes-server.ts";

export function createFaultyServer(): McpServer {
  const server = createNotesServer();
  server.registerTool("hang", {}, () => new Promise<never>(() => undefined));
  server.registerTool("image", {}, () => ({ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }));
  server.registerTool("structured", { outputSchema: { value: z.number() } }, () => ({
    content: [],
    structuredContent: { value: 7 },
  }));
  server.registerTool("long", {}, () => ({ content: [{ type: "text", text: "\u001b[2J" + "x".repeat(200_000) }] }));
  return server;
}

/** Joins the client to a fresh server; `spoil` may rewrite what the server sends. */
export function connect(spoil: (message: unknown) => unknown = (message) => message) {
  return async () => {
    const [client, wire] = InMemoryTransport.createLinkedPair();
    const send = wire.send.bind(wire);
    wire.send = async (message, options) => send(spoil(message) as typeof message, options);
    await createFaultyServer().connect(wire);
    return client;
  };
}

const SCENARIO: Scenario = {
  family: "notes",
  shop: null,
  identity: "I am Ada.",
  requests: [{ kind: "action", ask: "Note that I want milk.", details: [], mentions: [] }],
  reference: [{ name: "add_note", arguments: { text: "milk" } }],
  outputs: ["1"],
};
export const TASK: Task = scenarioTask(SCENARIO, { id: "notes/1", split: "mine", env: "notes" });

export function notesEnv(options: Partial<Parameters<typeof mcpSessions>[0]> = {}) {
  return createTools({
    id: "notes",
    policy: "Take notes.",
    tasks: { mine: [TASK] },
    session: mcpSessions({ connect: connect(), ...options }),
  });
}
