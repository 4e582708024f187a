/** One connection to an MCP server: the official client, with a deadline on everything and no trust in the answers. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type * as Types from "@modelcontextprotocol/sdk/types.js";
import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { EngineError, errorCode, throwIfAborted } from "limbeck-base/base/errors";
import { optionalPart } from "limbeck-base/base/optional-part";
import { cleanText } from "../openenv/text.ts";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { McpOptions } from "./mcp-options.ts";
import type { ToolReply } from "./session.ts";
import type { ToolDefinition } from "./tool.ts";

export interface McpConnection {
  readonly definitions: readonly ToolDefinition[];
  call(name: string, args: JsonObject, signal: AbortSignal | undefined): Promise<ToolReply>;
  /** Where the server offers the hash of its state; ours does. */
  readonly stateHash: (() => Promise<string>) | undefined;
  close(): Promise<void>;
}

/** How our own server says that it tells its state, and where. */
export const STATE_CAPABILITY = "limbeck/state";
export const STATE_URI = "limbeck://state";
export const ENDS_MARK = "limbeck/ends";

const TIMEOUT_MS = 30_000;
const MAX_RESULT_CHARACTERS = 100_000;
const MAX_PAGES = 50;
/** JSON-RPC: the method or its parameters were refused. The server lives, the call was wrong. */
const REFUSALS: ReadonlySet<unknown> = new Set([-32_601, -32_602]);

interface Sdk {
  readonly Client: typeof Client;
  readonly types: typeof Types;
}

export async function loadSdk(): Promise<Sdk> {
  const [client, types] = await optionalPart("mcp", () =>
    Promise.all([import("@modelcontextprotocol/sdk/client/index.js"), import("@modelcontextprotocol/sdk/types.js")]),
  );
  return { Client: client.Client, types };
}

export async function connectClient(
  options: McpOptions,
  task: Task,
  signal: AbortSignal | undefined,
): Promise<McpConnection> {
  const { Client: SdkClient, types } = await loadSdk();
  const client = new SdkClient({ name: "limbeck", version: "1" });
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const request = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, ...(signal === undefined ? {} : { signal }) };
  try {
    const begin = async (): Promise<readonly ToolDefinition[]> => {
      await client.connect(await options.connect(task), request);
      return listTools(client, request);
    };
    const definitions = await withDeadline(begin(), timeoutMs, "connecting");
    return build(client, types, definitions, { ...options, timeoutMs });
  } catch (error) {
    await closeQuietly(client);
    throwIfAborted(signal);
    throw lost(`The MCP server for task "${task.id}" could not be reached`, error);
  }
}

function build(
  client: Client,
  types: Sdk["types"],
  definitions: readonly ToolDefinition[],
  options: McpOptions & { readonly timeoutMs: number },
): McpConnection {
  const { timeoutMs, maxResultCharacters = MAX_RESULT_CHARACTERS } = options;
  const limits = { timeout: timeoutMs, maxTotalTimeout: timeoutMs };
  const tellsState = client.getServerCapabilities()?.experimental?.[STATE_CAPABILITY] !== undefined;
  return {
    definitions,
    call: async (name, args, signal) => {
      try {
        const sent = client.request(
          { method: "tools/call", params: { name, arguments: { ...args } } },
          types.CallToolResultSchema,
          { ...limits, ...(signal === undefined ? {} : { signal }) },
        );
        const result = await withDeadline(sent, timeoutMs, `calling "${name}"`);
        return { ok: result.isError !== true, text: textOf(result, maxResultCharacters) };
      } catch (error) {
        throwIfAborted(signal);
        if (error instanceof types.McpError && REFUSALS.has(error.code)) {
          return { ok: false, text: cleanText(error.message, maxResultCharacters) };
        }
        throw lost(`The MCP server was lost while calling "${name}"`, error);
      }
    },
    stateHash: tellsState ? () => readState(client, limits) : undefined,
    close: () => closeQuietly(client),
  };
}

async function readState(client: Client, limits: { readonly timeout: number }): Promise<string> {
  try {
    const read = client.readResource({ uri: STATE_URI }, limits);
    const [content] = (await withDeadline(read, limits.timeout, "reading the state")).contents;
    if (content !== undefined && "text" in content) return content.text;
    throw new EngineError("bad-answer", `The resource ${STATE_URI} holds no text.`);
  } catch (error) {
    throw lost("The MCP server was lost while its final state was read", error);
  }
}

async function listTools(client: Client, request: { readonly timeout: number }): Promise<readonly ToolDefinition[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await client.listTools(cursor === undefined ? {} : { cursor }, request);
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) return tools.map(toDefinition);
  }
  throw new EngineError("bad-answer", `The server lists its tools on more than ${MAX_PAGES} pages.`);
}

function toDefinition(tool: Tool): ToolDefinition {
  const { readOnlyHint = false, destructiveHint = true } = tool.annotations ?? {};
  const { _meta: marks } = tool;
  return {
    name: tool.name,
    description: tool.description ?? "",
    effect: readOnlyHint ? "read" : "write",
    irreversible: !readOnlyHint && destructiveHint,
    ends: marks?.[ENDS_MARK] === true,
    // JSON from the wire; the SDK has checked that it is an object schema.
    parameters: tool.inputSchema as JsonObject,
  };
}

function textOf(result: CallToolResult, maxCharacters: number): string {
  const texts = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
  const structured = result.structuredContent;
  return cleanText(
    texts.length === 0 && structured !== undefined ? JSON.stringify(structured) : texts.join("\n"),
    maxCharacters,
  );
}

function lost(what: string, cause: unknown): EngineError {
  const why = cause instanceof Error ? cleanText(cause.message, 300) : "unknown reason";
  const code = errorCode(cause) === "timeout" ? "timeout" : "server-lost";
  return new EngineError(code, `${what}: ${why}`, { cause });
}

/** The SDK has its own time-outs; this one also covers transports that never start and servers that trickle. */
async function withDeadline<T>(work: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new EngineError("timeout", `No answer within ${timeoutMs} ms while ${what}; raise timeoutMs to wait longer.`),
      );
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
    // The loser of the race may still reject later; that is no news.
    work.catch(() => undefined);
  }
}

async function closeQuietly(client: Client): Promise<void> {
  try {
    await client.close();
  } catch {
    // A connection that cannot be closed is closed already.
  }
}

// How an episode reaches an MCP server. Names no type of the SDK, which is optional: its types would be missing too.
