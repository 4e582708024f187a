/**
 * Hierarchy-of-groups advantages (HGPO): steps are compared with steps that share the last 1, 2, ... states.
 *
 *   A = sum over k of w_k * a_k / sum of w_k      w_k = (k + 1)^alpha, over the levels where a_k is not 0
 */
import { option } from "../base/index.ts";
import { defineCredit, type CreditRow, type IndexedBatch, type Term } from "./credit.ts";
import { episodes } from "./examples.ts";
import { groupStatistics, type Grouping, type GroupOptions } from "./group-advantages.ts";
import { outcomeAdvantages } from "./outcome.ts";
import { rowScores, stepReturns } from "./scores.ts";
import { countTrajectoryOnce, deviation, epsilon, gamma, invalidPenalty, mode } from "./shared-options.ts";
import { previousRows, similarity, stateGroups, stateMatch, type StateMatchOptions } from "./states.ts";

export const hgpo = defineCredit({
  info: {
    title: "HGPO",
    paper: "Hierarchy-of-Groups Policy Optimization for Long-Horizon Agentic Tasks",
    confidence: "code",
    formula: [
      "level k = 1 .. history + 1: rows of the task whose last k states are equal, groups of two and more",
      "a_k = (G - mean) / (std + epsilon), or G - mean;   w_k = (k + 1)^alpha",
      "A = sum of w_k * a_k / (sum of w_k + epsilon)   over the levels where a_k is not 0",
    ],
    meaning: "Step advantages that trust comparisons with a longer shared history more.",
    departures: [
      "With baseGroup off a step in a state nobody else visited gets nothing, not even the outcome, as in published code.",
      "A row at its group's mean is left out at that level rather than averaged in, as in published code; here within rounding (1e-12 of the largest return).",
      "The published deviation divides by n at the levels and by n - 1 in the base group; option deviation sets the levels.",
      "A branch's history goes on through its parent.",
    ],
  },
  needs: ["states", "stepRewards"],
  options: {
    mode: mode("mean_std_norm"),
    history: option.number(2, "states before the present one", { least: 0, most: 64, whole: true }),
    alpha: option.number(1, "how much a longer shared history weighs"),
    baseGroup: option.flag(false, "the trajectory's own group advantage as level 0"),
    gamma: gamma(0.95, "step returns"),
    invalidPenalty: invalidPenalty(0.1),
    countTrajectoryOnce,
    stateMatch,
    similarity,
    deviation: deviation("population"),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Three episodes meet in state b; the first two came from the same state a.",
    batch: episodes({
      X: {
        outcome: 1,
        steps: [
          { state: "a", reward: 0 },
          { state: "b", reward: 1 },
        ],
      },
      Y: {
        outcome: 0,
        steps: [
          { state: "a", reward: 0 },
          { state: "b", reward: 0 },
        ],
      },
      Z: {
        outcome: 0.5,
        steps: [
          { state: "c", reward: 0 },
          { state: "b", reward: 0.5 },
        ],
      },
    }),
  },
  compute: (batch, options) => {
    const returns = stepReturns(batch, options.gamma, options.invalidPenalty);
    const group = { scale: options.mode === "mean_std_norm", singleton: "zero", ...options };
    const levels = historyLevels(batch, options).map((grouping) => levelAdvantages(returns, grouping, group));
    const parts = levels.map((advantages, at) => ({
      name: `level${at + 1}`,
      weight: (at + 2) ** options.alpha,
      advantages,
    }));
    if (options.baseGroup) {
      const base = { ...group, singleton: "raw", deviation: "unbiased" };
      const { advantages } = outcomeAdvantages(batch, rowScores(batch, options.invalidPenalty), base);
      parts.unshift({ name: "base", weight: 1, advantages: withoutRounding(advantages) });
    }
    return aggregate(parts, batch.rows.length, options.epsilon);
  },
});

/** For each k the grouping by (task, last k states). Rows with a shorter history share the last group, which is none. */
function historyLevels(
  batch: IndexedBatch<CreditRow & { readonly state: string }>,
  options: StateMatchOptions & { readonly history: number },
): Grouping[] {
  const states = stateGroups(batch, options);
  const depth = options.history + 1;
  const previous = previousRows(batch);
  // Level 1 has a group of none too, so that all levels read alike.
  const levels: Grouping[] = [{ of: states.of, count: states.count + 1 }];
  for (let level = 2; level <= depth; level += 1) {
    const shorter = levels[level - 2] as Grouping;
    const none = shorter.count - 1;
    const keys = new Map<number, number>();
    const of = new Int32Array(previous.length).fill(-1);
    for (let at = 0; at < previous.length; at += 1) {
      const before = previous[at] as number;
      if (before === -1 || shorter.of[before] === none) continue;
      // The last k states are the last k - 1 states of the row before, and the present one.
      const key = (shorter.of[before] as number) * states.count + (states.of[at] as number);
      const known = keys.get(key);
      of[at] = known ?? keys.size;
      if (known === undefined) keys.set(key, keys.size);
    }
    for (let at = 0; at < of.length; at += 1) if (of[at] === -1) of[at] = keys.size;
    levels.push({ of, count: keys.size + 1 });
  }
  return levels;
}

/** Smaller than this beside the largest number is 0: the order in which a mean is summed must decide nothing. */
const ROUNDING = 1e-12;

function withoutRounding(values: Float64Array): Float64Array {
  const least = ROUNDING * largestOf(values);
  return values.map((value) => (Math.abs(value) > least ? value : 0));
}

function largestOf(values: Float64Array): number {
  return values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
}

/** 0 where the level says nothing: no such history, alone in the group, or at its mean. */
function levelAdvantages(returns: Float64Array, groups: Grouping, options: GroupOptions): Float64Array {
  const { centres, scales, sizes } = groupStatistics(returns, groups, options);
  const least = ROUNDING * largestOf(returns);
  const advantages = new Float64Array(returns.length);
  for (let at = 0; at < returns.length; at += 1) {
    const group = groups.of[at] as number;
    if (group === groups.count - 1 || (sizes[group] as number) < 2) continue;
    const distance = (returns[at] as number) - (centres[group] as number);
    if (Math.abs(distance) > least) advantages[at] = distance / (scales[group] as number);
  }
  return advantages;
}

interface Part {
  readonly name: string;
  readonly weight: number;
  readonly advantages: Float64Array;
}

function aggregate(parts: readonly Part[], rows: number, small: number) {
  const totals = new Float64Array(rows);
  for (const { weight, advantages } of parts) {
    for (let at = 0; at < rows; at += 1) if (advantages[at] !== 0) totals[at] = (totals[at] as number) + weight;
  }
  const terms: Record<string, Term> = {};
  for (const { name, weight, advantages } of parts) {
    const perRow = advantages.map((value, at) =>
      value === 0 ? 0 : (value * weight) / ((totals[at] as number) + small),
    );
    terms[name] = { weight: 1, perRow };
  }
  const silent = totals.reduce((count, total) => count + (total === 0 ? 1 : 0), 0);
  return { terms, metrics: { rowsWithoutSignal: silent } };
}
