/**
 * Tool calls over the Model Context Protocol: any server can stand in for the shop's tools.
 *
 * Read and write come from the tools' annotations (`readOnlyHint`, `destructiveHint`; a tool that says nothing counts as
 * an irreversible write, as the protocol has it). A tool whose `_meta` says `limbeck/ends` ends the conversation.
 * A server that is silent past the time limit, dies or breaks the protocol is a lost world, never a reward of 0.
 */
import { EngineError, isAbort, throwIfAborted } from "limbeck-base/base/errors";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { canonicalJson, digest } from "./canonical.ts";
import { Database } from "./database.ts";
import { connectClient, type McpConnection } from "./mcp-connection.ts";
import type { McpOptions } from "./mcp-options.ts";
import type { ReferenceCall } from "./scenario.ts";
import type { SessionSource, ToolReply, ToolSession } from "./session.ts";
import { applyCalls, callTool } from "./toolbox.ts";

interface LoggedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly reply: ToolReply;
}

/**
 * Tools that come from an MCP server, one connection an episode.
 *
 * @example
 * import { createTools, stdioTransport } from "limbeck/env";
 *
 * const connect = stdioTransport({ command: "my-server", args: ["--shop", "{seed}"] });
 * console.log(createTools({ session: mcpSessions({ connect, replayable: true }) }).id); // tools
 */
export function mcpSessions(options: McpOptions): SessionSource {
  const open: SessionSource = async (task, database, { signal }) => {
    throwIfAborted(signal);
    const connection = await connectClient(options, task, signal);
    return createSession({ options, task, database, connection, open: () => open(task, database, {}) });
  };
  return open;
}

interface SessionParts {
  readonly options: McpOptions;
  readonly task: Task;
  readonly database: Database | undefined;
  readonly connection: McpConnection;
  readonly open: () => Promise<ToolSession>;
}

function createSession(parts: SessionParts): ToolSession {
  const { connection, task } = parts;
  const log: LoggedCall[] = [];
  const isWrite = (name: string): boolean =>
    connection.definitions.some((tool) => tool.name === name && tool.effect === "write");
  let mirror = parts.database;
  let cancelled = false;
  return {
    definitions: connection.definitions,
    get database() {
      return mirror;
    },
    get stateHash() {
      return mirror?.hash ?? digest(canonicalJson(writesOf(log, isWrite, connection)));
    },
    call: async (name, args, options = {}) => {
      if (cancelled) throw lostAfterCancel(task);
      try {
        const reply = await connection.call(name, args, options.signal);
        log.push({ name, arguments: args, reply });
        if (reply.ok) mirror = mirrored(mirror, name, args);
        return reply;
      } catch (error) {
        cancelled ||= isAbort(error);
        throw error;
      }
    },
    matches: async (reference) => {
      if (connection.stateHash !== undefined && parts.database !== undefined) {
        return (await connection.stateHash()) === applyCalls(new Database(parts.database.base), reference).hash;
      }
      return sameCalls(writesOf(log, isWrite, connection), referenceWrites(reference, connection));
    },
    fork: () => replay(parts, log),
    close: () => connection.close(),
  };
}

/** The policy check needs the shop; it is followed here because no protocol shows a server's insides. */
function mirrored(database: Database | undefined, name: string, args: JsonObject): Database | undefined {
  if (database === undefined) return undefined;
  const result = callTool(database, name, args);
  return result.ok ? result.database : database;
}

async function replay({ options, task, open }: SessionParts, log: readonly LoggedCall[]): Promise<ToolSession> {
  if (options.replayable !== true) {
    throw new EngineError(
      "cannot-fork",
      `Task "${task.id}" runs on an MCP server, which cannot copy its state. If the same calls on a new connection are harmless and give the same answers, set replayable: true.`,
      { details: { task: task.id } },
    );
  }
  // The log grows while the original goes on; the fork is taken now.
  const calls = [...log];
  const session = await open();
  for (const [index, call] of calls.entries()) {
    const reply = await session.call(call.name, call.arguments);
    if (reply.ok === call.reply.ok && reply.text === call.reply.text) continue;
    await session.close();
    throw new EngineError(
      "fork-diverged",
      `Call ${index + 1} of ${calls.length} ("${call.name}") of task "${task.id}" answered otherwise when repeated, so the server is not replayable. Set replayable: false.`,
      { details: { task: task.id, call: index } },
    );
  }
  return session;
}

/** What a call changes, as a word: the free text of a hand-over is no difference in the outcome. */
function callWord(name: string, args: JsonObject, connection: McpConnection): string {
  const ends = connection.definitions.some((tool) => tool.name === name && tool.ends);
  return ends ? name : `${name} ${canonicalJson(args)}`;
}

function writesOf(
  log: readonly LoggedCall[],
  isWrite: (name: string) => boolean,
  connection: McpConnection,
): readonly string[] {
  return log
    .filter((call) => call.reply.ok && isWrite(call.name))
    .map((call) => callWord(call.name, call.arguments, connection));
}

function referenceWrites(reference: readonly ReferenceCall[], connection: McpConnection): readonly string[] {
  return reference.map((call) => callWord(call.name, call.arguments, connection));
}

function sameCalls(left: readonly string[], right: readonly string[]): boolean {
  return canonicalJson([...left].sort()) === canonicalJson([...right].sort());
}

function lostAfterCancel(task: Task): EngineError {
  return new EngineError(
    "server-lost",
    `A call of task "${task.id}" was cancelled, so what the server did is unknown. Open the task again.`,
    { details: { task: task.id } },
  );
}
