/** Emit: an order in words, and a schema; one reply of JSON, whose form and values are scored apart. */
import { isObject, type Json, type JsonObject, parseJson } from "limbeck-base/base/json";
import type { Score, Task } from "limbeck-base/trajectory/trajectory";
import { scored } from "limbeck-base/trajectory/score";
import { drawnEnv } from "limbeck-core/env/drawn-tasks";
import type { Env, Episode } from "limbeck-core/env/env";
import { episodeOf } from "limbeck-core/env/episode-of";
import { drawOrder, emitWords, type FieldName, type OrderLevelId, type Order, orderKey, schemaText } from "./order.ts";

export interface EmitOptions {
  /** Seed of the orders. Default: 1. */
  readonly seed?: number;
  /** Fields that are asked for: 2, 3 or 5. Default: "small". */
  readonly level?: OrderLevelId;
}

export const EMIT_SUMMARY = "Write an order down as JSON of a given schema; form and values are scored apart.";

/**
 * Orders in words, to be written down as JSON.
 *
 * @example
 * const env = createEmit({ level: "small" });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step(JSON.stringify(task.data?.["gold"]))).success); // true
 * }
 */
export function createEmit({ seed = 1, level = "small" }: EmitOptions = {}): Env {
  return drawnEnv({
    id: "emit",
    summary: EMIT_SUMMARY,
    maxSteps: 1,
    seed,
    dial: level,
    draw: drawOrder,
    key: orderKey,
    goal: describe,
    // For the reward `structure`, which compares with it.
    data: ({ gold }) => ({ gold }),
    open: openOrder,
  });
}

/** `readGoal` of the demonstrators takes it apart again. */
function describe({ message, asked }: Order): string {
  return `Order: ${message}\nSchema: ${schemaText(asked)}`;
}

const FORM = "Reply with the JSON object alone. What the order does not say is null.";

interface Outcome {
  readonly observation: string;
  readonly reward: Score;
  readonly success: boolean;
}

function openOrder(task: Task, order: Order): Episode {
  const opening = `${describe(order)}\n${FORM}`;
  return episodeOf<Outcome | undefined>(task, undefined, {
    observation: (outcome) => outcome?.observation ?? opening,
    stateKey: (outcome) => (outcome === undefined ? "order" : `judged: ${outcome.observation}`),
    ending: (outcome) => outcome && "terminated",
    reward: (outcome) => outcome?.reward ?? scored(0),
    success: (outcome) => outcome?.success ?? null,
    step: (_, reply) => {
      const grade = gradeReply(order, reply);
      const reward = scored(worthOf(grade));
      const { parse, fields, values } = grade;
      const observation =
        parse === 0 ? "That is not a JSON object." : `Fields ${fields.toFixed(2)}, values ${values.toFixed(2)}.`;
      return {
        state: { observation, reward, success: isWhole(grade) },
        valid: parse === 1,
        reward,
        info: { parts: { parse, fields, values } },
      };
    },
  });
}

// What a reply is worth, part by part: whether it can be read, whether it has the fields, and whether the values are right.

interface Grade {
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
