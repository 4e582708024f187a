/**
 * The shop's search: BM25 over lower-cased title, description, first bullet and options; up to 50 products.
 * k1 0.9 and b 0.4 are the defaults of Pyserini, through which the original asks Lucene.
 */
import { stemmer } from "stemmer";
import { buildBm25 } from "../../base/bm25.ts";
import type { Catalogue, Product } from "./product.ts";

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
