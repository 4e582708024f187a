/** Two arms on the same tasks: better, worse or tied, and how many tasks more would decide a tie. */
import { EngineError } from "../errors.ts";
import { tailOf, type Interval } from "./interval.ts";
import { normalQuantile } from "./normal.ts";
import { signTest } from "./paired-tests.ts";
import { boundedDifference } from "./share.ts";
import { tInterval } from "./student-t.ts";
import { mean, sampleDeviation, sum } from "./summary.ts";

export interface PairedVerdict extends Interval {
  /** Of the second arm; tied where the data do not separate the two. */
  readonly verdict: "better" | "worse" | "tied";
  /** Mean over tasks of the second less the first. */
  readonly difference: number;
  /** Two-sided. */
  readonly p: number;
  /** mcnemar: exact, of successes and failures. t: of the mean of graded differences. */
  readonly test: "mcnemar" | "t";
  readonly tasks: number;
  /** Tasks on which the second arm is ahead, behind, or the same. */
  readonly better: number;
  readonly worse: number;
  readonly equal: number;
  /** Tasks more that would separate a tie, were the difference the one seen; null where none was seen, 0 where nothing is open. */
  readonly more: number | null;
}

export interface PairedSettings {
  readonly confidence?: number;
  /** The chance that so many tasks do separate them. Default: 0.8. */
  readonly power?: number;
}

/**
 * `pairs` are the scores of the first and the second arm, one pair a task. Where all are 0 or 1 the test is McNemar's in its exact
 * form, and the interval that of Agresti and Min; else it is Student's t on the differences. Tasks needed, for a share d of
 * tasks that differ and a difference e: ((z sqrt(d) + z' sqrt(d - e^2)) / e)^2 (Connor 1987) and 1 / e for the exact test, graded
 * ((z + z') s / e)^2.
 *
 * @example
 * const pairs = [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [1, 1]] as const;
 * const { verdict, p, better } = pairedVerdict(pairs);
 * console.log(verdict, p.toFixed(5), better); // better 0.03125 6
 */
export function pairedVerdict(
  pairs: readonly (readonly [first: number, second: number])[],
  { confidence = 0.95, power = 0.8 }: PairedSettings = {},
): PairedVerdict {
  const isBinary = pairs.flat().every((score) => score === 0 || score === 1);
  const differences = pairs.map(([first, second]) => second - first);
  if (pairs.length === 0 || !differences.every(Number.isFinite)) {
    throw new EngineError("bad-sample", "A paired test needs at least one pair, and finite scores.");
  }
  const { better, worse, equal, p: exact } = signTest(differences);
  const interval = isBinary ? boundedDifference(differences, confidence) : tInterval(differences, confidence);
  const p = "p" in interval ? interval.p : exact;
  const difference = mean(differences);
  const isSeparated = p < 2 * tailOf(confidence);
  const needed = tasksNeeded(differences, { isBinary, confidence, power });
  return {
    verdict: !isSeparated ? "tied" : difference > 0 ? "better" : "worse",
    difference,
    low: interval.low,
    high: interval.high,
    p,
    test: isBinary ? "mcnemar" : "t",
    tasks: pairs.length,
    better,
    worse,
    equal,
    more: isSeparated ? 0 : needed === null ? null : Math.max(1, needed - pairs.length),
  };
}

function tasksNeeded(
  differences: readonly number[],
  { isBinary, confidence, power }: { readonly isBinary: boolean } & Required<PairedSettings>,
): number | null {
  const [sure, able] = [normalQuantile(1 - tailOf(confidence)), normalQuantile(power)];
  const effect = Math.abs(mean(differences));
  const graded = ((sure + able) * sampleDeviation(differences)) / effect;
  const differing = sum(differences.map(Math.abs)) / differences.length;
  const connor = (sure * Math.sqrt(differing) + able * Math.sqrt(differing - effect * effect)) / effect;
  // The exact test has the level of one with continuity correction, and fewer tasks that differ than this never reach it.
  const fewest = Math.ceil(1 - Math.log2(2 * tailOf(confidence)));
  const needed = isBinary ? Math.max(connor ** 2 + 1 / effect, fewest / differing) : graded ** 2;
  return Number.isSafeInteger(Math.ceil(needed)) ? Math.ceil(needed) : null;
}
