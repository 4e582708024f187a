/**
 * The contract of a tool: typed arguments, what it does to the database, and whether that can be taken back.
 *
 * A tool checks what a shop's software would check (the order exists, its status, stock, balance). It does not check
 * what a clerk is trusted with: who is asking, whether they agreed, how often. That is the policy's part, and the
 * reason why a careless agent can do harm here.
 */
import { z } from "zod";
import type { Json, JsonObject } from "limbeck-base/base/json";
import type { Database } from "./database.ts";

export type ToolResult =
  | { readonly ok: true; readonly output: Json; readonly database: Database }
  | { readonly ok: false; readonly reason: string };

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly effect: "read" | "write";
  /** No tool undoes it. */
  readonly irreversible: boolean;
  /** The conversation is over after it. */
  readonly ends: boolean;
  readonly parameters: z.ZodObject;
  /** Checks the arguments and carries the call out. Never throws on bad arguments. */
  call(database: Database, args: JsonObject): ToolResult;
}

/** What an agent needs to know to call a tool; the same for our tools and for those of a server. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly effect: "read" | "write";
  readonly irreversible: boolean;
  readonly ends: boolean;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

interface ToolParts<S extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly parameters: S;
  readonly run: (database: Database, args: z.infer<S>) => ToolResult;
}

export function readTool<S extends z.ZodObject>(parts: ToolParts<S>): Tool {
  return build(parts, { effect: "read", irreversible: false, ends: false });
}

export function writeTool<S extends z.ZodObject>(
  parts: ToolParts<S> & { readonly irreversible: boolean; readonly ends?: boolean },
): Tool {
  return build(parts, { effect: "write", irreversible: parts.irreversible, ends: parts.ends ?? false });
}

export function answer(database: Database, output: Json): ToolResult {
  return { ok: true, output, database };
}

export function refuse(reason: string): ToolResult {
  return { ok: false, reason };
}

export function definitionOf(tool: Tool): ToolDefinition {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(tool.parameters) as { [key: string]: Json };
  const { name, description, effect, irreversible, ends } = tool;
  return { name, description, effect, irreversible, ends, parameters };
}

/** The shape chat services take tools in. */
export function chatDefinition(tool: ToolDefinition): JsonObject {
  const { name, description, parameters } = tool;
  return { type: "function", function: { name, description, parameters } };
}

function build<S extends z.ZodObject>(
  parts: ToolParts<S>,
  marks: Pick<Tool, "effect" | "irreversible" | "ends">,
): Tool {
  const { name, description, parameters, run } = parts;
  return {
    name,
    description,
    parameters,
    ...marks,
    call: (database, args) => {
      const parsed = parameters.safeParse(args);
      if (parsed.success) return run(database, parsed.data);
      return refuse(`Wrong arguments for ${name}: ${problems(parsed.error)}. Expected: ${signature(parameters)}.`);
    },
  };
}

/** At most four problems, each with its place; the values themselves are not repeated, they may be huge. */
function problems(error: z.ZodError): string {
  const texts = error.issues.slice(0, 4).map((issue) => {
    const place = issue.path.map(String).join(".");
    const message = issue.message.slice(0, 200);
    return place === "" ? message : `${place}: ${message}`;
  });
  return texts.join("; ");
}

function signature(parameters: z.ZodObject): string {
  const names = Object.keys(parameters.shape);
  return names.length === 0 ? "no arguments" : names.join(", ");
}
