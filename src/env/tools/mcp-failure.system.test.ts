import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Task } from "../../trajectory/index.ts";
import { callAction } from "./action.ts";
import { mcpSessions } from "./mcp-session.ts";
import { stdioTransport } from "./mcp-transport.ts";
import type { Scenario } from "./scenario.ts";
import { createTools, scenarioTask } from "./tools-env.ts";

/** A server of somebody else: notes, and tools that go wrong in every way. */
function notesServer(): McpServer {
  const server = new McpServer({ name: "notes", version: "1" });
  const notes: string[] = [];
  const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
  const input = { text: z.string().min(2) };
  server.registerTool("read_notes", { description: "Reads.", annotations: { readOnlyHint: true } }, () =>
    text(notes.join(", ")),
  );
  server.registerTool("add_note", { description: "Adds.", inputSchema: input }, (note) => {
    notes.push(note.text);
    return text(`${notes.length} notes`);
  });
  server.registerTool("hang", {}, () => new Promise<never>(() => undefined));
  server.registerTool("crash", {}, async () => {
    await server.close();
    return text("never sent");
  });
  server.registerTool("image", {}, () => ({ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }));
  server.registerTool("structured", { outputSchema: { value: z.number() } }, () => ({
    content: [],
    structuredContent: { value: 7 },
  }));
  server.registerTool("long", {}, () => text("\u001b[2J" + "x".repeat(200_000)));
  return server;
}

/** Joins the client to a fresh server; `spoil` may rewrite what the server sends. */
function connect(spoil: (message: unknown) => unknown = (message) => message) {
  return async () => {
    const [client, wire] = InMemoryTransport.createLinkedPair();
    const send = wire.send.bind(wire);
    wire.send = async (message, options) => send(spoil(message) as typeof message, options);
    await notesServer().connect(wire);
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
const TASK: Task = scenarioTask(SCENARIO, { id: "notes/1", split: "mine", env: "notes" });

function notesEnv(options: Partial<Parameters<typeof mcpSessions>[0]> = {}) {
  return createTools({
    id: "notes",
    policy: "Take notes.",
    tasks: { mine: [TASK] },
    session: mcpSessions({ connect: connect(), ...options }),
  });
}

describe("a lost server ends the episode as failed and unscored", () => {
  const lose = async (env: ReturnType<typeof notesEnv>, action: string) => {
    const episode = await env.open(TASK);
    const result = await episode.step(action);
    expect(result).toMatchObject({ ending: "failed", success: null, reward: { kind: "unscored" } });
    expect(episode.reward.kind).toBe("unscored");
    await expect(episode.step("x")).rejects.toMatchObject({ code: "episode-ended" });
    await episode.close();
    return episode.failure?.code;
  };
  test("it hangs", async () =>
    expect(await lose(notesEnv({ timeoutMs: 60 }), callAction("hang", {}))).toMatch(/timeout|server-lost/));
  test("it dies", async () => expect(await lose(notesEnv(), callAction("crash", {}))).toBe("server-lost"));
  test("it answers nonsense", async () => {
    const spoil = (message: unknown) => {
      const answer = message as { result?: { content?: unknown } };
      return answer.result?.content === undefined ? message : { ...answer, result: { content: "nonsense" } };
    };
    expect(await lose(notesEnv({ connect: connect(spoil) }), callAction("read_notes", {}))).toBe("server-lost");
  });
  test("it cannot be started, or never says hello: opening says so", async () => {
    const missing = notesEnv({ connect: stdioTransport({ command: "no-such-program-here" }) });
    await expect(missing.open(TASK)).rejects.toMatchObject({ code: "server-lost" });
    const silent = notesEnv({ connect: async () => InMemoryTransport.createLinkedPair()[0], timeoutMs: 60 });
    await expect(silent.open(TASK)).rejects.toThrow(/could not be reached/);
    const never = notesEnv({ connect: () => new Promise(() => undefined), timeoutMs: 60 });
    await expect(never.open(TASK)).rejects.toMatchObject({ code: "timeout" });
  });
  test("a real child process that dies in the middle", async () => {
    const program = "process.stdin.once('data', () => process.exit(3))";
    const env = notesEnv({ connect: stdioTransport({ command: process.execPath, args: ["-e", program] }) });
    await expect(env.open(TASK)).rejects.toMatchObject({ code: "server-lost" });
  });
  test("a cancelled call rejects, and the episode cannot pretend that it knows the state", async () => {
    const episode = await notesEnv().open(TASK);
    const stop = new AbortController();
    const step = episode.step(callAction("hang", {}), { signal: stop.signal });
    stop.abort();
    await expect(step).rejects.toMatchObject({ code: "cancelled" });
    expect((await episode.step(callAction("read_notes", {}))).ending).toBe("failed");
    await episode.close();
  });
});
