/** PORTool: a tool call against its siblings at the fork, and its trajectory against the others of the query. */
import { option } from "limbeck-base/base/option";
import { real, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { forks } from "./examples.ts";
import { groupAdvantages, groupStatistics, onRows, trajectoryAdvantages } from "./groups.ts";
import { leafMeans, leafSums, rowTree, type RowTree } from "./row-tree.ts";
import { outcomeAt } from "./scores.ts";
import { comparison, gamma } from "./shared-options.ts";

export const portool = defineCredit({
  info: {
    title: "PORTool",
    paper: "PORTool: Tool-Use LLM Training with Rewarded Tree",
    confidence: "reading",
    source:
      "reviews of arXiv 2510.26020 by others: any right leaf below counts, gamma 0.95, two weights, and format within -0.25 and 0.25; the authors' code was not found",
    formula: [
      "R(node) = max (or mean) over the leaves below of gamma^(steps to the leaf) * outcome + toolBonus where its call succeeded, - toolBonus where it failed",
      "A_fork = z(R among siblings), and R - mean(R) where the leaves below tell no sibling from another;   A_trajectory = z(outcome among the task's trajectories)",
      "A = trajectoryWeight * A_trajectory + forkWeight * A_fork",
    ],
    meaning: "Compares tool calls that were made at the same fork, and whole trajectories of the same query.",
    departures: [
      "No reading gives the weights: that both are 1 is ours. The paper scores the format of a step in five checks; here a call succeeded or not.",
      "A step that several trajectories share has one reward, and takes the mean of their trajectory parts.",
      "Where outcomes below a fork tie, the bonus alone is left; divided by its own deviation it would weigh as much as a success.",
      "Where nobody says whether a call succeeded, an action that the environment understood counts as a success.",
    ],
  },
  needs: ["branches"],
  mayNeed: { toolSuccess: "with toolBonus; without it valid actions count as successes" },
  options: {
    best: option.choice("max", ["max", "mean"], "which of the leaves below count"),
    trajectoryWeight: option.number(1, "weight of the comparison of trajectories"),
    forkWeight: option.number(1, "weight of the comparison at the fork"),
    toolBonus: option.number(0.25, "reward of a call that succeeded, and cost of one that failed"),
    gamma: gamma(0.95, "outcomes on the way up"),
    ...comparison("zero", "the trajectories of one task"),
  },
  laws: { shift: false, scale: "neither", zeroSum: false },
  example: {
    about: "Three calls at one fork, each continued three times.",
    batch: forks({ A: [1, 1, 0], B: [0, 0, 0], C: [1, 0, 0] }),
  },
  compute: (batch, options) => {
    const tree = rowTree(batch);
    const reached = discountedBelow(batch, tree, options.gamma, options.best);
    const rewards = reached.map((value, at) => value + (succeeded(batch, at) ? options.toolBonus : -options.toolBonus));
    const among = { ...options, singleton: "zero" };
    const fork = groupAdvantages(rewards, tree.siblings, among);
    const outcomes = groupStatistics(reached, tree.siblings, { ...among, epsilon: 0 });
    // Multiplied by what it was divided by: centred alone.
    const centred = fork.advantages.map((value, at) => {
      const group = intAt(tree.siblings.of, at);
      return real(outcomes.scales, group) === 0 ? value * real(fork.scales, group) : value;
    });
    const trajectory = trajectoryAdvantages(batch, options);
    const own = onRows(batch, trajectory.advantages);
    return {
      terms: {
        trajectory: { weight: options.trajectoryWeight, perRow: leafMeans(tree, (row) => real(own, row)) },
        fork: { weight: options.forkWeight, perRow: centred },
      },
      metrics: trajectory.metrics,
    };
  },
});

function succeeded({ rows }: IndexedBatch, at: number): boolean {
  return rows[at]?.signals?.toolSucceeded ?? rows[at]?.valid === true;
}

/** Outcomes of the leaves below, which shrink on each step up: the largest, or their mean over leaves counted plainly. */
function discountedBelow(batch: IndexedBatch, tree: RowTree, discount: number, best: string): Float64Array {
  const found = new Float64Array(batch.rows.length).fill(best === "max" ? Number.NEGATIVE_INFINITY : 0);
  for (const at of tree.order.toReversed()) {
    if (tree.isLeaf[at] === 1) found[at] = outcomeAt(batch, at);
    const above = intAt(tree.parent, at);
    if (above === -1) continue;
    const passed = discount * real(found, at);
    found[above] = best === "max" ? Math.max(real(found, above), passed) : real(found, above) + passed;
  }
  if (best === "max") return found;
  const { counts } = leafSums(tree, () => 0);
  return found.map((sum, at) => sum / real(counts, at));
}
