/** The shop as an environment: a catalogue, its goals and how purchases are rewarded. */
import { createHash } from "node:crypto";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { groupedBy } from "limbeck-base/base/grouped-by";
import type { Ending, Task } from "limbeck-base/trajectory/trajectory";
import { scored } from "limbeck-base/trajectory/score";
import type { Env, Episode } from "limbeck-core/env/env";
import { unknownSplit } from "limbeck-core/env/episode-error";
import { episodeOf } from "limbeck-core/env/episode-of";
import type { Goal } from "./goal.ts";
import { loadNounTagger } from "./nouns.ts";
import { type ObservationForm, observe } from "./observe.ts";
import { type Catalogue, createSearch, type Product, type ShopSearch } from "./product.ts";
import { type NounTagger, type Purchase, scorePurchase } from "./reward.ts";

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
 * import { generateCatalogue, generateGoals } from "limbeck/env";
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

// Pages of the shop: which one is open, what it shows, what can be clicked, and where an action leads.

/** Everything the pages are made from; shared by all episodes. */
interface Inventory {
  readonly catalogue: Catalogue;
  readonly search: ShopSearch;
  /** Products on one page of results. */
  readonly perPage: number;
}

interface Results {
  readonly words: string;
  readonly hits: Int32Array;
  /** From 1; there is no last page, later ones are empty. */
  readonly number: number;
}

interface Item {
  readonly results: Results;
  /** Position in the catalogue. */
  readonly product: number;
  /** Option name to chosen value. */
  readonly chosen: ReadonlyMap<string, string>;
}

/** Never changed in place, so that a fork shares it. */
type Page =
  | { readonly kind: "search" }
  | { readonly kind: "results"; readonly results: Results }
  | { readonly kind: "item"; readonly item: Item }
  | { readonly kind: "sub-page"; readonly item: Item; readonly topic: Topic }
  | { readonly kind: "bought"; readonly item: Item };

type Topic = (typeof TOPICS)[number];

const TOPICS = ["Description", "Features", "Reviews"] as const;
const BACK = "Back to Search";
const PREVIOUS = "< Prev";
const NEXT = "Next >";
const BUY = "Buy Now";

/** Shown in place of the words to search for; a search for these very words is accepted like any other. */
const SEARCH_FORM = "search[<your query>]";

const OPENING: Page = { kind: "search" };

/** The strings a visitor sees. */
function visibleStrings(inventory: Inventory, page: Page, instruction: string): string[] {
  const heading = ["Instruction:", instruction];
  if (page.kind === "search") return ["WebShop", ...heading, "Search"];
  if (page.kind === "results") {
    const { hits, number } = page.results;
    const shown = onPage(inventory, page.results).flatMap(({ asin, title, priceTag }) => [asin, title, priceTag]);
    return [...heading, BACK, `Page ${number} (Total results: ${hits.length})`, ...paging(page.results), ...shown];
  }
  const product = productOf(inventory, page.item);
  if (page.kind === "bought") return ["Order placed", product.asin, ...page.item.chosen.values()];
  if (page.kind === "sub-page") return [...heading, BACK, PREVIOUS, ...topicStrings(product, page.topic)];
  const choices = product.options.flatMap(({ name, values }) => [name, ...values]);
  const facts = [product.title, `Price: ${product.priceTag}`, `Rating: ${product.rating}`];
  return [...heading, BACK, PREVIOUS, ...choices, ...facts, ...TOPICS, BUY];
}

function topicStrings({ description, bullets, reviews }: Product, topic: Topic): string[] {
  const shown = {
    Description: [description],
    Features: bullets,
    Reviews: reviews.flatMap(({ title, score, body }) => [`"${title}"`, score, body]),
  };
  return shown[topic].map((text) => text.trim()).filter((text) => text !== "");
}

