/**
 * A paired comparison that may be looked at after any pair, stopped at any time, and gone on with by a later run.
 *
 * A pair is better (only the first arm succeeded), worse (only the second), or the same: d = 1, -1 or 0. Against "the mean of d is
 * at most m" somebody bets a share c of what can be lost in a pair, before each pair:
 *
 *   K(c) = (1 + c (1 - m) / (1 + m))^better · (1 - c)^worse · (1 - c m / (1 + m))^same,   e(m) = mean of K(c) over c in (0, 1)
 *
 * Under that hypothesis no bet gains in expectation, so that e is a nonnegative supermartingale that begins at 1, and the chance
 * that it EVER reaches 1/a is at most a (Ville 1939). For m = 0 the mean over all c has a closed form, with n = better + worse:
 *
 *   e(0) = (sum over k from 0 to better of C(n + 1, k)) / ((n + 1) C(n, better))
 *
 * The counts are the whole state: a rerun that adds pairs goes on where the last run stopped, and a is not spent anew. The means m
 * that are not refused are an interval that holds at all times at once; it leaves 0 out exactly when e(0) reaches the bound. Source:
 * Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, arXiv 2010.09686. Bets are BETS points of
 * equal weight, which is a mixture too, so that no digit of the promise rests on a quadrature.
 *
 * What it holds for: in each trial, given all before it, the arm that is doubted is not likelier to succeed. That is so for a text
 * that changes nothing, in whatever order and however often tasks are tried. For a text that helps on some tasks of a file and
 * harms on others it holds at the end of each whole round over the file, because a geometric mean is at most an arithmetic one.
 */
import type { Difference } from "../../skill/library/library-skill.ts";

/** Pairs by how they came out. Evidence of two runs is the sum of their counts. */
export interface PairCounts {
  readonly better: number;
  readonly worse: number;
  readonly same: number;
}

export const NO_PAIRS: PairCounts = { better: 0, worse: 0, same: 0 };

/** Wrong in one direction at most this often, over all looks and reruns; both directions together 5%. */
export const LEVEL = 0.025;

const BETS = 200;

interface Logs {
  readonly better: Float64Array;
  readonly worse: Float64Array;
  readonly same: Float64Array;
}

const logsFor = new Map<number, Logs>();

/** The logarithms of what each bet gains by a pair. Those of m = 0 and of the bounds of a verdict are asked for again and again. */
function logsOf(m: number): Logs {
  const known = logsFor.get(m);
  if (known !== undefined) return known;
  const bets = Float64Array.from({ length: BETS }, (_, at) => (at + 0.5) / BETS);
  const logs = {
    better: bets.map((c) => Math.log1p((c * (1 - m)) / (1 + m))),
    worse: bets.map((c) => Math.log1p(-c)),
    same: bets.map((c) => Math.log1p((-c * m) / (1 + m))),
  };
  if (logsFor.size < 16) logsFor.set(m, logs);
  return logs;
}

/** The logarithm of e against "the mean is at most m"; the mean is between -1 and 1. */
export function logEvidenceAbove(counts: PairCounts, m: number): number {
  const gains = gainsOf(counts, m);
  const most = Math.max(...gains);
  return most + Math.log(gains.reduce((sum, gain) => sum + Math.exp(gain - most), 0) / BETS);
}

function gainsOf({ better, worse, same }: PairCounts, m: number): Float64Array {
  const logs = logsOf(m);
  return logs.better.map((gain, at) => better * gain + worse * (logs.worse[at] ?? 0) + same * (logs.same[at] ?? 0));
}

const NEEDED = -Math.log(LEVEL);

/** Whether the pairs show a mean above m. */
export function isAbove(counts: PairCounts, m: number, level = LEVEL): boolean {
  const { better, worse } = counts;
  if (level !== LEVEL) return logEvidenceAbove(counts, m) >= -Math.log(level);
  if (m === 0) return better >= leastBetter(better + worse);
  return logEvidenceAbove(counts, m) >= NEEDED;
}

/** By the number of pairs that differ. */
const least: number[] = [];

/** Of so many pairs that differ so many must be better for a mean above 0; one more never makes it fewer. */
function leastBetter(differing: number): number {
  while (least.length <= differing) {
    const pairs = least.length;
    let better = least.at(-1) ?? 0;
    while (better <= pairs && logEvidenceAbove({ better, worse: pairs - better, same: 0 }, 0) < NEEDED) better += 1;
    least.push(better);
  }
  return least[differing] ?? 0;
}

/** Whether the pairs show a mean below m. */
export function isBelow(counts: PairCounts, m: number): boolean {
  return isAbove(swapped(counts), -m);
}

function swapped({ better, worse, same }: PairCounts): PairCounts {
  return { better: worse, worse: better, same };
}

/** The mean, and the interval that holds at every look of every run. */
export function differenceOf(counts: PairCounts): Difference {
  const { better, worse, same } = counts;
  const pairs = better + worse + same;
  const value = pairs === 0 ? 0 : (better - worse) / pairs;
  return { value, low: lowest(counts), high: 0 - lowest(swapped(counts)) };
}

const HALVINGS = 30;

/** e falls as m grows, for every bet: the bound lies where it reaches 1/a. */
function lowest(counts: PairCounts): number {
  let [low, high] = [-1, 1];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (isAbove(counts, middle)) low = middle;
    else high = middle;
  }
  return low <= -1 + 1e-6 ? -1 : low;
}

/** One pair: success (1 or 0) with and without; null where an arm could not be scored. */
export type Pair = readonly [withSkill: number | null, without: number | null];

export function countPairs(pairs: readonly Pair[], start: PairCounts = NO_PAIRS): PairCounts {
  let { better, worse, same } = start;
  for (const [left, right] of pairs) {
    if (left === null || right === null) continue;
    if (left > right) better += 1;
    else if (left < right) worse += 1;
    else same += 1;
  }
  return { better, worse, same };
}
