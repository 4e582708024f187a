/**
 * BranchGRPO: leaf rewards are carried up the tree, and nodes are compared with nodes of the same depth.
 *
 *   R(node) = mean of the leaves below, or children weighed by softmax of their log-probabilities
 *   A(node) = (R - mean) / (std + 1e-8)   among the task's nodes of this depth
 */
import { option } from "../base/index.ts";
import { defineCredit, type CreditRow, type IndexedBatch } from "./credit.ts";
import { forks } from "./examples.ts";
import { groupStatistics } from "./group-advantages.ts";
import { requireNeeds } from "./needs.ts";
import { leafOutcome, leafSums, rowTree, type RowTree } from "./row-tree.ts";
import { deviation } from "./shared-options.ts";
import { groupBy } from "./trajectory-groups.ts";

const FLAT = 1e-6;

export const branchGrpo = defineCredit({
  info: {
    title: "BranchGRPO",
    paper: "BranchGRPO, arXiv 2509.06040",
    confidence: "code",
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
    firstDepth: option.number(0, "first depth that is trained", { least: 0, whole: true }),
    lastDepth: option.limit(null, "last depth that is trained", { least: 0, whole: true }),
    deviation: deviation("unbiased"),
    epsilon: option.number(1e-8, "added to the deviation", { least: 1e-12 }),
  },
  laws: { shift: true, scale: "same", zeroSum: true },
  example: { about: "Two branches of two leaves each.", batch: forks({ A: [1, 0.5], B: [0.2, 0.3] }) },
  compute: (batch, options) => {
    if (options.fusion === "softmax") requireNeeds(["oldLogprobs"], batch, "BranchGRPO with fusion=softmax");
    const tree = rowTree(batch);
    const rewards = options.fusion === "mean" ? leafMeans(batch, tree) : fused(batch, tree);
    const levels = groupBy(
      batch.rows.length,
      (at) => (tree.depth[at] as number) * batch.index.tasks + (batch.index.taskOf[at] as number),
    );
    const group = { scale: true, singleton: "zero", ...options };
    const { centres, scales, sizes } = groupStatistics(rewards, levels, group);
    const perRow = rewards.map((reward, at) => {
      const level = levels.of[at] as number;
      if (sizes[level] === 1 || (scales[level] as number) - options.epsilon < FLAT) return 0;
      return (reward - (centres[level] as number)) / (scales[level] as number);
    });
    const dropped = prunedRows(tree, rewards, options);
    return { terms: { depth: { weight: 1, perRow } }, metrics: { levels: levels.count }, dropped };
  },
});

function leafMeans(batch: IndexedBatch, tree: RowTree): Float64Array {
  const { sums, counts } = leafSums(tree, leafOutcome(batch));
  return Float64Array.from(batch.rows, (_, at) => (sums[at] as number) / (counts[at] as number));
}

/** Children by their probability: two passes up, the first for the largest edge, so that no exponential overflows. */
function fused(batch: IndexedBatch, { order, parent, isLeaf }: RowTree): Float64Array {
  const outcome = leafOutcome(batch);
  const edges = Float64Array.from(batch.rows, edgeLogprob);
  const most = new Float64Array(edges.length).fill(Number.NEGATIVE_INFINITY);
  for (const [at, above] of parent.entries()) {
    if (above !== -1) most[above] = Math.max(most[above] as number, edges[at] as number);
  }
  const rewards = new Float64Array(edges.length);
  const weights = new Float64Array(edges.length);
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const at = order[place] as number;
    const reward = isLeaf[at] === 1 ? outcome(at) : (rewards[at] as number) / (weights[at] as number);
    rewards[at] = reward;
    const above = parent[at] as number;
    if (above === -1) continue;
    const weight = Math.exp((edges[at] as number) - (most[above] as number));
    rewards[above] = (rewards[above] as number) + weight * reward;
    weights[above] = (weights[above] as number) + weight;
  }
  return rewards;
}

function edgeLogprob({ mask, logprobs }: CreditRow): number {
  let sum = 0;
  for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) sum += logprobs?.old?.[token] ?? 0;
  return sum;
}

function prunedRows(
  { depth, siblings, isLeaf }: RowTree,
  rewards: Float64Array,
  options: { readonly prune: string; readonly firstDepth: number; readonly lastDepth: number | null },
): number[] {
  const outside = (at: number): boolean =>
    (depth[at] as number) < options.firstDepth ||
    (depth[at] as number) > (options.lastDepth ?? Number.POSITIVE_INFINITY);
  const dropped = new Set([...rewards.keys()].filter(outside));
  if (options.prune !== "none") {
    const leaves = new Map<number, number[]>();
    for (const [at, leaf] of isLeaf.entries()) {
      if (leaf === 0) continue;
      const fork = siblings.of[at] as number;
      const known = leaves.get(fork) ?? [];
      known.push(at);
      leaves.set(fork, known);
    }
    for (const own of leaves.values()) for (const at of weaker(own, rewards, options.prune)) dropped.add(at);
  }
  return [...dropped].sort((left, right) => left - right);
}

/** The half that is not trained. Equal rewards stay together, so that the order of rows decides nothing. */
function weaker(leaves: readonly number[], rewards: Float64Array, prune: string): number[] {
  const kept = Math.ceil(leaves.length / 2);
  const sorted = leaves.map((at) => rewards[at] as number).sort((left, right) => right - left);
  const high = sorted[prune === "best" ? kept - 1 : Math.ceil(kept / 2) - 1] ?? Number.NEGATIVE_INFINITY;
  const low =
    prune === "best"
      ? Number.NEGATIVE_INFINITY
      : (sorted[leaves.length - Math.floor(kept / 2)] ?? Number.NEGATIVE_INFINITY);
  return leaves.filter((at) => (rewards[at] as number) < high && (rewards[at] as number) > low);
}
