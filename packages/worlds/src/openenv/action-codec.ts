/**
 * From an agent's text to the fields of an action, by the server's own schema.
 *
 * One field of text or number: the text is its value. Tools: the text is a call, `{"name", "arguments"}`. Anything else:
 * the text is a JSON object with the fields. What cannot be read is refused here; what a schema says beyond names and
 * simple types is the server's to check.
 */
import { isObject, parseObject, type Json, type JsonObject } from "limbeck-base/base/json";
import type { Socket } from "./socket.ts";

type Encoded = { readonly ok: true; readonly data: JsonObject } | { readonly ok: false; readonly why: string };

export interface ActionCodec {
  readonly kind: "field" | "tools" | "object";
  encode(text: string): Encoded;
  /** The definition an agent is given, where an action is a call. */
  readonly tools: readonly JsonObject[] | undefined;
  /** Every text the schema allows, where it lists them. */
  readonly choices?: readonly string[] | undefined;
}

interface Field {
  readonly name: string;
  readonly types: readonly string[];
  readonly choices: readonly string[] | undefined;
}

const MAX_CHARACTERS = 200_000;
/** No action needs more; a hundred thousand brackets would overflow the stack of a walk through them. */
const MAX_DEPTH = 20;
/** The base class of every action has it. */
const IGNORED = "metadata";

/** `field` names the field the text goes to. Default: the only one there is. */
export function actionCodec(schema: JsonObject, field?: string): ActionCodec {
  const fields = fieldsOf(schema);
  if (field === undefined && fields.some(({ name }) => name === "tool_name")) return toolCodec();
  const [only, ...more] = fields.filter(({ name }) => name === field || field === undefined);
  const simple =
    only !== undefined && more.length === 0 && only.types.length > 0 && only.types.every((type) => SIMPLE.has(type));
  return simple && only !== undefined ? fieldCodec(only) : objectCodec(schema, fields);
}

const SIMPLE: ReadonlySet<string> = new Set(["string", "integer", "number", "null"]);

function fieldCodec({ name, types, choices }: Field): ActionCodec {
  const takesText = types.includes("string");
  return {
    kind: "field",
    tools: undefined,
    choices,
    encode: (text) => {
      if (takesText) return { ok: true, data: { [name]: text } };
      const value = /^\s*[+-]?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
      const fits =
        value !== undefined && Number.isFinite(value) && (types.includes("number") || Number.isInteger(value));
      return fits ? { ok: true, data: { [name]: value } } : { ok: false, why: `An action here is a number (${name}).` };
    },
  };
}

function objectCodec(schema: JsonObject, fields: readonly Field[]): ActionCodec {
  const form = `Write a JSON object with ${fields.map(({ name, types }) => `"${name}" (${types.join(" or ") || "any"})`).join(", ")}.`;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const described = typeof schema["description"] === "string" ? schema["description"] : "One action of this world.";
  return {
    kind: "object",
    tools: [{ type: "function", function: { name: "act", description: described, parameters: schema } }],
    encode: (text) => {
      const read = readObject(text);
      if (read === undefined) return { ok: false, why: `This is not an action. ${form}` };
      const data = read["name"] === "act" && isObject(read["arguments"]) ? read["arguments"] : read;
      const missing = required.find((name) => typeof name === "string" && !Object.hasOwn(data, name));
      if (missing !== undefined) return { ok: false, why: `"${String(missing)}" is missing. ${form}` };
      const strange = Object.keys(data).find((name) => name !== IGNORED && !fields.some((one) => one.name === name));
      if (strange !== undefined) return { ok: false, why: `There is no field "${strange.slice(0, 80)}". ${form}` };
      return { ok: true, data };
    },
  };
}

function toolCodec(): ActionCodec {
  const form = 'Write {"name": "…", "arguments": {…}}.';
  return {
    kind: "tools",
    tools: undefined,
    encode: (text) => {
      const read = readObject(text);
      const { name, arguments: given = {} } = read ?? {};
      if (typeof name !== "string" || name === "" || !isObject(given)) {
        return { ok: false, why: `This is not a call. ${form}` };
      }
      return { ok: true, data: { type: "call_tool", tool_name: name, arguments: given } };
    },
  };
}

