/**
 * An in-process BM25 index: documents of tokens in, the best `limit` documents out.
 *
 *   score(d, q) = sum over query tokens t of  idf(t) * f (k1 + 1) / (f + k1 (1 - b + b |d| / average))
 *   idf(t) = ln(1 + (N - n + 1/2) / (n + 1/2))
 *
 * f is how often t stands in d, n in how many documents, N how many there are. The logarithm's "1 +" keeps the weight
 * of a very common token above zero (the form Lucene uses). A token twice in the query counts twice.
 *
 * Weights are worked out at build time, so a search only adds. Equal scores are ordered by document number.
 *
 * Tokens are taken by falling greatest weight. Once all that is left together cannot lift a new document among the
 * best, only the documents met so far are looked up further (the MaxScore rule of Turtle and Flood, 1995): the result
 * is the same, and a "the" in the query no longer costs a walk through the whole corpus.
 */
import { EngineError } from "./errors.ts";

export interface Bm25Options {
  /** How soon repetitions of a token stop counting. Default: 1.2. */
  readonly k1?: number;
  /** How much long documents are held back, 0 to 1. Default: 0.75. */
  readonly b?: number;
}

interface Bm25Hit {
  /** Position of the document in the order given. */
  readonly document: number;
  readonly score: number;
}

export interface Bm25Index {
  readonly size: number;
  /** The best documents that hold at least one of the tokens, best first. */
  search(tokens: readonly string[], limit: number): Bm25Hit[];
}

interface Postings {
  readonly terms: ReadonlyMap<string, number>;
  /** Postings of term t are at offsets[t] to offsets[t + 1]. */
  readonly offsets: Int32Array;
  readonly documents: Int32Array;
  readonly weights: Float64Array;
  /** The greatest weight of each term. */
  readonly greatest: Float64Array;
}

/** Working space of a search. One serves all: a search runs to its end before another begins, and leaves zeros. */
interface Scratch {
  readonly scores: Float64Array;
  /** The documents met, in the first `count` places. */
  readonly touched: Int32Array;
  count: number;
}

export function buildBm25(documents: Iterable<readonly string[]>, options: Bm25Options = {}): Bm25Index {
  const { k1 = 1.2, b = 0.75 } = options;
  if (!(k1 >= 0 && Number.isFinite(k1) && b >= 0 && b <= 1)) {
    throw new EngineError("bad-option", `BM25 needs k1 of at least 0 and b from 0 to 1; got k1 ${k1} and b ${b}.`);
  }
  const { postings, size } = collect(documents, k1, b);
  const scratch = { scores: new Float64Array(size), touched: new Int32Array(size), count: 0 };
  return { size, search: (tokens, limit) => search(postings, scratch, tokens, limit) };
}

