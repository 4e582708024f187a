/** How the expert reads: an instruction into wishes, and a page of text into what it shows. */
import { cutWords } from "limbeck-base/base/words";
import { stringsOf } from "./observe.ts";

export interface Wishes {
  readonly attributes: readonly string[];
  /** The instruction without price and attributes; option values are looked up in it. */
  readonly rest: string;
  /** Words of `rest` that mean something: the thing itself and the variants asked for. */
  readonly words: readonly string[];
  /** Infinity when no price was named. */
  readonly priceCap: number;
}

/** Words of politeness and grammar; what is left names things. */
const FILLER: ReadonlySet<string> = new Set(
  (
    "a after also am an and any be because below budget buy can cost could dollars does find for get has have i i'm " +
    "in interested is it less looking lower me must my need of on one or order out over pair pick please price prices " +
    "priced run search show some spend stay than that the there to under up us want we which will with would you"
  ).split(" "),
);

/**
 * `vocabulary` are the attributes an experienced customer knows to exist, longest first.
 *
 * @example
 * const { attributes, words, priceCap } = readInstruction("i want a red mug, dishwasher safe, under 20 dollars", ["dishwasher safe"]);
 * console.log(attributes, words, priceCap); // [ "dishwasher safe" ] [ "red", "mug" ] 20
 */
export function readInstruction(instruction: string, vocabulary: readonly string[]): Wishes {
  const text = instruction.toLowerCase();
  const prices = [...text.matchAll(/(\d+(?:\.\d+)?) dollars/g)];
  let rest = text.replaceAll(/(\d+(?:\.\d+)?) dollars/g, "|");
  const attributes: string[] = [];
  for (const phrase of vocabulary) {
    if (!rest.includes(phrase)) continue;
    const shorter = rest.replace(phrasePattern(phrase), " | ");
    if (shorter === rest) continue;
    attributes.push(phrase);
    rest = shorter;
  }
  const cap = Number(prices.at(-1)?.[1] ?? Number.POSITIVE_INFINITY);
  return { attributes, rest, words: meaningfulWords(rest), priceCap: cap };
}

/**
 * The value of this option that the text asks for, if any. The longest one counts; "6" does not stand in "6.5".
 *
 * @example
 * console.log(mentionedValue("a shirt in navy blue", { name: "color", values: ["blue", "navy blue"] })); // navy blue
 */
export function mentionedValue(text: string, { name, values }: ShownOption): string | undefined {
  const longestFirst = values.toSorted((left, right) => right.length - left.length);
  const mentioned = (phrase: string): boolean => text.includes(phrase) && phrasePattern(phrase).test(text);
  return longestFirst.find((value) => mentioned(`${name}: ${value}`)) ?? longestFirst.find(mentioned);
}

/** The text without its first mention of the value, as a pair if it stands there as one. */
export function withoutMention(text: string, name: string, value: string): string {
  const pair = text.replace(phrasePattern(`${name}: ${value}`), " | ");
  return pair === text ? text.replace(phrasePattern(value), " | ") : pair;
}

export function meaningfulWords(text: string): string[] {
  return [...new Set(wordsOf(text).filter((word) => !FILLER.has(word)))];
}

export function wordsOf(text: string): string[] {
  return cutWords(text, { pattern: /[a-z0-9][a-z0-9.'-]*[a-z0-9]|[a-z0-9]/g });
}

function phrasePattern(phrase: string): RegExp {
  const literal = phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\w.-])${literal}(?![\w-]|\.\d)`);
}

export interface Listing {
  readonly label: string;
  readonly title: string;
  readonly lowPrice: number;
  readonly highPrice: number;
}

export interface ShownOption {
  readonly name: string;
  readonly values: readonly string[];
}

export type Sight =
  | { readonly kind: "search" }
  | { readonly kind: "results"; readonly number: number; readonly listings: readonly Listing[] }
  | {
      readonly kind: "item";
      readonly title: string;
      readonly options: readonly ShownOption[];
    }
  | { readonly kind: "text"; readonly text: string };

/**
 * Works on all observation forms. `clickable` tells option values, which can be clicked, from option names.
 *
 * @example
 * console.log(readPage("WebShop\nInstruction:\ni want a mug\nSearch", () => false)); // { kind: "search" }
 */
export function readPage(observation: string, clickable: (text: string) => boolean): Sight {
  const strings = stringsOf(observation).map((text) => (/^'.*'$/s.test(text) ? text.slice(1, -1) : text));
  const body = strings.slice(strings.indexOf("Back to Search") + 1);
  if (strings.at(-1) === "Search" && !strings.includes("Back to Search")) return { kind: "search" };
  const number = /^Page (\d+) \(Total results: \d+\)$/.exec(body[0] ?? "")?.[1];
  if (number !== undefined) return { kind: "results", number: Number(number), listings: readListings(body) };
  if (strings.at(-1) !== "Buy Now") return { kind: "text", text: body.slice(1).join("\n").toLowerCase() };
  const price = body.findLastIndex((text) => text.startsWith("Price: "));
  const choices = body.slice(1, Math.max(1, price - 1));
  return { kind: "item", title: body[price - 1] ?? "", options: readOptions(choices, clickable) };
}

function readOptions(choices: readonly string[], clickable: (text: string) => boolean): ShownOption[] {
  const options: { name: string; values: string[] }[] = [];
  for (const choice of choices) {
    const last = options.at(-1);
    if (last === undefined || !clickable(choice)) options.push({ name: choice, values: [] });
    else last.values.push(choice);
  }
  return options;
}

function readListings(body: readonly string[]): Listing[] {
  const first = body.indexOf("Next >") + 1;
  const listings: Listing[] = [];
  for (let at = first; at + 2 < body.length; at += 3) {
    const [asin = "", title = "", tag = ""] = body.slice(at, at + 3);
    const prices = [...tag.matchAll(/\$(\d+(?:\.\d+)?)/g)].map((match) => Number(match[1]));
    listings.push({ label: asin.toLowerCase(), title, lowPrice: prices[0] ?? 0, highPrice: prices.at(-1) ?? 0 });
  }
  return listings;
}
