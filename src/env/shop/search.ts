/**
 * The shop's search: BM25 over lower-cased title, description, first bullet and options; up to 50 products.
 * k1 0.9 and b 0.4 are the defaults of Pyserini, through which the original asks Lucene.
 */
import { buildBm25 } from "../../base/bm25.ts";
import { createAnalyser } from "./analyse.ts";
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
