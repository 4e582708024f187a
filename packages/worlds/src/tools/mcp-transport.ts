/** Two ways to reach a server: a child process of the user's choice, and our own shop inside this process. */
import { EngineError } from "limbeck-base/base/errors";
import { optionalPart } from "limbeck-base/base/optional-part";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { Database } from "./database.ts";
import { generateShop, USERS_PER_SHOP } from "./generate-database.ts";
import type { McpTransport } from "./mcp-options.ts";
import { serveShop } from "./mcp-server.ts";
import { scenarioOf } from "./scenario.ts";

export interface StdioServer {
  readonly command: string;
  /** `{seed}`, `{remainder}`, `{users}` and `{task}` become those of the task, so that a server can load its data. */
  readonly args?: readonly string[];
  /** Added to the few variables a child gets; the rest of this process's environment stays here. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts a child process per episode, without a shell.
 *
 * @example
 * import { createTools, mcpSessions } from "limbeck/env";
 *
 * const connect = stdioTransport({ command: "my-server", args: ["--shop", "{seed}"] });
 * console.log(createTools({ id: "my-tools", session: mcpSessions({ connect }) }).id); // my-tools
 */
export function stdioTransport(server: StdioServer): (task: Task) => Promise<McpTransport> {
  return async (task) => {
    const { shop } = scenarioOf(task);
    return await startedFor(server, {
      "{seed}": String(shop?.seed ?? ""),
      "{remainder}": String(shop?.remainder ?? ""),
      "{users}": String(shop?.users ?? USERS_PER_SHOP),
      "{task}": task.id,
    });
  };
}

/** The same for tasks of any kind. */
export function programTransport(server: StdioServer): (task: Task) => Promise<McpTransport> {
  return (task) => startedFor(server, { "{seed}": String(task.seed), "{task}": task.id });
}

async function startedFor(server: StdioServer, values: Readonly<Record<string, string>>): Promise<McpTransport> {
  const stdio = await optionalPart("mcp", () => import("@modelcontextprotocol/sdk/client/stdio.js"));
  return new stdio.StdioClientTransport({
    command: server.command,
    args: (server.args ?? []).map((text) => text.replaceAll(/\{\w+\}/g, (key) => values[key] ?? key)),
    env: { ...stdio.getDefaultEnvironment(), ...server.env },
    stderr: "ignore",
  });
}

/**
 * Our own server in this process; for tests of the protocol path.
 *
 * @example
 * import { createTools, mcpSessions } from "limbeck/env";
 *
 * const env = createTools({ session: mcpSessions({ connect: shopTransport }) });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step("Welcome.")).valid); // true
 *   await episode.close();
 * }
 */
export async function shopTransport(task: Task): Promise<McpTransport> {
  const { shop } = scenarioOf(task);
  if (shop === null) throw new EngineError("bad-task", `Task "${task.id}" names no shop to serve.`);
  const { InMemoryTransport } = await optionalPart("mcp", () => import("@modelcontextprotocol/sdk/inMemory.js"));
  const [client, server] = InMemoryTransport.createLinkedPair();
  await serveShop(new Database(generateShop(shop)), server);
  return client;
}
