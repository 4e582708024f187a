/** The shop as an environment: a catalogue, its goals and how purchases are rewarded. */
import { EngineError, throwIfAborted } from "../../base/index.ts";
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
import { splitGoals, SPLITS, type Split } from "./split.ts";

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
