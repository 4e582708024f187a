/**
 * Structured output in layers (RL-Struct): brackets that close, JSON that parses, the asked fields, the right values.
 *
 * The layers build on each other, so that syntax is learnt before meaning.
 */
import { canonicalJson, isObject, parseJson, type Json } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { responseText } from "./response.ts";
import { defineReward, type Award, type Givens } from "./reward.ts";

export const structure = defineReward({
  id: "structure",
  info: {
    title: "RL-Struct",
    meaning: "Structured output scored in layers: closed brackets, valid JSON, the asked fields and the right values.",
    paper: "RL-Struct: A Lightweight Reinforcement Learning Framework for Reliable Structured Output in LLMs",
    confidence: "inferred",
    formula: [
      "structure: 1 where a bracket opens and all close, outside of strings",
      "valid: 1 where that text parses as JSON and nothing but blanks or a code fence stands around it, 0.5 where more does",
      "format: share of the required fields that are there with their type;   content: share of the right fields whose value is equal",
      "R = (sum of w * layer) / (sum of w), over the layers that have a score",
    ],
    departures: [
      "Layers and weights are ours; only an abstract was at hand.",
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
    structure: option.number(0.2, "weight of closed brackets", { least: 0 }),
    valid: option.number(0.2, "weight of JSON that parses", { least: 0 }),
    format: option.number(0.2, "weight of the required fields", { least: 0 }),
    content: option.number(0.4, "weight of the right values", { least: 0 }),
  },
  score: (batch, options, givens) => ({
    awards: batch.map((trajectory): Award[] => {
      const last = trajectory.steps.at(-1);
      if (last === undefined) return [{ score: unscored("it has no steps") }];
      const found = layers(responseText(last), options.required, goldOf(trajectory, options.goldKey, givens));
      const weights = {
        structure: options.structure,
        valid: options.valid,
        format: options.format,
        content: options.content,
      };
      return [total(found, weights), ...parts(found)];
    }),
  }),
});

type Layer = "structure" | "valid" | "format" | "content";
type Layers = Readonly<Record<Layer, number | undefined>>;

function layers(text: string, required: Readonly<Record<string, string>>, gold: Json | undefined): Layers {
  const span = bracketed(text);
  const value = span === undefined ? undefined : parseJson(text.slice(span.start, span.end));
  const around = span === undefined ? "" : `${text.slice(0, span.start)}${text.slice(span.end)}`;
  const alone = /^\s*(```(json)?\s*)?(```\s*)?$/i.test(around);
  return {
    structure: span === undefined ? 0 : 1,
    valid: value === undefined ? 0 : alone ? 1 : 0.5,
    format: share(Object.entries(required), ([name, type]) => hasField(value, name, type)),
    content: gold === undefined ? undefined : matching(value, gold),
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

function matching(value: Json | undefined, gold: Json): number {
  if (value === undefined) return 0;
  if (!isObject(gold)) return canonicalJson(value) === canonicalJson(gold) ? 1 : 0;
  return share(Object.entries(gold), ([name, right]) => {
    return isObject(value) && Object.hasOwn(value, name) && canonicalJson(value[name]) === canonicalJson(right);
  });
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
  const comment =
    found.content === undefined ? { comment: "without a score: content (nobody gave the right output)" } : {};
  return { score: weight === 0 ? unscored("no layer has a weight") : scored(sum / weight), ...comment };
}

function parts(found: Layers): Award[] {
  return Object.entries(found).map(([part, value]) => ({
    part,
    score: value === undefined ? unscored("nobody gave the right output") : scored(value),
  }));
}

function goldOf(trajectory: Trajectory, key: string, givens: Givens): Json | undefined {
  const data = trajectory.task.data;
  return givens.gold?.(trajectory)?.value ?? (data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined);
}
