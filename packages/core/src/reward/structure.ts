/** Structured output in parts (RL-Struct): the asked fields, nothing around it, JSON that parses, the right content, no more than asked. */
import { isObject, parseJson, type Json } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { cutWords } from "limbeck-base/base/words";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { responseText } from "./response.ts";
import { defineReward, type Award, type Givens } from "./reward.ts";

const NO_GOLD = "nobody gave the right output";
/** Objects and lists in each other. A policy may write thousands. */
const DEEPEST = 64;

export const structure = defineReward({
  id: "structure",
  info: {
    title: "RL-Struct",
    meaning: "Structured output scored in parts: the asked fields, form, valid JSON, the right content and length.",
    paper: "RL-Struct: A Lightweight Reinforcement Learning Framework for Reliable Structured Output in LLMs",
    confidence: "reading",
    source: "two summaries of arXiv 2512.00319 by others, and the prompt on the authors' model card Freakz3z/Qwen-JSON",
    formula: [
      "structure: share of the required fields that are there with their type;   valid: 1 where the output parses as JSON",
      "format: 1 where nothing but blanks or a code fence stands around an object or list whose brackets close",
      "content: F1 of the words of each field against those of the right output;   length: min(1, longest / characters)",
      "R = (sum of w * part) / (sum of w), over the parts that have a score",
    ],
    departures: [
      "The summaries name the parts and no weights: these are ours. What is long is ours too; without longest there is no such part.",
      "One summary says that format asks for a code fence, the model card forbids it: here both are right.",
      "Types of fields are ours; with any a field need only be there.",
      "Without a right output (givens.gold or the task's data) content is unscored and the others are rescaled.",
    ],
  },
  mayUse: { gold: "the right output, unless the task's data holds it" },
  options: {
    required: {
      kind: "map",
      of: { kind: "choice", choices: ["string", "number", "boolean", "object", "array", "null", "any"] },
      default: {},
      meaning: "fields the output must have, and their types",
    },
    goldKey: option.text("gold", "where the task's data holds the right output"),
    longest: option.limit(null, "characters of a response that cost nothing", { above: 0 }),
    structure: option.number(0.2, "weight of the required fields", { least: 0 }),
    format: option.number(0.2, "weight of nothing around it", { least: 0 }),
    valid: option.number(0.2, "weight of JSON that parses", { least: 0 }),
    content: option.number(0.4, "weight of the right content", { least: 0 }),
    length: option.number(0.2, "weight of the length, where longest is given", { least: 0 }),
  },
  score: (batch, options, givens) => ({
    awards: batch.map((trajectory): Award[] => {
      const last = trajectory.steps.at(-1);
      if (last === undefined) return [{ score: unscored("it has no steps") }];
      const { required, longest, structure: fields, format, valid, content, length } = options;
      const found = layers(responseText(last), {
        required,
        longest,
        gold: goldOf(trajectory, options.goldKey, givens),
      });
      return [total(found, { structure: fields, format, valid, content, length }), ...parts(found)];
    }),
  }),
});

type Layer = "structure" | "format" | "valid" | "content" | "length";
type Layers = Readonly<Record<Layer, number | undefined>>;

interface Asked {
  readonly required: Readonly<Record<string, string>>;
  readonly longest: number | null;
  readonly gold: Json | undefined;
}

function layers(text: string, { required, longest, gold }: Asked): Layers {
  const span = bracketed(text);
  const value = span === undefined ? undefined : parseJson(text.slice(span.start, span.end));
  const around = span === undefined ? "" : `${text.slice(0, span.start)}${text.slice(span.end)}`;
  const alone = span !== undefined && /^\s*(```(json)?\s*)?(```\s*)?$/i.test(around);
  return {
    structure: share(Object.entries(required), ([name, type]) => hasField(value, name, type)),
    format: alone ? 1 : 0,
    valid: value === undefined ? 0 : 1,
    content: gold === undefined ? undefined : value === undefined ? 0 : contentF1(value, gold),
    length: longest === null ? undefined : Math.min(1, longest / Math.max(1, text.length)),
  };
}

/** The first object or list of a text whose brackets all close. A bracket inside a string is text. */
function bracketed(text: string): { readonly start: number; readonly end: number } | undefined {
  const start = text.search(/[[{]/);
  if (start < 0) return undefined;
  const open: string[] = [];
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const letter = text[at] as string;
    if (quoted) {
      if (letter === "\\") at += 1;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === "{" || letter === "[") open.push(letter === "{" ? "}" : "]");
    else if (letter === "}" || letter === "]") {
      if (open.pop() !== letter) return undefined;
      if (open.length === 0) return { start, end: at + 1 };
    }
  }
  return undefined;
}

function hasField(value: Json | undefined, name: string, type: string): boolean {
  if (!isObject(value) || !Object.hasOwn(value, name)) return false;
  const own = value[name] as Json;
  const kind = own === null ? "null" : Array.isArray(own) ? "array" : typeof own;
  return type === "any" || kind === type;
}

/** 2 |A and B| / (|A| + |B|) over words and where they stand. */
function contentF1(value: Json, gold: Json): number {
  const [own, right] = [new Set(placedWords(value)), new Set(placedWords(gold))];
  if (own.size + right.size === 0) return 1;
  return (2 * [...own].filter((word) => right.has(word)).length) / (own.size + right.size);
}

/** Each word with the fields that lead to it; places in a list do not count, nor does what lies deeper than a reader looks. */
function placedWords(value: Json, path: readonly string[] = [], depth = DEEPEST): string[] {
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((item: Json) => placedWords(item, path, depth - 1));
  if (isObject(value))
    return Object.entries(value).flatMap(([name, own]) => placedWords(own, [...path, name], depth - 1));
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const words = cutWords(text);
  return (words.length === 0 ? [text] : words).map((word) => JSON.stringify([...path, word]));
}

/** Nothing asked is nothing missed. */
function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.length === 0 ? 1 : items.filter(holds).length / items.length;
}

function total(found: Layers, weights: Readonly<Record<Layer, number>>): Award {
  let sum = 0;
  let weight = 0;
  for (const [name, own] of Object.entries(weights) as [Layer, number][]) {
    const value = found[name];
    if (value === undefined) continue;
    sum += own * value;
    weight += own;
  }
  const comment = found.content === undefined ? { comment: `without a score: content (${NO_GOLD})` } : {};
  return { score: weight === 0 ? unscored("no layer has a weight") : scored(sum / weight), ...comment };
}

function parts(found: Layers): Award[] {
  return Object.entries(found).map(([part, value]) => ({
    part,
    score:
      value === undefined ? unscored(part === "content" ? NO_GOLD : "nobody gave the longest length") : scored(value),
  }));
}

function goldOf(trajectory: Trajectory, key: string, givens: Givens): Json | undefined {
  const data = trajectory.task.data;
  return givens.gold?.(trajectory)?.value ?? (data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined);
}
