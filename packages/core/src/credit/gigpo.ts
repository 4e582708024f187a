/**
 * Group-in-group advantages (GiGPO): the episode against its group, and each step against steps from the same state.
 */
import { option } from "limbeck-base/base/option";
import { type CreditRow, defineCredit, type IndexedBatch } from "./credit.ts";
import { episodes, visits } from "./examples.ts";
import { groupAdvantages, type GroupAdvantages, outcomeAdvantages } from "./groups.ts";
import { rowScores, stepReturns } from "./scores.ts";
import { comparison, countTrajectoryOnce, gamma, invalidPenalty, mode, singleton } from "./shared-options.ts";
import { similarity, stateGroups, stateMatch, type StateMatchOptions } from "./states.ts";

/** Options of the step part, and of the episode part beside it. */
export const stateOptions = {
  gamma: gamma(0.95, "step returns"),
  invalidPenalty: invalidPenalty(0.1),
  countTrajectoryOnce,
  ...comparison("raw", "the step rows of one task"),
  stateSingleton: singleton("zero", "the rows of one task in one state"),
  stateMatch: stateMatch("exact"),
  similarity: similarity(0.95),
};

export const gigpo = defineCredit({
  info: {
    title: "GiGPO",
    paper: "Group-in-Group Policy Optimization, arXiv 2505.10978",
    confidence: "code",
    source:
      "jinyangwu/OPID @ 37a15a5f; gigpo/core_gigpo.py: compute_gigpo_outcome_advantage, build_step_group, step_norm_reward",
    formula: [
      "A = A_episode + stepAdvantageWeight * A_step",
      "A_episode: score against the rows of the task;   A_step: return G against rows of the task in the same state",
      "mean_norm: x - mean;   mean_std_norm: (x - mean) / (std + epsilon)",
      "G_t = r_t + gamma * G_(t+1)",
    ],
    meaning: "Adds to the episode's advantage how each action compares with others taken in the same state.",
    departures: [
      "A group of one keeps its score among episodes and gives 0 among states, as in published code. Options singleton and stateSingleton.",
      "Episode statistics are over step rows, so long trajectories dominate the group's mean, as in published code (option countTrajectoryOnce). Published code first copies random rows until the batch divides by its workers, and copies count in means; here no row is copied.",
      "Similar texts join the first group whose first text is close enough, so their groups depend on the order of rows, as in published code, which puts rows in another order for its workers first and refuses a similarity of 1. Published search scripts have similarity 0.9, here 0.95 as in the published configuration.",
      "The published ratio (difflib with its automatic junk) lets no character begin a block that makes up over 1% of a text of 200 characters or more; here every character may. Two texts of 347 and 341 characters that differ in one object and the last sentence: 0.28 there, 0.96 here.",
      "Published code takes the last observation for the state, in ALFWorld its text, so that all refused commands of a task lead to one state; here the state is the world's key, in household and ALFWorld a code of all facts, so that a refused command leaves the state as it was, and similar or words compare these codes.",
      "Rows of one trajectory that come back to a state are in the same group, as in published code.",
      "Published configuration has gamma 1, every published script 0.95, as here. stepAdvantageWeight is 1 in the configuration and here, 0 by default in seven of the fourteen scripts; mode is mean_std_norm in two of them. Three further scripts (gigpo_dynamic_trainer) leave out groups whose episodes all earned the same and play others instead; here such groups stay and count in the loss's mean.",
      "Published worlds pay 10 for success (ALFWorld, WebShop), so that the penalty of an invalid action (there one without its tags, here also one that the world refuses), 0.1, is a hundredth of it (0.01 in the search scripts); here worlds pay 1, and 0.1 is a tenth.",
    ],
  },
  needs: ["states", "stepRewards"],
  options: {
    mode: mode("mean_norm"),
    stepAdvantageWeight: option.number(1, "weight of the step part"),
    ...stateOptions,
  },
  laws: { shift: true, scale: "proportional", zeroSum: true },
  example: {
    about: "Two episodes that part after the first state; only the first succeeds.",
    batch: episodes({ X: visits(1, ["s0", 0], ["s1", 1]), Y: visits(0, ["s0", 0], ["s2", 0]) }),
  },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const episode = outcomeAdvantages(batch, scores, { ...options, scale: options.mode === "mean_std_norm" });
    const step = stateAdvantages(batch, options);
    return {
      terms: {
        episode: { weight: 1, perRow: episode.advantages },
        step: { weight: options.stepAdvantageWeight, perRow: step.advantages },
      },
      metrics: { ...episode.metrics, ...stateMetrics(step, batch.rows.length) },
    };
  },
});

export interface StateOptions extends StateMatchOptions {
  readonly mode: string;
  readonly gamma: number;
  readonly invalidPenalty: number;
  readonly stateSingleton: string;
  readonly deviation: string;
  readonly epsilon: number;
}

/** A batch whose rows have states and rewards of their own. */
export type StepBatch = IndexedBatch<CreditRow & { readonly state: string; readonly reward: number }>;

/** Returns of steps against those from the same state. */
export function stateAdvantages(batch: StepBatch, options: StateOptions): GroupAdvantages {
  return groupAdvantages(stepReturns(batch, options.gamma, options.invalidPenalty), stateGroups(batch, options), {
    scale: options.mode === "mean_std_norm",
    singleton: options.stateSingleton,
    deviation: options.deviation,
    epsilon: options.epsilon,
  });
}

export function stateMetrics({ metrics }: GroupAdvantages, rows: number): Record<string, number> {
  return {
    stateGroups: metrics.groups,
    singletonStateGroups: metrics.singletonGroups,
    meanStateGroupSize: metrics.groups === 0 ? 0 : rows / metrics.groups,
  };
}
