/**
 * TreePO: a leaf against the leaves below each node on its way to the root.
 *
 *   a_h = S - mean(leaves below the node at depth h)      A = mean of a_h, plain or weighed by the nodes' leaves
 */
import { option } from "../base/index.ts";
import { defineCredit, type CreditRow, type IndexedBatch, type Term } from "./credit.ts";
import { forks } from "./examples.ts";
import { leafSums, rowTree, type RowTree } from "./row-tree.ts";
import { singleton } from "./shared-options.ts";
import { tokenArrays } from "./token-arrays.ts";
import { whitening } from "./whiten.ts";

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
    formula: [
      "a_h = S - mean(S of the leaves below the node at depth h);   the root always counts, deeper nodes where they have two leaves or more",
      "A = mean of a_h over the depths (average), or weighed by the leaves of each node (size);   then whitened over the batch",
    ],
    meaning: "Compares a rollout with those that shared less and less of its beginning.",
    departures: [
      "The published function weighs depths by size, the published script averages them; here the script's average. Option weighting.",
      "Depths whose leaves all earned the same dilute the average, as in published code. Option skipEqual.",
      "A task with one leaf keeps its score, as in published code. Option singleton.",
      "Rows are nodes; one shared by several leaves takes their mean. Rows that carry a path are whole leaves instead.",
    ],
  },
  needs: ["branches"],
  options: {
    weighting: option.choice("average", ["average", "size"], "depths alike, or by their leaves"),
    skipEqual: option.flag(false, "leave out depths whose leaves all earned the same"),
    whiten: option.flag(true, "normalise over the trained tokens of the batch"),
    singleton: singleton("raw"),
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
    return { terms: options.whiten ? whitenedRows(batch, perRow) : { tree: { weight: 1, perRow } } };
  },
});

/** Sums of means from the root down, then the mean over leaves from the leaves up: linear in the rows. */
function byBranch(batch: IndexedBatch, options: TreepoOptions): Float64Array {
  const tree = rowTree(batch);
  const outcome = (row: number): number => batch.index.outcomeOf[batch.index.trajectoryOf[row] as number] as number;
  const { sums, counts } = leafSums(tree, outcome);
  const squares = options.skipEqual ? leafSums(tree, (row) => outcome(row) ** 2).sums : undefined;
  const isEqual = (at: number): boolean =>
    squares !== undefined && (squares[at] as number) - (sums[at] as number) ** 2 / (counts[at] as number) < 1e-12;
  const total = new Float64Array(counts.length);
  const weight = new Float64Array(counts.length);
  const include = (at: number, above: number, counted: boolean): void => {
    const own = counted ? (options.weighting === "size" ? (counts[at] as number) : 1) : 0;
    total[at] = (total[above] as number) + (own === 0 ? 0 : (own * (sums[at] as number)) / (counts[at] as number));
    weight[at] = (weight[above] as number) + own;
  };
  for (let root = batch.rows.length; root < counts.length; root += 1) {
    // A root of one leaf: mean 0 (raw) leaves the score, its own mean (zero) leaves nothing.
    const counted = counts[root] !== 1 || options.singleton === "zero";
    if (counted && (counts[root] as number) > 0) include(root, root, true);
    else weight[root] = 1;
  }
  for (const at of tree.order) {
    include(at, tree.siblings.of[at] as number, (counts[at] as number) > 1 && !isEqual(at));
  }
  return meanOfLeaves(batch, tree, (row) => outcome(row) - (total[row] as number) / (weight[row] as number));
}

function meanOfLeaves(batch: IndexedBatch, tree: RowTree, valueOf: (row: number) => number): Float64Array {
  const { sums, counts } = leafSums(tree, valueOf);
  return Float64Array.from(batch.rows, (_, at) => (sums[at] as number) / (counts[at] as number));
}

/** Each row is a leaf and names the nodes on its way; the first is the root. */
function byPath({ rows, index }: IndexedBatch, options: TreepoOptions): Float64Array {
  const nodes = new Map<string, { sum: number; count: number; least: number; most: number }>();
  const score = (at: number): number => index.outcomeOf[index.trajectoryOf[at] as number] as number;
  const keys = rows.map(({ task, path = [] }: CreditRow) =>
    path.map((_, end) => JSON.stringify([task, ...path.slice(0, end + 1)])),
  );
  for (const [at, own] of keys.entries()) {
    for (const key of own) {
      const node = nodes.get(key) ?? {
        sum: 0,
        count: 0,
        least: Number.POSITIVE_INFINITY,
        most: Number.NEGATIVE_INFINITY,
      };
      node.sum += score(at);
      node.count += 1;
      node.least = Math.min(node.least, score(at));
      node.most = Math.max(node.most, score(at));
      nodes.set(key, node);
    }
  }
  return Float64Array.from(keys, (own, at) => {
    let [total, weight] = [0, 0];
    for (const [depth, key] of own.entries()) {
      const { sum = 0, count = 0, least, most } = nodes.get(key) ?? {};
      if (depth > 0 && (count < 2 || (options.skipEqual && least === most))) continue;
      const share = options.weighting === "size" ? count : 1;
      const mean = count === 1 && options.singleton === "raw" ? 0 : sum / count;
      total += share * (score(at) - mean);
      weight += share;
    }
    return weight === 0 ? 0 : total / weight;
  });
}

function whitenedRows(batch: IndexedBatch, perRow: Float64Array): Readonly<Record<string, Term>> {
  const values = tokenArrays(batch.rows);
  for (const [at, row] of values.entries()) row.fill(perRow[at] as number);
  const found = whitening(batch, values);
  if (found === undefined) return { tree: { weight: 1, perRow } };
  return {
    tree: { weight: found.scale, perRow },
    batchMean: { weight: -found.scale, perRow: new Float64Array(perRow.length).fill(found.mean) },
  };
}