/** What can be clicked, lower-case, each once: buttons, then products, then option values. */
function labels(inventory: Inventory, page: Page): string[] {
  if (page.kind === "search" || page.kind === "bought") return [];
  if (page.kind === "results") {
    return lower([BACK, ...paging(page.results), ...onPage(inventory, page.results).map(({ asin }) => asin)]);
  }
  if (page.kind === "sub-page") return lower([BACK, PREVIOUS]);
  const values = productOf(inventory, page.item).options.flatMap((option) => option.values);
  // The search button is never clickable, and a value that looks like it is not either.
  return lower([BACK, PREVIOUS, ...TOPICS, BUY, ...values]).filter((label) => label !== "search");
}

/** The page an action leads to, or undefined where it means nothing. */
function follow(inventory: Inventory, page: Page, { verb, argument }: ShopAction): Page | undefined {
  if (page.kind === "bought") return undefined;
  if (verb === "search") {
    return { kind: "results", results: { words: argument, hits: inventory.search(argument), number: 1 } };
  }
  if (page.kind === "search") return undefined;
  if (argument === BACK.toLowerCase()) return OPENING;
  if (page.kind === "results") return clickResults(inventory, page.results, argument);
  if (page.kind === "item") return clickItem(inventory, page.item, argument);
  return argument === PREVIOUS.toLowerCase() ? { kind: "item", item: page.item } : undefined;
}

function clickResults(inventory: Inventory, results: Results, label: string): Page | undefined {
  if (label === NEXT.toLowerCase()) return { kind: "results", results: { ...results, number: results.number + 1 } };
  if (label === PREVIOUS.toLowerCase()) {
    return results.number > 1 ? { kind: "results", results: { ...results, number: results.number - 1 } } : undefined;
  }
  const product = inventory.catalogue.byLabel.get(label);
  if (product === undefined || !positionsOnPage(inventory, results).includes(product)) return undefined;
  return { kind: "item", item: { results, product, chosen: new Map() } };
}

function clickItem(inventory: Inventory, item: Item, label: string): Page | undefined {
  // Going back to the results forgets what was chosen.
  if (label === PREVIOUS.toLowerCase()) return { kind: "results", results: item.results };
  if (label === BUY.toLowerCase()) return { kind: "bought", item };
  const topic = TOPICS.find((name) => name.toLowerCase() === label);
  if (topic !== undefined) return { kind: "sub-page", item, topic };
  if (label === "search") return undefined;
  // A value that two options share belongs to the last of them, as in the original.
  const option = productOf(inventory, item).options.findLast(({ values }) => values.includes(label));
  if (option === undefined) return undefined;
  return { kind: "item", item: { ...item, chosen: new Map([...item.chosen, [option.name, label]]) } };
}

function productOf({ catalogue }: Inventory, item: Item): Product {
  return catalogue.products[item.product] as Product;
}

/** One text per state: equal texts mean equal pages, equal choices and the same way back. */
function pageKey(inventory: Inventory, page: Page): string {
  if (page.kind === "search") return "search";
  const { words, number } = page.kind === "results" ? page.results : page.item.results;
  if (page.kind === "results") return JSON.stringify(["results", words, number]);
  const chosen = [...page.item.chosen].sort(([left], [right]) => (left < right ? -1 : 1));
  const kind = page.kind === "sub-page" ? page.topic : page.kind;
  return JSON.stringify([kind, productOf(inventory, page.item).asin, chosen, words, number]);
}

function paging({ number }: Results): string[] {
  return number > 1 ? [PREVIOUS, NEXT] : [NEXT];
}

function onPage(inventory: Inventory, results: Results): Product[] {
  const { products } = inventory.catalogue;
  return Array.from(positionsOnPage(inventory, results), (position) => products[position] as Product);
}

function positionsOnPage({ perPage }: Inventory, { hits, number }: Results): Int32Array {
  return hits.subarray((number - 1) * perPage, number * perPage);
}

function lower(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.toLowerCase()))];
}

// Reading an action: anything, then bracketed anything; `search[words]` and `click[label]` are the two that exist.

interface ShopAction {
  readonly verb: "search" | "click";
  /** Lower-case, never empty. */
  readonly argument: string;
}

