/**
 * First-fit clusters of similar texts: each text joins the first cluster whose first text it is similar to, or opens
 * one. The result is that of comparing with every cluster in turn; most comparisons are ruled out beforehand by bounds
 * that cannot be wrong: lengths, pieces that near texts must share, counts of characters, and the longest common
 * subsequence, which is never shorter than the matching blocks together.
 */
import { EngineError } from "../errors.ts";
import { encodeTexts, type EncodedTexts } from "./encoded-texts.ts";
import { createIndelTest } from "./indel-distance.ts";
import { createSketches } from "./letter-sketch.ts";
import { createMatcher, type SimilarityOptions } from "./matching-blocks.ts";
import { createPieceIndex } from "./piece-index.ts";
import { createSimilarityBounds, type SimilarityBounds } from "./similarity-bounds.ts";

export interface SimilarTextsOptions extends SimilarityOptions {
  /** Least similarity to a cluster's first text. Default: 0.95. */
  readonly threshold?: number;
}

/** An entry of the index costs a cache miss, a sketch in order does not. */
const SCAN_PER_VISIT = 3;
const LEAST_VISITS = 256;
/** When pieces said too little of one text, they will of the next ones. */
const SCANS_AFTER_GIVING_UP = 15;

/** The cluster of each text, numbered in order of appearance. */
export function clusterSimilarTexts(texts: readonly string[], options: SimilarTextsOptions = {}): Int32Array {
  const { threshold = 0.95 } = options;
  if (!(threshold > 0 && threshold <= 1)) {
    throw new EngineError(
      "bad-option",
      `The similarity threshold is ${threshold}; it must be above 0 and at most 1. Use 0.95 for near-equal texts.`,
    );
  }
  // Equal texts share a cluster whatever the threshold, so only different ones are looked at.
  const numbers = new Map<string, number>();
  const which = texts.map((text) => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, numbers.size);
    return numbers.size - 1;
  });
  const clusters = firstFit(encodeTexts([...numbers.keys()]), threshold, options);
  return Int32Array.from(which, (index) => clusters[index] as number);
}

function firstFit(texts: EncodedTexts, threshold: number, options: SimilarityOptions): Int32Array {
  const count = texts.starts.length - 1;
  const bounds = createSimilarityBounds(texts, threshold);
  const same = createComparison(texts, bounds, options);
  const clusters = new Int32Array(count);
  /** The first text of each cluster, and the cluster of each text that is one. */
  const firsts: number[] = [];
  const index = createPieceIndex(texts, { capacity: bounds.pieces, furthest: bounds.furthest });
  // Texts too short to be cut are compared with everything of a fitting length.
  const uncut: number[] = [];
  const seen = new Int32Array(count).fill(-1);
  const candidates: number[] = [];

  let scans = 0;

  const byPieces = (text: number): number | undefined => {
    candidates.length = 0;
    const budget = LEAST_VISITS + firsts.length / SCAN_PER_VISIT;
    const complete = index.visit(text, bounds.rangeFor(text, budget), (other, moved) => {
      if (seen[other] === text || !bounds.canMove(text, other, moved)) return;
      seen[other] = text;
      if (same.possible(text, other)) candidates.push(clusters[other] as number);
    });
    if (!complete) return undefined;
    for (const other of uncut) if (same.possible(text, other)) candidates.push(clusters[other] as number);
    candidates.sort((left, right) => left - right);
    return candidates.find((one) => same.certain(text, firsts[one] as number)) ?? -1;
  };

  for (let text = 0; text < count; text += 1) {
    // Where pieces say too little (texts of one template, few words), going through the clusters in order is cheaper.
    let cluster = scans > 0 ? undefined : byPieces(text);
    if (cluster === undefined) {
      scans = scans > 0 ? scans - 1 : SCANS_AFTER_GIVING_UP;
      cluster = firsts.findIndex((other) => same.possible(text, other) && same.certain(text, other));
    }
    if (cluster < 0) {
      cluster = firsts.push(text) - 1;
      const indels = bounds.mostIndels(text);
      if (indels < bounds.length(text)) index.add(text, indels);
      else uncut.push(text);
    }
    clusters[text] = cluster;
  }
  return clusters;
}

interface Comparison {
  /** False only when the two cannot be similar; costs a few operations. */
  possible(text: number, other: number): boolean;
  certain(text: number, other: number): boolean;
}

function createComparison(texts: EncodedTexts, bounds: SimilarityBounds, options: SimilarityOptions): Comparison {
  const { codes, starts } = texts;
  const sketches = createSketches(texts);
  const indels = createIndelTest(codes);
  const matcher = createMatcher(texts, options);
  return {
    possible: (text, other) => {
      const limit = bounds.indels(text, other);
      return limit >= 0 && sketches.near(text, other, limit);
    },
    certain: (text, other) => {
      const limit = bounds.indels(text, other);
      const [from, to] = [starts[text] as number, starts[text + 1] as number];
      const [otherFrom, otherTo] = [starts[other] as number, starts[other + 1] as number];
      if (!sketches.nearByPairs(text, other, limit)) return false;
      if (!indels.within(from, to, otherFrom, otherTo, limit)) return false;
      return matcher.reaches(text, other, bounds.wanted(text, other));
    },
  };
}
