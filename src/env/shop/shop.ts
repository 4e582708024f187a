/** The shop as an environment: a catalogue, its goals and how purchases are rewarded. */
import { EngineError, throwIfAborted, createRng, groupedBy, shuffle } from "../../base/index.ts";
import type { Task } from "../../trajectory/index.ts";
import type { Env } from "../env.ts";
import { unknownSplit } from "../episode-error.ts";
import { openEpisode, type ShopFloor } from "./episode.ts";
import type { Goal } from "./goal.ts";
import { loadNounTagger } from "./nouns.ts";
import type { ObservationForm } from "./observe.ts";
import type { Catalogue } from "./product.ts";
import type { NounTagger } from "./reward.ts";
import { createSearch } from "./search.ts";

export interface ShopOptions {
  readonly catalogue: Catalogue;
  readonly goals: readonly Goal[];
  /** Default: 15, as in OPID. */
  readonly maxSteps?: number;
  readonly form?: ObservationForm;
  /** Products on one page of results. Default: 10, as in the original. */
  readonly perPage?: number;
  /** From the score of a purchase, 0 to 1, to its reward. Default: the score itself. */
  readonly reward?: (score: number) => number;
  /** Finds the nouns of a title. Default: wink-nlp's tagger. */
  readonly nouns?: NounTagger;
}

export const SHOP_SUMMARY = "An online shop in the manner of WebShop: search, look, choose the options asked for, buy.";

/**
 * A shop in the manner of WebShop over a catalogue and its goals.
 *
 * @example
 * import { generateCatalogue, generateGoals } from "limbeck/env/shop";
 *
 * const catalogue = generateCatalogue({ products: 20, seed: 1 });
 * const env = createShop({ catalogue, goals: generateGoals(catalogue, { seed: 1, goalsPerProduct: 1 }) });
 * console.log(env.splits); // { train: 16, valid: 2, test: 2 }
 */
export function createShop(options: ShopOptions): Env {
  const { catalogue, goals, maxSteps = 15, form = "plain", perPage = 10, reward = (score) => score } = options;
  for (const [value, what] of [
    [maxSteps, "steps"],
    [perPage, "products a page"],
  ] as const) {
    if (Number.isInteger(value) && value >= 1) continue;
    throw new EngineError(
      "bad-option",
      `A shop of ${value} ${what} is not possible; need a whole number of at least 1.`,
    );
  }
  const splits = splitGoals(goals);
  const inventory = { catalogue, search: createSearch(catalogue), perPage };
  let floor: Promise<ShopFloor> | undefined;
  const prepare = async (): Promise<ShopFloor> => {
    const nouns = options.nouns ?? (await loadNounTagger());
    return { inventory, nouns, maxSteps, form, reward };
  };
  return {
    id: "shop",
    summary: SHOP_SUMMARY,
    maxSteps,
    splits: Object.fromEntries(SPLITS.map((split) => [split, splits[split].length])),
    tasks: (split, { offset = 0, count = Number.POSITIVE_INFINITY } = {}) => {
      if (!isSplit(split)) throw unknownSplit("shop", split, SPLITS);
      return tasksOf(catalogue, goals, split, splits[split].subarray(offset, Math.min(offset + count, goals.length)));
    },
    open: async (task, { signal } = {}) => {
      throwIfAborted(signal);
      const goal = goalOf(task, goals);
      floor ??= prepare();
      return openEpisode(await floor, task, goal);
    },
  };
}

function isSplit(split: string): split is Split {
  return (SPLITS as readonly string[]).includes(split);
}

function* tasksOf(
  { products }: Catalogue,
  goals: readonly Goal[],
  split: Split,
  positions: Int32Array,
): Generator<Task, void, undefined> {
  for (const position of positions) {
    const goal = goals[position] as Goal;
    const id = `shop-${position}-${products[goal.product]?.asin}`;
    yield { id, env: "shop", seed: position, goal: goal.instruction, split, data: { goal: position } };
  }
}

