/** Pages of the shop: which one is open, what it shows, what can be clicked, and where an action leads. */
import type { Catalogue, Product } from "./product.ts";
import type { ShopSearch } from "./search.ts";

/** Everything the pages are made from; shared by all episodes. */
export interface Inventory {
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
export type Page =
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
export const SEARCH_FORM = "search[<your query>]";

export const OPENING: Page = { kind: "search" };

/** The strings a visitor sees. */
export function visibleStrings(inventory: Inventory, page: Page, instruction: string): string[] {
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
export function labels(inventory: Inventory, page: Page): string[] {
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
export function follow(inventory: Inventory, page: Page, { verb, argument }: ShopAction): Page | undefined {
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

export function productOf({ catalogue }: Inventory, item: Item): Product {
  return catalogue.products[item.product] as Product;
}

/** One text per state: equal texts mean equal pages, equal choices and the same way back. */
export function pageKey(inventory: Inventory, page: Page): string {
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
