/**
 * PORTool: a tool call against its siblings at the fork, and its trajectory against the others of the query.
 *
 *   R(node) = max or mean over leaves below of gamma^(steps to the leaf) * outcome + bonus * [call succeeded]
 *   A = A_trajectory + forkWeight * z(R among siblings)
 */
import { option } from "../base/index.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { forks } from "./examples.ts";
import { groupAdvantages } from "./group-advantages.ts";
import { leafOutcome, leafSums, meanOverLeaves, rowTree, type RowTree } from "./row-tree.ts";
import { deviation, epsilon, gamma, singleton } from "./shared-options.ts";
import { trajectoryAdvantages } from "./trajectory-groups.ts";

export const portool = defineCredit({
  info: {
    title: "PORTool",
    paper: "PORTool: Tool-Use LLM Training with Rewarded Tree",
    confidence: "inferred",
    formula: [
      "R(node) = max (or mean) over the leaves below of gamma^(steps to the leaf) * outcome + toolBonus * [its call succeeded]",
      "A_fork = z(R among siblings);   A_trajectory = z(outcome among the task's trajectories)",
      "A = A_trajectory + forkWeight * A_fork",
    ],
    meaning: "Compares tool calls that were made at the same fork, and whole trajectories of the same query.",
    departures: [
      "Constants are ours: only the abstract was read.",
      "A step that several trajectories share has one reward, and takes the mean of their trajectory parts.",
      "Where nobody says whether a call succeeded, an action that the environment understood counts as a success.",
    ],
  },
  needs: ["branches"],
  mayNeed: { toolSuccess: "with toolBonus; without it valid actions count as successes" },
  options: {
    best: option.choice("max", ["max", "mean"], "which of the leaves below count"),
    forkWeight: option.number(1, "weight of the comparison at the fork"),
    toolBonus: option.number(0.1, "reward of a call that succeeded"),
    gamma: gamma(0.95, "outcomes on the way up"),
    singleton: singleton("zero"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: false, scale: "neither", zeroSum: false },
  example: {
    about: "Three calls at one fork, each continued three times.",
    batch: forks({ A: [1, 1, 0], B: [0, 0, 0], C: [1, 0, 0] }),
  },
  compute: (batch, options) => {
    const tree = rowTree(batch);
    const reached =
      options.best === "max" ? bestBelow(batch, tree, options.gamma) : meanBelow(batch, tree, options.gamma);
    const rewards = reached.map((value, at) => value + (succeeded(batch, at) ? options.toolBonus : 0));
    const group = { ...options, scale: true };
    const fork = groupAdvantages(rewards, tree.siblings, { ...group, singleton: "zero" });
    const trajectory = trajectoryAdvantages(batch, group);
    return {
      terms: {
        trajectory: { weight: 1, perRow: meanOverLeaves(batch, tree, trajectory.advantages) },
        fork: { weight: options.forkWeight, perRow: fork.advantages },
      },
      metrics: { ...trajectory.metrics },
    };
  },
});

function succeeded({ rows }: IndexedBatch, at: number): boolean {
  return rows[at]?.signals?.toolSucceeded ?? rows[at]?.valid === true;
}

function bestBelow(batch: IndexedBatch, { order, parent, isLeaf }: RowTree, discount: number): Float64Array {
  const outcome = leafOutcome(batch);
  const best = new Float64Array(batch.rows.length).fill(Number.NEGATIVE_INFINITY);
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const at = order[place] as number;
    if (isLeaf[at] === 1) best[at] = outcome(at);
    const above = parent[at] as number;
    if (above !== -1) best[above] = Math.max(best[above] as number, discount * (best[at] as number));
  }
  return best;
}

/** Leaves are counted plainly; their outcomes shrink on each step up. */
function meanBelow(batch: IndexedBatch, tree: RowTree, discount: number): Float64Array {
  const { counts } = leafSums(tree, () => 0);
  const outcome = leafOutcome(batch);
  const sums = new Float64Array(batch.rows.length);
  for (let place = tree.order.length - 1; place >= 0; place -= 1) {
    const at = tree.order[place] as number;
    if (tree.isLeaf[at] === 1) sums[at] = outcome(at);
    const above = tree.parent[at] as number;
    if (above !== -1) sums[above] = (sums[above] as number) + discount * (sums[at] as number);
  }
  return sums.map((sum, at) => sum / (counts[at] as number));
}
