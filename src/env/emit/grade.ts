/** What a reply is worth, part by part: whether it can be read, whether it has the fields, and whether the values are right. */
import { isObject, parseJson, type Json, type JsonObject } from "../../base/index.ts";
import { emitWords, type FieldName, type Order } from "./order.ts";

export interface Grade {
  /** 1 where the reply is one JSON object and nothing else, but for a code fence around it. */
  readonly parse: number;
  /** Share of the asked fields that are there with their type; other fields count as missed ones. */
  readonly fields: number;
  /** Share of the asked fields with the right value. */
  readonly values: number;
}

/** Weights of the world's own reward; a plan of rewards may have others. */
const WEIGHTS = { parse: 0.2, fields: 0.2, values: 0.6 } as const satisfies Record<keyof Grade, number>;
/** Such a record needs no more. */
const MOST_LETTERS = 4_000;

export function gradeReply({ asked, gold }: Order, reply: string): Grade {
  const record = readReply(reply);
  if (record === undefined) return { parse: 0, fields: 0, values: 0 };
  const has = (field: FieldName): boolean => Object.hasOwn(record, field);
  const typed = asked.filter((field) => has(field) && isOfType(field, record[field] as Json));
  const right = asked.filter((field) => has(field) && isSame(record[field] as Json, gold[field] as Json));
  const idle = Object.keys(record).filter((name) => !asked.some((field) => field === name));
  return {
    parse: 1,
    fields: typed.length / (asked.length + idle.length),
    values: right.length / asked.length,
  };
}

export function worthOf({ parse, fields, values }: Grade): number {
  return WEIGHTS.parse * parse + WEIGHTS.fields * fields + WEIGHTS.values * values;
}

export function isWhole({ parse, fields, values }: Grade): boolean {
  return parse === 1 && fields === 1 && values === 1;
}

function readReply(reply: string): JsonObject | undefined {
  if (reply.length > MOST_LETTERS) return undefined;
  const text = reply.trim();
  const [, fenced = text] = /^```(?:json)?\s([^]*)```$/i.exec(text) ?? [];
  const value = parseJson(fenced.trim());
  return isObject(value) ? value : undefined;
}

function isOfType(field: FieldName, value: Json): boolean {
  if (value === null) return true;
  if (field === "count") return Number.isInteger(value);
  if (field === "paid") return typeof value === "boolean";
  if (field === "by") return emitWords().ways.some((way) => way === value);
  if (field === "stops") return Array.isArray(value) && value.every((stop) => typeof stop === "string");
  return typeof value === "string";
}

/** Flat values only: what is asked for has no depth. */
function isSame(value: Json, right: Json): boolean {
  if (!Array.isArray(right)) return value === right;
  return Array.isArray(value) && value.length === right.length && right.every((one, at) => one === value[at]);
}
