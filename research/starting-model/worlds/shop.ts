/** The shop: who knows searches well, reads, chooses what was asked for and buys; a novice forgets some of it. */
import type { Seen } from "limbeck/env";
import { createExpert } from "../../../packages/worlds/src/shop/expert.ts";
import {
  mentionedValue,
  readInstruction,
  readPage,
  type Sight,
  type Wishes,
} from "../../../packages/worlds/src/shop/reading.ts";
import { stockVocabulary } from "../../../packages/worlds/src/shop/generate.ts";
import { guess, type Demonstrated, type Moment, type StartingWorld, type Way } from "./starting-world.ts";

const OPTIONS = { preset: "brief" } as const;
const MAX_STEPS = 10;

/** Chances that are tuned so that about three unadvised errands in ten end with the right purchase. */
const CHANCES = { searchesWell: 0.6, opensBest: 0.55, readsFeatures: 0.12, choosesRightly: 0.74, buysAtOnce: 0.14 };

const vocabulary = stockVocabulary()
  .map((phrase) => phrase.toLowerCase())
  .sort((left, right) => right.length - left.length);

export const shop: StartingWorld = {
  name: "shop",
  options: OPTIONS,
  chances: CHANCES,
  // Catalogues of other seeds than the usual 0: no product of it is ever met.
  place: (shard) => ({ options: { ...OPTIONS, seed: 1_000 + shard }, offset: 0, count: 2_000 }),
  shards: 12,
  updates: 3_000,
  lessonsPerTask: 3,
  mostTokens: 1_200,
  answerTokens: 40,
  freeText: false,
  start: (task, rng) => {
    const expert = createExpert({ vocabulary, maxSteps: MAX_STEPS }).start(task, rng);
    return shopper(readInstruction(task.goal, vocabulary), (seen) => expert.next(seen));
  },
  essential,
  otherWords: (command) => {
    const [, words] = /^search\[(.*)\]$/.exec(command) ?? [];
    if (words !== undefined) return [`search for ${words}`, `look for ${words}`, `type ${words} in the search bar`];
    const [, label = ""] = /^click\[(.*)\]$/.exec(command) ?? [];
    if (label === "buy now") return ["buy it", "buy now", "place the order"];
    if (/^B0\w{8}$/.test(label)) return [`open ${label}`, `take product ${label}`, `go to the page of ${label}`];
    return [`choose ${label}`, `select ${label}`, `press ${label}`];
  },
};

function shopper(wishes: Wishes, expert: (seen: Seen) => string): Demonstrated {
  const chosen = new Set<string>();
  return {
    see: (seen) => {
      const clickable = (text: string): boolean => seen.admissible?.includes(`click[${text.toLowerCase()}]`) ?? true;
      const sight = readPage(seen.observation, clickable);
      if (sight.kind === "results" || sight.kind === "search") chosen.clear();
      if (sight.kind === "item" && seen.action !== undefined) chosen.add(seen.action);
      return momentAt(sight, wishes, chosen, asShown(expert(seen), seen.observation));
    },
  };
}

/** Product labels as the page has them, and every search word once: both are easier to copy. */
function asShown(command: string, observation: string): string {
  const [, label] = /^click\[(b0\w{8})\]$/.exec(command) ?? [];
  if (label !== undefined && observation.includes(label.toUpperCase())) return `click[${label.toUpperCase()}]`;
  const [, words] = /^search\[(.*)\]$/.exec(command) ?? [];
  return words === undefined ? command : `search[${[...new Set(words.split(" "))].join(" ")}]`;
}

function momentAt(sight: Sight, wishes: Wishes, chosen: ReadonlySet<string>, best: string): Moment {
  if (sight.kind === "search") {
    const [thing, features] = [wishes.words.join(" "), [...wishes.attributes, ...wishes.words.slice(0, 2)].join(" ")];
    return guess(best, CHANCES.searchesWell, [`search[${thing}]`, `search[${features}]`]);
  }
  if (sight.kind === "results") {
    const products = sight.listings.map(({ label }) => `click[${label.toUpperCase()}]`);
    return guess(best, products.includes(best) ? CHANCES.opensBest : 0.5, products.slice(0, 4));
  }
  return sight.kind === "item" ? onItem(sight, wishes, chosen, best) : { best, ways: [{ command: best, weight: 1 }] };
}

/** A novice goes through the options in order: the value asked for, another one, or none; it seldom reads on. */
function onItem(
  { options }: Sight & { readonly kind: "item" },
  { rest }: Wishes,
  chosen: ReadonlySet<string>,
  best: string,
): Moment {
  const open = options.find(({ values }) => !values.some((value) => chosen.has(`click[${value}]`)));
  const ways: Way[] = [];
  if (open === undefined) ways.push({ command: "click[buy now]", weight: 1 - CHANCES.readsFeatures });
  else {
    const wanted = mentionedValue(rest, open);
    const others = open.values.filter((value) => value !== wanted);
    const right = wanted === undefined ? 0 : CHANCES.choosesRightly;
    if (wanted !== undefined) ways.push({ command: `click[${wanted}]`, weight: right });
    const share = (1 - right - CHANCES.buysAtOnce) / Math.max(1, others.length);
    ways.push(
      ...others.map((value) => ({ command: `click[${value}]`, weight: share * (wanted === undefined ? 0.5 : 1) })),
    );
    ways.push({ command: "click[buy now]", weight: CHANCES.buysAtOnce });
  }
  if (!chosen.has("click[< prev]")) ways.push({ command: "click[features]", weight: CHANCES.readsFeatures });
  return {
    best,
    ways: ways.some(({ command }) => command === best) ? ways : [...ways, { command: best, weight: 0.05 }],
  };
}

/** The search and the pages that led to the product bought, what was chosen there, the purchase. */
function essential(actions: readonly string[]): readonly string[] {
  let way: string[] = [];
  let choices: string[] = [];
  for (const action of actions) {
    if (action.startsWith("search[")) [way, choices] = [[action], []];
    else if (action === "click[next >]") way.push(action);
    else if (/^click\[B0\w{8}\]$/.test(action)) {
      way = [...way.filter((before) => !before.startsWith("click[B0")), action];
      choices = [];
    } else if (!/^click\[(features|description|reviews|< prev|back to search)\]$/.test(action)) choices.push(action);
  }
  return [...way, ...choices];
}
