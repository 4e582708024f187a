/** What the shop sells: products, a catalogue that finds them by the label that is clicked, and the search in it. */
import { stemmer } from "stemmer";
import { buildBm25 } from "limbeck-base/base/bm25";
import { EngineError } from "limbeck-base/base/errors";

export interface ProductOption {
  /** Lower-case: "color", "size". */
  readonly name: string;
  /** Lower-case; each one is a label that can be clicked. */
  readonly values: readonly string[];
}

export interface Review {
  readonly title: string;
  readonly score: string;
  readonly body: string;
}

export interface Product {
  readonly asin: string;
  readonly title: string;
  readonly description: string;
  readonly bullets: readonly string[];
  /** garden, fashion, beauty, electronics or grocery in the official files. */
  readonly category: string;
  /** The search words under which the shop keeps it; part of the type term of the reward. */
  readonly query: string;
  /** Path through the departments, joined by " › ". */
  readonly productCategory: string;
  /** What is paid. Where the shop shows a range, one draw from it, fixed when the catalogue is made. */
  readonly price: number;
  /** What is shown: "$12.5" or "$10.0 to $12.5". */
  readonly priceTag: string;
  /** As shown: "4.3", or "N.A.". */
  readonly rating: string;
  readonly reviews: readonly Review[];
  readonly options: readonly ProductOption[];
  /** What the reward compares goal attributes with; never shown as such. */
  readonly attributes: readonly string[];
}

export interface Catalogue {
  readonly products: readonly Product[];
  /** Position of the product whose asin, in lower case, is this label. */
  readonly byLabel: ReadonlyMap<string, number>;
}

/** An asin longer than this is an error of the original's data, and it skips such a product. */
export const MAX_ASIN_LENGTH = 10;

/**
 * A catalogue of your own products. Two with the same asin are refused.
 *
 * @example
 * import { generateCatalogue } from "limbeck/env";
 *
 * const { products } = generateCatalogue({ products: 3, seed: 1 });
 * console.log(createCatalogue(products.slice(1)).byLabel.size); // 2
 */
export function createCatalogue(products: readonly Product[]): Catalogue {
  if (products.length === 0) {
    throw new EngineError("empty-catalogue", "The catalogue holds no product; a shop needs at least one.");
  }
  const byLabel = new Map<string, number>();
  products.forEach((product, position) => {
    const label = product.asin.toLowerCase();
    const other = byLabel.get(label);
    if (other !== undefined) {
      throw new EngineError(
        "duplicate-id",
        `Products ${other} and ${position} of the catalogue are both "${product.asin}"; every asin must be unique (upper and lower case count as equal).`,
        { details: { asin: product.asin } },
      );
    }
    byLabel.set(label, position);
  });
  return { products, byLabel };
}

/** The tag of one price or of a range. The original prints floats, so a whole number keeps its ".0". */
export function priceTag(low: number, high: number = low): string {
  const text = (price: number): string => `$${Number.isInteger(price) ? price.toFixed(1) : String(price)}`;
  return low === high ? text(low) : `${text(low)} to ${text(high)}`;
}

/*
 * The shop's search: BM25 over lower-cased title, description, first bullet and options; up to 50 products.
 * k1 0.9 and b 0.4 are the defaults of Pyserini, through which the original asks Lucene.
 */

export const MAX_RESULTS = 50;

/** Lucene refuses a query of more clauses; here the rest is ignored, so that a 100 kB query costs no more. */
const MAX_QUERY_TOKENS = 1_024;
const MAX_QUERY_CHARACTERS = 20_000;

export interface ShopSearch {
  /** Positions of the best products, best first; equal scores in the order of the catalogue. */
  (words: string): Int32Array;
}

export function createSearch({ products }: Catalogue): ShopSearch {
  const analyse = createAnalyser();
  const index = buildBm25(documents(products, analyse), { k1: 0.9, b: 0.4 });
  return (words) => {
    const tokens = analyse(words.slice(0, MAX_QUERY_CHARACTERS)).slice(0, MAX_QUERY_TOKENS);
    return Int32Array.from(index.search(tokens, MAX_RESULTS), (hit) => hit.document);
  };
}

function* documents(products: readonly Product[], analyse: (text: string) => string[]): Generator<string[]> {
  for (const product of products) yield analyse(searchableText(product));
}

/** What is indexed of a product. */
export function searchableText({ title, description, bullets, options }: Product): string {
  const optionText = options.map(({ name, values }) => `${name}: ${values.join(", ")}`).join(", and ");
  return [title, description, bullets[0] ?? "", optionText].join(" ").toLowerCase();
}

/*
 * Text to search tokens, in the manner of Lucene's English analyser, which the original's search engine uses: words,
 * possessive endings off, lower case, 33 stop words out, Porter stems.
 */

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this " +
    "to was will with"
  ).split(" "),
);

/**
 * Letters and digits, joined over a dot, comma or apostrophe only between two of them ("3.5", "don't"). Scripts written
 * without blanks give one token per character.
 */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}]|[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_]|['’.,](?=[\p{L}\p{N}]))*/gu;

interface Analyser {
  (text: string): string[];
}

/** Stems are remembered per analyser: a catalogue repeats few words many times. */
export function createAnalyser(): Analyser {
  const stems = new Map<string, string>();
  return (text) => {
    const tokens: string[] = [];
    for (const [match] of text.toLowerCase().matchAll(WORD)) {
      const word = match.replace(/['’]s$/, "");
      if (STOP_WORDS.has(word)) continue;
      let stem = stems.get(word);
      if (stem === undefined) {
        stem = stemmer(word);
        // What people type is unbounded, so only words of a usual length are kept, and not without end.
        if (word.length <= 32 && stems.size < 200_000) stems.set(word, stem);
      }
      tokens.push(stem);
    }
    return tokens;
  };
}
