/** TreePO: a leaf against the leaves below each node on its way to the root. */
import { option } from "limbeck-base/base/option";
import { entry, real, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { forks } from "./examples.ts";
import { onRows } from "./groups.ts";
import { leafMeans, leafSums, rowTree } from "./row-tree.ts";
import { outcomeAt } from "./scores.ts";
import { singleton } from "./shared-options.ts";
import { whiten, whitenedTerms } from "./whiten.ts";

interface TreepoOptions {
  readonly weighting: string;
  readonly skipEqual: boolean;
  readonly singleton: string;
}

export const treepo = defineCredit({
  info: {
    title: "TreePO",
    paper: "TreePO, arXiv 2508.17445",
    confidence: "code",
    source:
      "multimodal-art-projection/TreePO @ f0555239; verl/trainer/ppo/core_algos.py: compute_tree_reinforce_plus_plus_baseline_outcome_advantage",
    formula: [
      "a_h = S - mean(S of the leaves below the node at depth h);   the root always counts, deeper nodes where they have two leaves or more",
      "A = mean of a_h over the depths (average), or weighed by the leaves of each node (size);   then whitened over the batch",
    ],
    meaning: "Compares a rollout with those that shared less and less of its beginning.",
    departures: [
      "The published function weighs depths by size, the published script averages them; here the script's average. Option weighting.",
      "Depths whose leaves all earned the same dilute the average, as in published code. Option skipEqual.",
      "A task with one leaf keeps its score, as in published code. Option singleton.",
      "A branch that left inside an answer hangs from the row before that answer: the depths inside it are not compared, and the beginning that the two share has the parent's advantage alone. In published code they are depths like any other.",
      "Rows are nodes; one shared by several leaves takes their mean, and whitening counts its tokens once. In published code every leaf carries its whole path, and a depth is a segment of 512 tokens. Rows that carry a path are whole leaves instead.",
      "A published training leaves out questions that are all right or all wrong and draws up to 10 times for others; here they stay, count in the whitening and in the loss's mean, and get what whitening makes of 0. It also takes up to 1 from answers that reach into the last 512 tokens of their limit.",
    ],
  },
  needs: ["branches"],
  options: {
    weighting: option.choice("average", ["average", "size"], "depths alike, or by their leaves"),
    skipEqual: option.flag(false, "leave out depths whose leaves all earned the same"),
    whiten,
    singleton: singleton("raw", "the trajectories of one task"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Two segments, each continued twice; one leaf is right.",
    batch: forks({ a: [1, 0], b: [0, 0] }),
    options: { whiten: false },
  },
  compute: (batch, options) => {
    const perRow =
      batch.rows.length > 0 && batch.rows.every(({ path }) => path !== undefined)
        ? byPath(batch, options)
        : byBranch(batch, options);
    return { terms: whitenedTerms(batch, "tree", { perRow }, options.whiten) };
  },
});

/** Sums of means from the root down, then the mean over leaves from the leaves up: linear in the rows. */
function byBranch(batch: IndexedBatch, options: TreepoOptions): Float64Array {
  const tree = rowTree(batch);
  const outcome = (row: number): number => outcomeAt(batch, row);
  const { sums, counts } = leafSums(tree, outcome);
  const squares = options.skipEqual ? leafSums(tree, (row) => outcome(row) ** 2).sums : undefined;
  const isEqual = (at: number): boolean =>
    squares !== undefined && real(squares, at) - real(sums, at) ** 2 / real(counts, at) < 1e-12;
  const total = new Float64Array(counts.length);
  const weight = new Float64Array(counts.length);
  const include = (at: number, above: number, counted: boolean): void => {
    const own = counted ? (options.weighting === "size" ? real(counts, at) : 1) : 0;
    total[at] = real(total, above) + (own === 0 ? 0 : (own * real(sums, at)) / real(counts, at));
    weight[at] = real(weight, above) + own;
  };
  for (let root = batch.rows.length; root < counts.length; root += 1) {
    // A root of one leaf: mean 0 (raw) leaves the score, its own mean (zero) leaves nothing.
    const counted = counts[root] !== 1 || options.singleton === "zero";
    if (counted && real(counts, root) > 0) include(root, root, true);
    else weight[root] = 1;
  }
  for (const at of tree.order) {
    include(at, intAt(tree.siblings.of, at), real(counts, at) > 1 && !isEqual(at));
  }
  return leafMeans(tree, (row) => outcome(row) - real(total, row) / real(weight, row));
}

/** Each row is a leaf and names the nodes on its way; the first is the root. */
function byPath(batch: IndexedBatch, options: TreepoOptions): Float64Array {
  const nodes = new Map<string, { sum: number; count: number; readonly first: number; isEqual: boolean }>();
  const scores = onRows(batch, batch.index.outcomeOf);
  const keys = batch.rows.map(({ task, path = [] }) =>
    path.map((_, end) => JSON.stringify([task, ...path.slice(0, end + 1)])),
  );
  for (const [at, score] of scores.entries()) {
    for (const key of entry(keys, at)) {
      const node = nodes.get(key) ?? { sum: 0, count: 0, first: score, isEqual: true };
      node.sum += score;
      node.count += 1;
      node.isEqual &&= score === node.first;
      nodes.set(key, node);
    }
  }
  return scores.map((score, at) => {
    let [total, weight] = [0, 0];
    for (const [depth, key] of entry(keys, at).entries()) {
      const { sum = 0, count = 0, isEqual = false } = nodes.get(key) ?? {};
      if (depth > 0 && (count < 2 || (options.skipEqual && isEqual))) continue;
      const size = options.weighting === "size" ? count : 1;
      const mean = count === 1 && options.singleton === "raw" ? 0 : sum / count;
      total += size * (score - mean);
      weight += size;
    }
    return weight === 0 ? 0 : total / weight;
  });
}
