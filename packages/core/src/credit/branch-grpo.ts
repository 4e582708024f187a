/** BranchGRPO: leaf rewards are carried up the tree, and nodes are compared with nodes of the same depth. */
import { option } from "limbeck-base/base/option";
import { add, columnOf, groupBy, groupMembers, real, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { forks } from "./examples.ts";
import { groupAdvantages } from "./groups.ts";
import { requireNeeds } from "./needs.ts";
import { leafMeans, rowTree, type RowTree } from "./row-tree.ts";
import { outcomeAt } from "./scores.ts";
import { deviation, epsilon } from "./shared-options.ts";
import { trainedSum } from "./tokens.ts";

const FLAT = 1e-6;

export const branchGrpo = defineCredit({
  info: {
    title: "BranchGRPO",
    paper: "BranchGRPO, arXiv 2509.06040",
    confidence: "code",
    source:
      "Fredreic1849/BranchGRPO @ 19fbb9fc; fastvideo/train_branchgrpo_flux.py: compute_node_rewards_from_leaves, compute_hierarchical_advantages_by_depth",
    formula: [
      "R(node) = mean outcome of the leaves below (mean), or sum over children of softmax(log-probability of the edge) * R(child) (softmax)",
      "A(node) = (R - mean) / (std + epsilon) among the task's nodes of its depth; 0 where there is one or the std is below 1e-6",
      "prune: best keeps the better half of each last fork, extremes its best and its worst quarter; depths outside the window are skipped",
    ],
    meaning: "Gives every depth of the tree its own normalised comparison, from rewards that only leaves have.",
    departures: [
      "Published for denoising steps of images; here a node is a row of text.",
      "Pruning leaves rows out of training and never changes the statistics, as in published code.",
    ],
  },
  needs: ["branches"],
  mayNeed: { oldLogprobs: "with fusion=softmax" },
  options: {
    fusion: option.choice("mean", ["mean", "softmax"], "how leaf rewards are carried up"),
    prune: option.choice("none", ["none", "best", "extremes"], "which children of a last fork are trained"),
    firstDepth: option.count(0, "first depth that is trained", 0),
    lastDepth: option.limit(null, "last depth that is trained", { least: 0, whole: true }),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-8),
  },
  laws: { shift: true, scale: "same", zeroSum: true },
  example: { about: "Two branches of two leaves each.", batch: forks({ A: [1, 0.5], B: [0.2, 0.3] }) },
  compute: (batch, options) => {
    if (options.fusion === "softmax") requireNeeds(["oldLogprobs"], batch, "BranchGRPO with fusion=softmax");
    const tree = rowTree(batch);
    const outcome = (at: number): number => outcomeAt(batch, at);
    const rewards = options.fusion === "mean" ? leafMeans(tree, outcome) : fused(batch, tree, outcome);
    const levels = groupBy(
      batch.rows.length,
      (at) => intAt(tree.depth, at) * batch.index.tasks + intAt(batch.index.taskOf, at),
    );
    const { advantages, scales } = groupAdvantages(rewards, levels, { ...options, singleton: "zero" });
    // Differences that are only rounding say nothing.
    const isFlat = scales.map((scale) => (scale - options.epsilon < FLAT ? 1 : 0));
    const perRow = advantages.map((value, at) => (isFlat[intAt(levels.of, at)] === 1 ? 0 : value));
    const dropped = prunedRows(tree, rewards, options);
    return { terms: { depth: { weight: 1, perRow } }, metrics: { levels: levels.count }, dropped };
  },
});

/** Children by their probability: two passes up, the first for the largest edge, so that no exponential overflows. */
function fused(batch: IndexedBatch, tree: RowTree, outcome: (row: number) => number): Float64Array {
  const { order, parent, isLeaf } = tree;
  const edges = columnOf(batch.rows, ({ mask, logprobs }) =>
    logprobs?.old === undefined ? 0 : trainedSum(mask, logprobs.old),
  );
  const most = new Float64Array(edges.length).fill(Number.NEGATIVE_INFINITY);
  for (const [at, above] of parent.entries()) {
    if (above !== -1) most[above] = Math.max(real(most, above), real(edges, at));
  }
  const rewards = new Float64Array(edges.length);
  const weights = new Float64Array(edges.length);
  for (const at of order.toReversed()) {
    const reward = isLeaf[at] === 1 ? outcome(at) : real(rewards, at) / real(weights, at);
    rewards[at] = reward;
    const above = intAt(parent, at);
    if (above === -1) continue;
    const weight = Math.exp(real(edges, at) - real(most, above));
    add(rewards, above, weight * reward);
    add(weights, above, weight);
  }
  return rewards;
}

function prunedRows(
  { depth, siblings, isLeaf }: RowTree,
  rewards: Float64Array,
  options: { readonly prune: string; readonly firstDepth: number; readonly lastDepth: number | null },
): number[] {
  const outside = (at: number): boolean =>
    intAt(depth, at) < options.firstDepth || intAt(depth, at) > (options.lastDepth ?? Number.POSITIVE_INFINITY);
  const leavesOf = (children: readonly number[]): number[] => children.filter((at) => isLeaf[at] === 1);
  const pruned =
    options.prune === "none"
      ? []
      : groupMembers(siblings).flatMap((children) => weaker(leavesOf(children), rewards, options.prune));
  const dropped = new Set([...[...rewards.keys()].filter(outside), ...pruned]);
  return [...dropped].sort((left, right) => left - right);
}

/** The half that is not trained. Equal rewards stay together, so that the order of rows decides nothing. */
function weaker(leaves: readonly number[], rewards: Float64Array, prune: string): number[] {
  const kept = Math.ceil(leaves.length / 2);
  const sorted = leaves.map((at) => real(rewards, at)).sort((left, right) => right - left);
  const high = sorted[prune === "best" ? kept - 1 : Math.ceil(kept / 2) - 1] ?? Number.NEGATIVE_INFINITY;
  const low =
    prune === "best"
      ? Number.NEGATIVE_INFINITY
      : (sorted[leaves.length - Math.floor(kept / 2)] ?? Number.NEGATIVE_INFINITY);
  return leaves.filter((at) => real(rewards, at) < high && real(rewards, at) > low);
}
