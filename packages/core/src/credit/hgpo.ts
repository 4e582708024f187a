/** Hierarchy-of-groups advantages (HGPO): steps are compared with steps that share the last 1, 2, ... states. */
import { option } from "limbeck-base/base/option";
import { add, countOf, entry, type Grouping, real, intAt } from "./columns.ts";
import { type CreditRow, defineCredit, type IndexedBatch, type Term } from "./credit.ts";
import { episodes, visits } from "./examples.ts";
import { type GroupOptions, groupStatistics, outcomeAdvantages } from "./groups.ts";
import { rowScores, stepReturns } from "./scores.ts";
import { countTrajectoryOnce, deviation, epsilon, gamma, invalidPenalty, mode } from "./shared-options.ts";
import { previousRows, similarity, stateGroups, stateMatch, type StateMatchOptions } from "./states.ts";

export const hgpo = defineCredit({
  info: {
    title: "HGPO",
    paper: "Hierarchy-of-Groups Policy Optimization for Long-Horizon Agentic Tasks",
    confidence: "code",
    source: "OliverLeeXZ/SERL @ 5a2a85b1; recipe/hgpo/core_hgpo.py: compute_hgpo_outcome_advantage",
    formula: [
      "level k = 1 .. history + 1: rows of the task whose last k states are equal, groups of two and more",
      "a_k = (G - mean) / (std + epsilon), or G - mean;   w_k = (k + 1)^alpha",
      "A = sum of w_k * a_k / (sum of w_k + epsilon)   over the levels where a_k is not 0",
    ],
    meaning: "Step advantages that trust comparisons with a longer shared history more.",
    departures: [
      "With baseGroup off, as in every published script, a step in a state that no other row visited gets nothing, not even the outcome. The recipe hgpo has it on.",
      "A row at its group's mean is left out at that level rather than averaged in, as in published code; here within rounding (1e-12 of the largest return).",
      "The published deviation divides by n at the levels and by n - 1 in the base group; option deviation sets the levels.",
      "A branch's history goes on through its parent.",
      "Published code has equal texts only and statistics over step rows only; options stateMatch, similarity and countTrajectoryOnce (of the base group alone) are ours.",
      "Published configuration and ALFWorld scripts have mean_std_norm, as here, the WebShop scripts mean_norm. Published history is the number of turns that the prompt shows; here option history stands for itself. Published gamma is 1 in the configuration, 0.95 in every script, as here.",
      "Published worlds pay 10 for success, so that the penalty of an invalid action (there one without its tags, here also one that the world refuses), 0.1, is a hundredth of it; here worlds pay 1, and it is a tenth.",
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
    stateMatch: stateMatch("exact"),
    similarity: similarity(0.95),
    deviation: deviation("population"),
    epsilon: epsilon(1e-6),
  },
  takes: { learningRate: 1e-4 },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Three episodes meet in state b; the first two came from the same state a.",
    batch: episodes({
      X: visits(1, ["a", 0], ["b", 1]),
      Y: visits(0, ["a", 0], ["b", 0]),
      Z: visits(0.5, ["c", 0], ["b", 0.5]),
    }),
  },
  compute: (batch, options) => {
    const returns = stepReturns(batch, options.gamma, options.invalidPenalty);
    const group = { ...options, scale: options.mode === "mean_std_norm", singleton: "zero" };
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
    const shorter = entry(levels, level - 2);
    const none = shorter.count - 1;
    const keys = new Map<number, number>();
    const of = previous.map((before, at) => {
      if (before === -1 || shorter.of[before] === none) return -1;
      // The last k states are the last k - 1 states of the row before, and the present one.
      const key = intAt(shorter.of, before) * states.count + intAt(states.of, at);
      const known = keys.get(key) ?? keys.size;
      keys.set(key, known);
      return known;
    });
    levels.push({ of: of.map((group) => (group === -1 ? keys.size : group)), count: keys.size + 1 });
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
  return returns.map((value, at) => {
    const group = intAt(groups.of, at);
    const distance = value - real(centres, group);
    const isSilent = group === groups.count - 1 || intAt(sizes, group) < 2 || Math.abs(distance) <= least;
    return isSilent ? 0 : distance / real(scales, group);
  });
}

interface Part {
  readonly name: string;
  readonly weight: number;
  readonly advantages: Float64Array;
}

function aggregate(parts: readonly Part[], rows: number, small: number) {
  const totals = new Float64Array(rows);
  for (const { weight, advantages } of parts) {
    for (const [at, value] of advantages.entries()) if (value !== 0) add(totals, at, weight);
  }
  const terms: Record<string, Term> = {};
  for (const { name, weight, advantages } of parts) {
    const perRow = advantages.map((value, at) => (value === 0 ? 0 : (value * weight) / (real(totals, at) + small)));
    terms[name] = { weight: 1, perRow };
  }
  return { terms, metrics: { rowsWithoutSignal: rows - countOf(totals) } };
}
