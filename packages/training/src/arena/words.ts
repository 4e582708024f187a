/** Conclusions of an arena as text: which arms are better, and what the data leave open. */
import { hasInterval } from "limbeck-base/base/statistics/student-t";
import type { Account } from "./budget.ts";
import type { Comparison } from "./decide.ts";
import type { ArenaSummary, Estimate } from "./summary.ts";

/** What is counted, as a person says it. */
export const accountNames: Readonly<Record<Account, string>> = {
  steps: "environment steps",
  tokens: "sampled tokens",
  "model-tokens": "tokens through any model",
  seconds: "seconds of training",
  updates: "updates",
};

/** "1 update", "20,000 environment steps". */
export function amountWords(amount: number, account: Account): string {
  const name = accountNames[account];
  const count = amount.toLocaleString("en-GB", { maximumFractionDigits: 0 });
  return `${count} ${amount === 1 ? name.replace(/(?<=step|token|second|update)s/, "") : name}`;
}

/**
 * One sentence for each comparison of the primary measure.
 *
 * @example
 * import { compareArms } from "limbeck/eval";
 *
 * const pairs = compareArms({ opid: [0.8, 0.9, 0.85], grpo: [0.5, 0.62, 0.56] });
 * for (const pair of pairs) console.log(comparisonWords({ ...pair, moreSeeds: 0 })); // opid is better than grpo: +0.290 [+0.265, +0.315], p below 0.001 after correction, 3 seeds.
 */
export function comparisonWords(one: Comparison): string {
  const { left, right, pairs, better, difference, moreSeeds } = one;
  const figures = differenceWords(one);
  if (better !== null) {
    const worse = better === left ? right : left;
    const { low, high } = one.interval;
    const interval = better === left ? one.interval : { low: -high, high: -low };
    const more = differenceWords({ pairs, difference: Math.abs(difference), interval });
    return `${better} is better than ${worse}: ${more}, p ${pWords(one.adjustedP)} after correction, ${seedWords(pairs)}.`;
  }
  if (pairs === 0) return `${left} and ${right}: no seed is finished for both.`;
  if (pairs === 1) return `${left} and ${right}: one seed separates nothing; give at least three.`;
  if (difference === 0) return `${left} and ${right}: not separated by ${seedWords(pairs)}; no difference was seen.`;
  const more =
    moreSeeds === null
      ? "no number of seeds within reach would be enough if the difference stays"
      : `about ${moreSeeds} more would be needed if the difference stays`;
  return `${left} and ${right}: not separated by ${seedWords(pairs)} (${figures}); ${more}.`;
}

/**
 * The outcome in one sentence.
 *
 * @example
 * const settings = { tasks: 1, group: 2, maxSteps: 2 };
 * const { summary } = await arena({ arms: ["grpo"], seeds: 1, budget: "updates=1", settings, evaluation: { tasks: 1, finalTasks: 0 } });
 * console.log(verdictWords(summary)); // One arm alone: there is nothing to compare.
 */
export function verdictWords({ plan, accounts }: ArenaSummary): string {
  const [primary] = accounts;
  if (primary === undefined) return "No run is finished yet.";
  if (plan.arms.length === 1) return "One arm alone: there is nothing to compare.";
  const measure = `area under the validation curve at equal ${accountNames[primary.account]}`;
  const { winner } = primary.area.standings;
  if (winner !== null) return `${winner} wins: better than every other arm in ${measure}.`;
  const separated = primary.area.comparisons.filter(({ better }) => better !== null);
  if (separated.length === 0) return `No winner: no two arms are separated in ${measure}.`;
  const all = plural(primary.area.comparisons.length, "pair");
  return `No winner: ${separated.length} of ${all} ${separated.length === 1 ? "is" : "are"} separated in ${measure}.`;
}

/** A mean over seeds with its interval, or with how few they are. */
export function estimateWords({ mean, low, high, seeds }: Estimate, show = fixed): string {
  if (seeds === 0) return "–";
  return `${show(mean)} ${hasInterval(seeds) ? `[${show(low)}, ${show(high)}]` : `(${seedWords(seeds)})`}`;
}

/** A difference within seeds, with its interval where there are enough of them. */
export function differenceWords({
  pairs,
  difference,
  interval: { low, high },
}: Pick<Comparison, "pairs" | "difference" | "interval">): string {
  return hasInterval(pairs) ? `${withSign(difference)} [${withSign(low)}, ${withSign(high)}]` : withSign(difference);
}

/** The note on figures without one. */
export function fewSeedsWords(seeds: number): string {
  return `${seedWords(seeds)}, too few for an interval`;
}

function fixed(value: number): string {
  return value.toFixed(3);
}

/** Ranks an arm may have: "1", or "1 to 3" where the data cannot tell. */
export function rankWords({ bestRank, worstRank }: { readonly bestRank: number; readonly worstRank: number }): string {
  return bestRank === worstRank ? String(bestRank) : `${bestRank} to ${worstRank}`;
}

/**
 * A difference with its sign, as all words of an arena have it.
 *
 * @example
 * console.log(withSign(0.25), withSign(-0.25, 1)); // +0.250 −0.3
 */
export function withSign(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text = Math.abs(value).toFixed(digits);
  return `${value < 0 && Number(text) !== 0 ? "−" : "+"}${text}`;
}

function seedWords(seeds: number): string {
  return plural(seeds, "seed");
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function pWords(p: number): string {
  return p < 0.001 ? "below 0.001" : p.toFixed(3);
}
