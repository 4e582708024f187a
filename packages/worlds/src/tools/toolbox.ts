/** All tools of the shop, by name, and how a call by name is carried out. */
import { EngineError } from "limbeck-base/base/errors";
import { nearestName } from "limbeck-base/base/registry";
import type { JsonObject } from "limbeck-base/base/json";
import type { Database } from "./database.ts";
import { READ_TOOLS } from "./read-tools.ts";
import { definitionOf, refuse, type Tool, type ToolDefinition, type ToolResult } from "./tool.ts";
import { WRITE_TOOLS } from "./write-tools.ts";

const TOOLS: ReadonlyMap<string, Tool> = new Map([...READ_TOOLS, ...WRITE_TOOLS].map((tool) => [tool.name, tool]));

export const TOOL_DEFINITIONS: readonly ToolDefinition[] = [...TOOLS.values()].map(definitionOf);

/** Carries out a call; an unknown name is a refusal that names the nearest tool. */
export function callTool(database: Database, name: string, args: JsonObject): ToolResult {
  const tool = TOOLS.get(name);
  return tool === undefined ? refuse(unknownTool(name, [...TOOLS.keys()])) : tool.call(database, args);
}

/** The database after these calls; a refusal among them means that a scenario does not fit its shop. */
export function applyCalls(
  database: Database,
  calls: readonly { readonly name: string; readonly arguments: JsonObject }[],
): Database {
  let state = database;
  for (const call of calls) {
    const result = callTool(state, call.name, call.arguments);
    if (!result.ok) {
      throw new EngineError(
        "bad-task",
        `The reference call "${call.name}" is refused by the shop: ${result.reason} Correct the scenario.`,
        { details: { call } },
      );
    }
    state = result.database;
  }
  return state;
}

/** The name is cut: it comes from a model and may be of any length. All tools are named: a model has no other list to look at. */
export function unknownTool(given: string, known: readonly string[]): string {
  const name = given.slice(0, 80);
  const near = nearestName(name, known);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return `No tool "${name}".${hint} Known: ${known.length === 0 ? "none" : [...known].sort().join(", ")}.`;
}
