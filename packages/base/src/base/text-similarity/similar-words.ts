/** First-fit clusters of texts that share their words: what asks the same in other words or another order. */
import { EngineError } from "../errors.ts";
import { groupedBy } from "../grouped-by.ts";
import { cutWords } from "../words.ts";

/** Letters, digits and underscores that stand together, without English articles. */
const WORD = /[\p{L}\p{N}_]+/gu;
const ARTICLES: readonly string[] = ["a", "an", "the"];

/** How often each word stands in a text, and how many there are. */
interface Bag {
  readonly counts: ReadonlyMap<string, number>;
  readonly size: number;
}

/**
 * The cluster of each text, numbered in order of appearance: it joins the first cluster whose first text shares enough
 * words with it, as F1 with counts (ROUGE-1), or opens one. A text without words is like no other.
 */
export function clusterSimilarWords(
  texts: readonly string[],
  { threshold = 0.8 }: { readonly threshold?: number } = {},
): Int32Array {
  if (!(threshold > 0 && threshold <= 1)) {
    throw new EngineError(
      "bad-option",
      `The threshold of shared words is ${threshold}; it must be above 0 and at most 1. Use 0.8 for like questions.`,
    );
  }
  const firsts: Bag[] = [];
  const known = new Map<string, number>();
  return Int32Array.from(texts, (text) => {
    const bag = bagOf(text);
    const found =
      known.get(text) ?? firsts.findIndex((first) => bag.size > 0 && first.size > 0 && f1(bag, first) >= threshold);
    const cluster = found < 0 ? firsts.push(bag) - 1 : found;
    if (bag.size > 0) known.set(text, cluster);
    return cluster;
  });
}

function bagOf(text: string): Bag {
  const words = cutWords(text, { pattern: WORD }).filter((word) => !ARTICLES.includes(word));
  const counts = new Map([...groupedBy(words, (word) => word)].map(([word, same]) => [word, same.length]));
  return { counts, size: words.length };
}

/** In the order of operations of published code, so that a text at the very threshold falls on the same side. */
function f1(own: Bag, other: Bag): number {
  let shared = 0;
  for (const [word, count] of own.counts) shared += Math.min(count, other.counts.get(word) ?? 0);
  const [precision, recall] = [shared / own.size, shared / other.size];
  return shared === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}
