/** An order in words, and the fields that are asked of it. */
import { z } from "zod";
import { lookUp } from "limbeck-base/base/registry";
import { pick, shuffle, type Rng } from "limbeck-base/base/rng";
import type { Json, JsonObject } from "limbeck-base/base/json";
import { words, worldTable } from "limbeck-core/env/world-data";
import { writeWording } from "limbeck-core/env/wording";

const wordings = z.array(z.string()).min(1);

export const emitWords = worldTable(
  "emit.json",
  z.strictObject({
    goods: words,
    towns: words,
    names: words,
    ways: words,
    numbers: words,
    sentences: z.strictObject({
      item: wordings,
      count: wordings,
      place: wordings,
      by: wordings,
      paid: z.strictObject({ true: wordings, false: wordings }),
      name: wordings,
      stops: wordings,
    }),
  }),
);

/** The fields there are, and how the schema says their types. */
export const fieldTypes = {
  item: "string",
  count: "integer",
  place: "string",
  by: "rail | road | river",
  paid: "boolean",
  name: "string",
  stops: "list of strings",
} as const;

export type FieldName = keyof typeof fieldTypes;

interface Level {
  /** Fields that are asked for. */
  readonly asked: number;
  /** Sentences about fields that are not asked for. */
  readonly idle: number;
  readonly from: readonly FieldName[];
  /** Chance that the order does not say what is asked; then the value is null. */
  readonly unsaid: number;
}

const PLAIN: readonly FieldName[] = ["item", "count", "place", "by", "paid", "name"];

export const levels = {
  small: { asked: 2, idle: 0, from: PLAIN, unsaid: 0 },
  medium: { asked: 3, idle: 1, from: PLAIN, unsaid: 0.1 },
  large: { asked: 5, idle: 2, from: [...PLAIN, "stops"], unsaid: 0.2 },
} as const satisfies Record<string, Level>;

export type OrderLevelId = keyof typeof levels;

export interface Order {
  readonly message: string;
  /** In the order in which they are asked for. */
  readonly asked: readonly FieldName[];
  /** The right output. */
  readonly gold: JsonObject;
}

export function drawOrder(levelId: string, rng: Rng): Order {
  const level = lookUp<Level>(levels, levelId, "emit level");
  const fields = shuffle(level.from, rng).slice(0, level.asked + level.idle);
  const asked = fields.slice(0, level.asked);
  const said: string[] = [];
  const gold: Record<string, Json> = {};
  for (const [at, field] of fields.entries()) {
    const isAsked = at < level.asked;
    // At least one field: an order without a word would be no order.
    const isUnsaid = isAsked && at > 0 && rng.float() < level.unsaid;
    const { value, sentence } = drawField(field, rng);
    if (isAsked) gold[field] = isUnsaid ? null : value;
    if (!isUnsaid) said.push(sentence);
  }
  return { message: shuffle(said, rng).join(" "), asked, gold };
}

function drawField(field: FieldName, rng: Rng): { readonly value: Json; readonly sentence: string } {
  const { goods, towns, names, ways, numbers, sentences } = emitWords();
  const write = (list: readonly string[], values: Readonly<Record<string, string>> = {}): string =>
    writeWording(pick(list, rng) as string, values);
  const plain = (list: readonly string[]): { value: string; sentence: string } => {
    const value = pick(list, rng) as string;
    return { value, sentence: write(sentences[field] as string[], { [field]: value }) };
  };
  if (field === "item") return plain(goods);
  if (field === "place") return plain(towns);
  if (field === "name") return plain(names);
  if (field === "by") return plain(ways);
  if (field === "paid") {
    const value = rng.float() < 0.5;
    return { value, sentence: write(value ? sentences.paid.true : sentences.paid.false) };
  }
  if (field === "count") {
    const value = 1 + rng.int(numbers.length);
    const count = rng.float() < 0.5 ? String(value) : (numbers[value - 1] as string);
    return { value, sentence: write(sentences.count, { count }) };
  }
  const [first = "", second = ""] = shuffle(towns, rng);
  return { value: [first, second], sentence: write(sentences.stops, { first, second }) };
}

/** The schema as it is shown. */
export function schemaText(asked: readonly FieldName[]): string {
  return `{${asked.map((field) => `"${field}": ${fieldTypes[field]}`).join(", ")}}`;
}

export function orderKey({ message, asked }: Order): string {
  return `${asked.join(",")}|${message}`;
}
