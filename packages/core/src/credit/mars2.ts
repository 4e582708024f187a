/**
 * MARS2: a node's reward is shaped by how it compares with its parent and its siblings, then compared with its task.
 */
import { option } from "limbeck-base/base/option";
import { columnOf, groupSums, real, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { forks } from "./examples.ts";
import { asTerm, outcomeAdvantages } from "./groups.ts";
import { rowTree } from "./row-tree.ts";
import { comparison, share } from "./shared-options.ts";

export const mars2 = defineCredit({
  info: {
    title: "MARS2",
    paper: "MARS2, multi-agent tree search with reward shaping",
    confidence: "code",
    source: "TsinghuaC3I/MARTI @ a2fe2c7b; marti/agent_workflows/ab_mcts_processor.py: tree_reward_shaping_unified",
    formula: [
      "base = (1 - mix) * r(parent) + mix * mean(r of the other siblings); where one is missing the other alone; none: r' = r",
      "r' = r + alpha * (r - base);   A = (r' - mean) / (std + epsilon) over the rows of one task",
    ],
    meaning: "Makes a node's reward larger where it improves on its parent and its siblings.",
    departures: [
      "Published code shapes in place, so that children see the shaped reward of their parent, and siblings their rewards as given; here from a copy. Option inPlace, parents before children.",
      "alpha is 0.5 as in published runs; the function's own default is 0.3.",
      "Published runs add 1e-9 to the deviation and clamp what comes out at 10 either way; here 1e-6, and no clamp.",
      "There a penalty for answers that run into the last 2048 tokens of their budget is taken off between shaping and comparison; here it has to be part of the reward, and is shaped.",
      "There a node is a whole answer, and a group the 8 nodes of one tree; here a node is a step, which is compared with the step before it too, and a group all step rows of the task. In the published run of two models both write nodes of one tree, which are compared together and teach each its own; here one policy writes all. Published scripts clip one ratio for each answer (GSPO); here the objective is chosen beside it.",
    ],
  },
  needs: ["branches", "stepRewards"],
  options: {
    alpha: option.number(0.5, "weight of the comparison"),
    mix: share(0.5, "share of the siblings in the base"),
    inPlace: option.flag(false, "children compare with the shaped reward of their parent"),
    ...comparison("raw", "the step rows of one task"),
  },
  laws: { shift: true, scale: "same", zeroSum: true },
  example: {
    about: "A node worth 0.4 whose three children earn 0.8, 0.5 and 0.7.",
    batch: forks({ A: [1, 0, 0] }, (_, leaf) => ({ reward: leaf === null ? 0.4 : ([0.8, 0.5, 0.7][leaf] ?? 0) })),
  },
  compute: (batch, options) => {
    const rewards = columnOf(batch.rows, ({ reward }) => reward);
    return asTerm("shaped", outcomeAdvantages(batch, shape(batch, rewards, options), options));
  },
});

/** Rewards after shaping. */
export function shape(
  batch: IndexedBatch,
  rewards: Float64Array,
  options: { readonly alpha: number; readonly mix: number; readonly inPlace: boolean },
): Float64Array {
  const tree = rowTree(batch);
  const shaped = rewards.slice();
  const { of } = tree.siblings;
  const sums = groupSums(tree.siblings, rewards);
  const sizes = groupSums(tree.siblings);
  // Parents come first, so that in place a parent is shaped when its children look at it.
  for (const at of tree.order) {
    const group = intAt(of, at);
    const own = real(rewards, at);
    const others = real(sizes, group) - 1;
    const siblings = others === 0 ? undefined : (real(sums, group) - own) / others;
    const above = intAt(tree.parent, at);
    const parent = above === -1 ? undefined : real(options.inPlace ? shaped : rewards, above);
    const base = mixed(parent, siblings, options.mix) ?? own;
    shaped[at] = own + options.alpha * (own - base);
  }
  return shaped;
}

function mixed(parent: number | undefined, siblings: number | undefined, mix: number): number | undefined {
  if (parent === undefined || siblings === undefined) return parent ?? siblings;
  return (1 - mix) * parent + mix * siblings;
}