function fieldsOf(schema: JsonObject): Field[] {
  const properties = schema["properties"];
  if (!isObject(properties)) return [];
  return Object.entries(properties)
    .filter(([name]) => name !== IGNORED)
    .map(([name, given]) => {
      const described = dereferenced(given, schema);
      return { name, types: typesOf(described, schema), choices: choicesOf(described) };
    });
}

/** A reference into the schema's own definitions, followed once: a second one could lead back here. */
function dereferenced(described: Json, schema: JsonObject): Json {
  const reference = isObject(described) ? described["$ref"] : undefined;
  const definitions = schema["$defs"];
  if (typeof reference !== "string" || !isObject(definitions)) return described;
  const name = reference.replace(/^#\/\$defs\//, "");
  return Object.hasOwn(definitions, name) ? (definitions[name] ?? null) : described;
}

/** The types of a field, through alternatives; an enumeration has the types of its values. */
function typesOf(described: Json, schema: JsonObject): string[] {
  if (!isObject(described)) return [];
  const { type, anyOf, enum: values } = described;
  if (typeof type === "string") return [type];
  if (Array.isArray(anyOf)) return anyOf.flatMap((one: Json) => typesOf(dereferenced(one, schema), {}));
  return Array.isArray(values) ? values.map((value: Json) => (value === null ? "null" : typeof value)) : [];
}

function choicesOf(described: Json): readonly string[] | undefined {
  const values = isObject(described) ? described["enum"] : undefined;
  if (!Array.isArray(values)) return undefined;
  const texts = values.filter((value: Json): value is string => typeof value === "string");
  return texts.length === values.length ? [...new Set(texts)] : undefined;
}

function readObject(text: string): JsonObject | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const bare = text.trim().replace(/^```(?:json)?\s*([\s\S]*?)\s*```$/, "$1");
  return bare.startsWith("{") && !deep(bare) ? parseObject(bare) : undefined;
}

/** Counts brackets before anything walks them; those inside texts count too, which only errs on the safe side. */
function deep(text: string): boolean {
  let depth = 0;
  for (const letter of text) {
    if (letter === "{" || letter === "[") depth += 1;
    else if (letter === "}" || letter === "]") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

// Whether an action can be taken back, asked over the socket of its episode.

/** False must be sure: of a server that does not answer the worst is believed. What cannot be sent does nothing. */
export async function isIrreversible(codec: ActionCodec, socket: Socket | undefined, action: string): Promise<boolean> {
  const encoded = codec.encode(action);
  if (!encoded.ok) return false;
  // No answer counts as yes.
  const answer = await socket?.ask({ type: "irreversible", data: encoded.data }).catch(() => undefined);
  return answer?.type === "irreversible" ? answer.data.irreversible : true;
}

/** An action that a schema allows: the first value of an enumeration, or the plainest of a type. */
export function plainAction(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isObject(properties)) return {};
  // Servers whose actions are tool calls also take this one, whatever their tools are.
  if (Object.hasOwn(properties, "tool_name")) return { type: "list_tools" };
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return Object.fromEntries(names.map((name) => [name, plainValue(properties[name] ?? {}, schema)]));
}

function plainValue(described: Json, schema: JsonObject): Json {
  if (!isObject(described)) return "";
  const { type, enum: values, const: constant, default: given, minimum, anyOf, $ref: reference } = described;
  if (constant !== undefined) return constant;
  if (given !== undefined) return given;
  if (Array.isArray(values)) return (values as readonly Json[])[0] ?? null;
  if (Array.isArray(anyOf)) return plainValue((anyOf as readonly Json[])[0] ?? {}, schema);
  const definitions = schema["$defs"];
  if (typeof reference === "string" && isObject(definitions)) {
    return plainValue(definitions[reference.slice(reference.lastIndexOf("/") + 1)] ?? {}, {});
  }
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum : 0;
  if (type === "boolean") return false;
  if (type === "array") return [];
  return type === "object" ? {} : "hello";
}
