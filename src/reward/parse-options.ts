/** Options of a reward or a screen: names, values and defaults, checked by its own schema. */
import { z } from "zod";
import { EngineError, unknownName } from "../base/index.ts";
import type { OptionSchema } from "./reward.ts";

export interface OptionLine {
  readonly name: string;
  readonly default: unknown;
  readonly allowed: string;
  readonly meaning: string;
}

/** Defaults filled in; a wrong name or value is an error that says which. */
export function parseOptions(
  schema: OptionSchema,
  given: Readonly<Record<string, unknown>>,
  of: string,
): Record<string, unknown> {
  const names = Object.keys(schema.shape);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownName(unknown, names, `option of ${of}`);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
  const message = `The options of ${of} cannot be used: ${wrong.join("; ")}. docs/rewards.md lists what they take.`;
  throw new EngineError("bad-options", message, { details: { of, wrong } });
}

/** Each option in words, for pages and help. */
export function optionLines(schema: OptionSchema): OptionLine[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input" });
  return Object.entries(properties).map(([name, property]) => {
    const own = property as Property;
    return { name, default: own.default ?? null, allowed: allowed(own), meaning: own.description ?? "" };
  });
}

interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Property[];
  readonly items?: Property;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly default?: unknown;
  readonly description?: string;
}

function allowed(property: Property): string {
  if (property.enum !== undefined) return property.enum.map(String).join(" or ");
  if (property.anyOf !== undefined) return property.anyOf.map(allowed).join(", or ");
  if (property.type === "null") return "none";
  if (property.type === "boolean") return "true or false";
  if (property.type === "array") return `a list of ${property.items?.type ?? "value"}s`;
  if (property.type !== "number" && property.type !== "integer") return `a ${property.type ?? "value"}`;
  const { minimum, exclusiveMinimum, maximum } = property;
  const bounds = [
    ...(minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? [] : [`at least ${minimum}`]),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...(maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? [] : [`at most ${maximum}`]),
  ].join(", ");
  return `${property.type === "integer" ? "a whole number" : "a number"}${bounds === "" ? "" : ` ${bounds}`}`;
}
