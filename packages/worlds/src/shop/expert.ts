/**
 * A shopper who reads. It searches for what was asked, passes over what costs too much, looks at a candidate's options
 * and feature list, and buys the first product that has everything; short of steps, the one at hand.
 *
 * It sees the pages and the instruction only. What it brings along is a vocabulary: attributes that exist in this shop,
 * as a regular customer knows them.
 */
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Demonstration, Demonstrator, Seen } from "limbeck-core/env/expert";
import {
  meaningfulWords,
  mentionedValue,
  readInstruction,
  readPage,
  withoutMention,
  wordsOf,
  type Sight,
  type Wishes,
  type Listing,
} from "./reading.ts";

export interface ExpertOptions {
  readonly vocabulary: readonly string[];
  /** Steps it plans for. Default: 15. */
  readonly maxSteps?: number;
}

type ItemSight = Sight & { readonly kind: "item" };
type ResultsSight = Sight & { readonly kind: "results" };

/** It turns no more pages of results than this. */
const LAST_PAGE = 3;

/**
 * The reading shopper, with a vocabulary of your own.
 *
 * @example
 * const task = { id: "own", env: "shop", seed: 1, goal: "i want a red mug, dishwasher safe", split: "train" };
 * const expert = createExpert({ vocabulary: ["dishwasher safe"] });
 * console.log(expert.start(task, createRng(1)).next({ action: undefined, observation: "WebShop\nSearch" })); // search[dishwasher safe red mug red mug]
 */
export function createExpert(options: ExpertOptions): Demonstrator {
  const vocabulary = [...new Set(options.vocabulary.map((phrase) => phrase.toLowerCase()))]
    .filter((phrase) => phrase !== "")
    .sort((left, right) => right.length - left.length);
  return {
    id: "expert",
    summary: "Reads instruction, results, options and features, and buys what has everything asked for.",
    start: (task: Task) => goShopping(readInstruction(task.goal, vocabulary), options.maxSteps ?? 15),
  };
}

function goShopping(wishes: Wishes, maxSteps: number): Demonstration {
  const memory = createMemory(maxSteps);
  let searches = 0;
  return {
    next: (seen) => {
      const { admissible } = seen;
      const clickable = (text: string): boolean => admissible?.includes(`click[${text.toLowerCase()}]`) ?? true;
      const sight = readPage(seen.observation, clickable);
      memory.remember(seen, sight);
      if (sight.kind === "search") searches += 1;
      if (sight.kind === "search") return `search[${searchWords(wishes, searches)}]`;
      if (sight.kind === "results") return `click[${pickResult(sight, wishes, memory)}]`;
      return sight.kind === "item" ? `click[${weighItem(sight, wishes, memory)}]` : "click[< prev]";
    },
  };
}

/** First everything asked for, variants with double weight: few products have them all. Then the thing alone. */
function searchWords({ attributes, words, rest }: Wishes, searches: number): string {
  const all = searches === 1 ? [...attributes, ...words, ...words] : words;
  return all.length === 0 ? rest.replaceAll(/[[\]|]/g, " ") : all.join(" ");
}

function pickResult(sight: ResultsSight, { priceCap }: Wishes, memory: Memory): string {
  const met = sight.listings.map(({ label }) => memory.candidate(label)).filter((one) => one !== undefined);
  const affordable = met.filter(({ rejected, listing }) => !rejected && listing.lowPrice <= priceCap);
  // The price of a range is somewhere in it, so one that may be too dear comes last. Else the shop's order is good.
  const best = affordable.find(({ listing }) => listing.highPrice <= priceCap) ?? affordable[0];
  if (best !== undefined) return best.listing.label;
  if (met.length > 0 && sight.number < LAST_PAGE && memory.stepsLeft() > 6) return "next >";
  return met[0]?.listing.label ?? "back to search";
}

function weighItem(sight: ItemSight, wishes: Wishes, memory: Memory): string {
  const current = memory.current();
  const { values, uncovered } = matchOptions(sight, wishes);
  const known = `${sight.title.toLowerCase()}\n${current?.text ?? ""}`;
  const missing = wishes.attributes.filter((attribute) => !known.includes(attribute));
  const open = values.filter((value) => current?.chosen.has(value) !== true);
  // Reading the features and coming back takes two steps, as does opening another product; one more for a last option.
  const hasTime = memory.stepsLeft() >= open.length + 4;
  if (current !== undefined && hasTime) {
    if (uncovered.length > 0 || (missing.length > 0 && current.readFeatures)) {
      current.rejected = true;
      return "< prev";
    }
    if (missing.length > 0) return "features";
  }
  return open[0] ?? "buy now";
}

/** The values to click, and the words that neither title nor values speak of. */
function matchOptions({ options, title }: ItemSight, { rest }: Wishes): { values: string[]; uncovered: string[] } {
  const values: string[] = [];
  let open = rest;
  for (const option of options) {
    const value = mentionedValue(open, option);
    if (value === undefined) continue;
    values.push(value);
    open = withoutMention(open, option.name, value);
  }
  const met = new Set([title, ...options.map(({ name }) => name)].flatMap(wordsOf));
  return { values, uncovered: meaningfulWords(open).filter((word) => !met.has(word)) };
}

// What the expert keeps in mind while it shops: the products it has met, and how many steps are left.

/** What is known of a product. */
interface Candidate {
  readonly listing: Listing;
  /** Lower-case texts read so far: title, features, description. */
  text: string;
  readFeatures: boolean;
  rejected: boolean;
  /** Values clicked since its page was opened. */
  chosen: Set<string>;
}

interface Memory {
  /** Takes in one moment; to be called for each, in order. */
  remember(seen: Seen, sight: Sight): void;
  candidate(label: string): Candidate | undefined;
  /** The product whose page or sub-page is open. */
  current(): Candidate | undefined;
  stepsLeft(): number;
}

function createMemory(maxSteps: number): Memory {
  const candidates = new Map<string, Candidate>();
  let current: Candidate | undefined;
  let moments = 0;
  const meet = (listing: Listing): void => {
    if (candidates.has(listing.label)) return;
    const text = listing.title.toLowerCase();
    candidates.set(listing.label, { listing, text, readFeatures: false, rejected: false, chosen: new Set() });
  };
  const lookAt = (sight: Sight & { readonly kind: "item" }, label: string): void => {
    const opened = candidates.get(label);
    if (current === undefined && opened !== undefined) {
      current = opened;
      current.chosen = new Set();
    } else if (sight.options.some(({ values }) => values.includes(label))) current?.chosen.add(label);
  };
  return {
    remember: (seen, sight) => {
      moments += 1;
      const label = /^click\[(.*)\]$/s.exec(seen.action ?? "")?.[1]?.toLowerCase() ?? "";
      if (sight.kind === "results") sight.listings.forEach(meet);
      if (sight.kind === "results" || sight.kind === "search") current = undefined;
      if (sight.kind === "item") lookAt(sight, label);
      if (sight.kind === "text" && current !== undefined) {
        current.text += `\n${sight.text}`;
        current.readFeatures ||= label === "features";
      }
    },
    candidate: (label) => candidates.get(label),
    current: () => current,
    stepsLeft: () => maxSteps + 1 - moments,
  };
}