/**
 * The original reads with a greedy pattern on the first line: the last "[" that still has something before the last
 * "]" begins the argument, and text after that "]" is ignored. Done by hand, since a backtracking pattern takes time
 * quadratic in the length of hostile input.
 */
export function parseAction(text: string): ShopAction | undefined {
  const newline = text.indexOf("\n");
  const line = newline === -1 ? text : text.slice(0, newline);
  const close = line.lastIndexOf("]");
  const open = close < 2 ? -1 : line.lastIndexOf("[", close - 2);
  if (open < 1) return undefined;
  const verb = line.slice(0, open);
  if (verb !== "search" && verb !== "click") return undefined;
  return { verb, argument: line.slice(open + 1, close).toLowerCase() };
}

// One errand in the shop. It holds its place and the shared inventory, nothing else: ten thousand of them are cheap.

/** What all episodes of a shop share. */
interface ShopFloor {
  readonly inventory: Inventory;
  readonly nouns: NounTagger;
  readonly maxSteps: number;
  readonly form: ObservationForm;
  /** The reward of a purchase that scored this. */
  readonly reward: (score: number) => number;
}

/** Where an episode stands. */
interface Place {
  readonly page: Page;
  readonly steps: number;
  readonly reward: number;
  readonly ending: Ending | undefined;
  readonly success: boolean | null;
}

const START: Place = { page: OPENING, steps: 0, reward: 0, ending: undefined, success: null };

/** Keys longer than this are shortened to a digest, so that a long search does not fill a trajectory. */
const MAX_KEY_LENGTH = 200;

function openEpisode(floor: ShopFloor, task: Task, goal: Goal): Episode {
  const { inventory } = floor;
  return episodeOf(task, START, {
    observation: ({ page }) => observe(floor.form, visibleStrings(inventory, page, goal.instruction), goal.instruction),
    stateKey: ({ page }) => shorten(pageKey(inventory, page)),
    ending: ({ ending }) => ending,
    reward: ({ reward }) => scored(reward),
    success: ({ success }) => success,
    admissible: ({ ending, page }) => (ending === undefined ? listActions(inventory, page) : []),
    // Everything but the purchase can be left by a click: pages, searches, choices.
    irreversible: ({ ending, page }, text) => ending === undefined && leadsTo(inventory, page, text)?.kind === "bought",
    step: (before, text) => {
      const next = leadsTo(inventory, before.page, text);
      const page = next ?? before.page;
      const steps = before.steps + 1;
      const valid = next !== undefined;
      if (page.kind !== "bought") {
        const late = steps >= floor.maxSteps ? ({ ending: "truncated", success: false } as const) : {};
        return { state: { ...before, page, steps, ...late }, valid, reward: scored(0) };
      }
      const purchase = judge(floor, goal, page);
      const gained = floor.reward(purchase.score);
      const [reward, success] = [before.reward + gained, purchase.score === 1];
      const state: Place = { page, steps, reward, ending: "terminated", success };
      return { state, valid, reward: scored(gained), info: { ...purchase } };
    },
  });
}

/** The page after an action; undefined where it is refused. */
function leadsTo(inventory: Inventory, page: Page, text: string): Page | undefined {
  const action = parseAction(text);
  return action === undefined ? undefined : follow(inventory, page, action);
}

/** The search form where the page has a search bar, then one click per label. */
function listActions(inventory: Inventory, page: Page): string[] {
  const clicks = labels(inventory, page).map((label) => `click[${label}]`);
  return page.kind === "search" ? [SEARCH_FORM, ...clicks] : clicks;
}

function judge({ inventory, nouns }: ShopFloor, goal: Goal, page: Page & { readonly kind: "bought" }): Purchase {
  const wanted = inventory.catalogue.products[goal.product] as Product;
  return scorePurchase(productOf(inventory, page.item), [...page.item.chosen.values()], goal, wanted, nouns);
}

function shorten(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : createHash("sha256").update(key).digest("hex");
}
