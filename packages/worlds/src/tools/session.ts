/** Where tool calls are carried out: the shop in this process, or a server. One session belongs to one episode. */
import type { OpenOptions } from "limbeck-core/env/env";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { Database } from "./database.ts";
import type { ReferenceCall } from "./scenario.ts";
import type { ToolDefinition } from "./tool.ts";
import { applyCalls, callTool, TOOL_DEFINITIONS } from "./toolbox.ts";

export interface ToolReply {
  /** False: the call was refused and nothing has changed. */
  readonly ok: boolean;
  readonly text: string;
}

export interface ToolSession {
  readonly definitions: readonly ToolDefinition[];
  /** The shop as it stands, for the policy check; undefined when a server brings data of its own. */
  readonly database: Database | undefined;
  /** Equal for equal states, as far as is known. */
  readonly stateHash: string;
  /** Rejects only when the world is lost or the signal fires. */
  call(name: string, args: JsonObject, options?: OpenOptions): Promise<ToolReply>;
  /** Whether the state is the one the reference calls lead to. */
  matches(reference: readonly ReferenceCall[]): Promise<boolean>;
  fork(): Promise<ToolSession>;
  close(): Promise<void>;
}

/** Opens a session for a task; `database` is the shop of the task, where it has one. */
export type SessionSource = (
  task: Task,
  database: Database | undefined,
  options: { readonly signal?: AbortSignal },
) => Promise<ToolSession>;

export function shopSession(start: Database): ToolSession {
  let database = start;
  return {
    definitions: TOOL_DEFINITIONS,
    get database() {
      return database;
    },
    get stateHash() {
      return database.hash;
    },
    call: async (name, args) => {
      const result = callTool(database, name, args);
      if (!result.ok) return { ok: false, text: result.reason };
      database = result.database;
      return { ok: true, text: JSON.stringify(result.output) };
    },
    matches: async (reference) => applyCalls(new Database(start.base), reference).hash === database.hash,
    fork: async () => shopSession(database),
    close: async () => undefined,
  };
}