function collect(documents: Iterable<readonly string[]>, k1: number, b: number): { postings: Postings; size: number } {
  const terms = new Map<string, number>();
  const holders: number[] = [];
  const lengths: number[] = [];
  // Triples term, document, frequency, in document order.
  const entries: number[] = [];
  let total = 0;
  for (const tokens of documents) {
    const counts = new Map<number, number>();
    for (const token of tokens) {
      let term = terms.get(token);
      if (term === undefined) {
        term = terms.size;
        terms.set(token, term);
        holders.push(0);
      }
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    for (const [term, frequency] of counts) {
      holders[term] = (holders[term] as number) + 1;
      entries.push(term, lengths.length, frequency);
    }
    lengths.push(tokens.length);
    total += tokens.length;
  }
  const size = lengths.length;
  const offsets = new Int32Array(terms.size + 1);
  for (let term = 0; term < terms.size; term += 1) offsets[term + 1] = at(offsets, term) + (holders[term] as number);
  const next = offsets.slice();
  const postings = {
    terms,
    offsets,
    documents: new Int32Array(entries.length / 3),
    weights: new Float64Array(entries.length / 3),
    greatest: new Float64Array(terms.size),
  };
  const average = total / Math.max(1, size);
  for (let entry = 0; entry < entries.length; entry += 3) {
    const term = entries[entry] as number;
    const document = entries[entry + 1] as number;
    const frequency = entries[entry + 2] as number;
    const held = holders[term] as number;
    const rarity = Math.log(1 + (size - held + 0.5) / (held + 0.5));
    const length = 1 - b + (b * (lengths[document] as number)) / average;
    const position = at(next, term);
    next[term] = position + 1;
    postings.documents[position] = document;
    const weight = (rarity * frequency * (k1 + 1)) / (frequency + k1 * length);
    postings.weights[position] = weight;
    postings.greatest[term] = Math.max(weight, at(postings.greatest, term));
  }
  return { postings, size };
}

interface QueryTerm {
  readonly term: number;
  readonly times: number;
  /** The most it can add to a document. */
  readonly most: number;
}

/** Sums in another order may differ in their last digit; a bound that is closer than this decides nothing. */
const ROUNDING = 1 + 1e-9;

function search(postings: Postings, scratch: Scratch, tokens: readonly string[], limit: number): Bm25Hit[] {
  if (limit < 1) return [];
  const { scores, touched } = scratch;
  const { documents, offsets, weights } = postings;
  const terms = queryTerms(postings, tokens);
  let left = terms.reduce((sum, { most }) => sum + most, 0);
  let closed = false;
  for (const { term, times, most } of terms) {
    const [start, end] = [at(offsets, term), at(offsets, term + 1)];
    // Finding the present threshold costs about one walk over the documents met, so it must promise to save more.
    if (!closed && scratch.count >= limit && end - start > scratch.count) {
      const last = selectBest(scratch, limit).at(-1);
      closed = last !== undefined && left * ROUNDING < last.score;
    }
    left -= most;
    if (closed && scratch.count * Math.log2(end - start + 1) < end - start) {
      addToTouched(postings, scratch, start, end, times);
      continue;
    }
    for (let position = start; position < end; position += 1) {
      const document = at(documents, position);
      const before = at(scores, document);
      // Every weight is above zero, so zero means "not met in this search".
      if (before === 0) {
        if (closed) continue;
        touched[scratch.count] = document;
        scratch.count += 1;
      }
      scores[document] = before + times * at(weights, position);
    }
  }
  const best = selectBest(scratch, limit);
  for (let index = 0; index < scratch.count; index += 1) scores[at(touched, index)] = 0;
  scratch.count = 0;
  return best;
}

/** Looks up each document met so far; postings are in document order. */
function addToTouched(postings: Postings, scratch: Scratch, start: number, end: number, times: number): void {
  const { documents, weights } = postings;
  for (let index = 0; index < scratch.count; index += 1) {
    const document = at(scratch.touched, index);
    let [low, high] = [start, end];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at(documents, middle) < document) low = middle + 1;
      else high = middle;
    }
    const isThere = low < end && at(documents, low) === document;
    if (isThere) scratch.scores[document] = at(scratch.scores, document) + times * at(weights, low);
  }
}

/** The known tokens with how often they stand in the query, those with the greatest weight first. */
function queryTerms(postings: Postings, tokens: readonly string[]): QueryTerm[] {
  const counts = new Map<number, number>();
  for (const token of tokens) {
    const term = postings.terms.get(token);
    if (term !== undefined) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const terms = [...counts].map(([term, times]) => ({ term, times, most: times * at(postings.greatest, term) }));
  return terms.sort((one, other) => other.most - one.most || one.term - other.term);
}

/** The `limit` highest, best first, kept in a sorted list: a document worse than the last one costs one comparison. */
function selectBest({ touched, scores, count }: Scratch, limit: number): Bm25Hit[] {
  const best: Bm25Hit[] = [];
  for (let index = 0; index < count; index += 1) {
    const document = at(touched, index);
    const score = at(scores, document);
    const last = best[best.length - 1];
    if (best.length >= limit && last !== undefined && !isBefore(score, document, last)) continue;
    if (best.length >= limit) best.pop();
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(score, document, best[middle] as Bm25Hit)) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, { document, score });
  }
  return best;
}

function isBefore(score: number, document: number, other: Bm25Hit): boolean {
  return score > other.score || (score === other.score && document < other.document);
}

function at(values: Int32Array | Float64Array, index: number): number {
  return values[index] as number;
}
