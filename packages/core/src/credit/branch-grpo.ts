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
      "prune: of the leaves that hang from one fork best keeps the better half, extremes the best and the worst quarter; depths outside the window are skipped",
    ],
    meaning: "Gives every depth of the tree its own normalised comparison, from rewards that only leaves have.",
    departures: [
      "Published for denoising steps of images, where the log-probability of an edge is a mean over the latent; here a node is a row of text, and it is a sum over tokens.",
      "Pruning leaves rows out of training and never changes the statistics, as in published code.",
      "Published width pruning sorts all that follows the last fork by advantage: best keeps a half (rounded down, at least one) inside each of the last branches, extremes a quarter at either end of the whole batch. Here the leaves that hang from one fork are sorted by reward, halves are rounded up (of two leaves extremes keeps the better alone), and ties stay together; where branches go on for further rows behind their fork, nothing is pruned.",
      "Published depth pruning (its script lists no depths) leaves listed depths out, in a window that moves towards the root by one every 30 updates, as far as depth 9; here firstDepth and lastDepth say what is trained, and stay. Depth 0 is the noise there, which all share and none trains; here it is the first row.",
      "Published options that compare leaves alone and give inner nodes 0 (use_group), train forks and windows alone (mix_ode_sde_tree), or prune in the first part of a training only (pruning_step_ratio) are not here.",
      "Published runs clamp advantages at 5 either way and clip ratios at 0.001 (0.0001 by default) without a dual clip, and each node weighs the same in the loss; here advantages stay as they are, the objective clips, and token-mean lets long rows weigh more.",
      "Published trees fork in two at steps 0, 3, 6 and 9 of 20, with 16 leaves a prompt and every leaf at the last depth; here the rollout forks, and an episode that ended early is compared with inner rows of others at its depth.",
    ],
  },
  needs: ["branches"],
  mayNeed: { oldLogprobs: "with fusion=softmax" },
  options: {
    fusion: option.choice("mean", ["mean", "softmax"], "how leaf rewards are carried up"),
    prune: option.choice("none", ["none", "best", "extremes"], "which leaves of a fork are trained"),
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