/** The goal a task names. Its words must agree: the same number means another errand in another catalogue. */
function goalOf(task: Task, goals: readonly Goal[]): Goal {
  const position = task.data?.["goal"];
  const goal = typeof position === "number" ? goals[position] : undefined;
  if (goal === undefined || goal.instruction !== task.goal) {
    throw new EngineError(
      "unknown-task",
      `Task "${task.id}" does not belong to this shop: its goal ${JSON.stringify(position)} is not among the ${goals.length} goals here, or says something else. Create the shop with the catalogue and seed the task was made with.`,
      { details: { task: task.id } },
    );
  }
  return goal;
}

/*
 * Train, valid and test goals. One permutation of the products, fixed by a constant, comes before any split: an agent that
 * opens the shop, with whatever seed, gets the same three sets. The cuts fall between products, so that
 * no product is the target in two splits.
 */

export const SPLITS = ["train", "valid", "test"] as const;
type Split = (typeof SPLITS)[number];

/** The label of the permutation. Changing it changes every split ever published. */
const PERMUTATION = "shop split 1";
const HELD_OUT_SHARE = 0.1;

/** Positions of the goals of each split, in the order in which tasks are given out. */
export function splitGoals(goals: readonly Goal[]): Record<Split, Int32Array> {
  const byProduct = groupedBy(goals.keys(), (position) => goals[position]?.product);
  const groups = shuffle([...byProduct.values()], createRng(PERMUTATION));
  const heldOut = Math.ceil(groups.length * HELD_OUT_SHARE);
  const cut = (from: number, to: number): Int32Array => Int32Array.from(spread(groups.slice(from, to)));
  // With fewer than three products some split is empty; train is served first.
  const test = Math.min(heldOut, Math.max(0, groups.length - 2));
  const valid = test + Math.min(heldOut, Math.max(0, groups.length - 1 - test));
  return { test: cut(0, test), valid: cut(test, valid), train: cut(valid, groups.length) };
}

/** The first goal of every product, then the second of every product: neighbours are different errands. */
function spread(groups: readonly (readonly number[])[]): number[] {
  const longest = groups.reduce((most, group) => Math.max(most, group.length), 0);
  return Array.from({ length: longest }, (_, round) => groups.flatMap((group) => group.slice(round, round + 1))).flat();
}

// Settings under one name.

export interface ShopPreset {
  readonly form: ObservationForm;
  readonly maxSteps: number;
  /** Products on one page of results. */
  readonly perPage: number;
  /** From the score of a purchase to its reward. */
  readonly reward: (score: number) => number;
  /** For prompts: turns of history shown, and the length above which none are. */
  readonly historyTurns: number;
  readonly maxPromptCharacters: number;
  /** For reading the model's reply: taken off when the reply has the wrong form. An impossible click is not that. */
  readonly malformedPenalty: number;
}

export const shopPresets = {
  /** The score itself, on the original's text. */
  webshop: {
    form: "plain",
    maxSteps: 15,
    perPage: 10,
    reward: (score) => score,
    historyTurns: 0,
    maxPromptCharacters: Number.POSITIVE_INFINITY,
    malformedPenalty: 0,
  },
  /** As OPID trains on it: 10 for a perfect purchase, nothing for any other. */
  opid: {
    form: "opid",
    maxSteps: 15,
    perPage: 10,
    reward: (score) => (score === 1 ? 10 : 0),
    historyTurns: 2,
    maxPromptCharacters: 20_000,
    malformedPenalty: 0.1,
  },
  /** Short pages for small models that keep the conversation: an errand is some 500 of their tokens. */
  brief: {
    form: "brief",
    maxSteps: 10,
    perPage: 4,
    reward: (score) => score,
    historyTurns: 0,
    maxPromptCharacters: Number.POSITIVE_INFINITY,
    malformedPenalty: 0,
  },
} as const satisfies Record<string, ShopPreset>;

export type ShopPresetId = keyof typeof shopPresets;
