/**
 * Rows of different lengths into micro-batches of few shapes, within a budget of tokens. Rows that begin alike are packed
 * as trees where that pays: the shared beginning once, then the branches.
 */
import { bucket } from "./buckets.ts";
import { costApart, findTrees, treeLayout, type PlanOptions, type Tree } from "./forest-plan.ts";
import { lengthBucket, tokensOf, type Cost, type Layout, type Member } from "./layout.ts";

export interface MicroBatch {
  readonly layout: Layout;
  /** The rows it holds; further branches are padding. */
  readonly members: readonly Member[];
  /** Tokens that need not be computed because they are shared. */
  readonly saved: number;
}

/** Every sequence that is not empty is in exactly one micro-batch. */
export function planBatches(sequences: readonly Int32Array[], options: PlanOptions): MicroBatch[] {
  const { budgetTokens, cost } = options;
  const present = [...sequences.keys()].filter((row) => (sequences[row] as Int32Array).length > 0);
  const { trees, single } = findTrees(sequences, present, options);
  const lengths = sequences.map((sequence) => sequence.length);
  const forests = forestBatches(lengths, trees, budgetTokens, cost);
  const [kept, undone] = options.packing === "always" ? [forests, []] : worthTheirShape(lengths, forests, cost);
  const apart = [...single, ...undone.flatMap(({ members }) => members.map(({ row }) => row))];
  return [...flatBatches(lengths, apart, budgetTokens), ...kept];
}

/**
 * A program of a new shape takes as long to make as so many multiplications in every layer: measured on two x64 cores, 25 ms of scoring
 * and 100 of learning for four layers. Flat batches have few shapes, which come again; a forest has hardly ever the shape of another.
 */
const SHAPE = 2e8;

/** Forests that save more than it takes to make their program, and the others. */
function worthTheirShape(
  lengths: readonly number[],
  forests: readonly MicroBatch[],
  cost: Cost,
): readonly [MicroBatch[], MicroBatch[]] {
  const saves = ({ layout, members }: MicroBatch): boolean =>
    cost(layout) + SHAPE < members.reduce((total, { row }) => total + costApart(lengths[row] as number, cost), 0);
  return [forests.filter(saves), forests.filter((one) => !saves(one))];
}

/** Longest first, so that neighbours are alike. A micro-batch never runs a single row: numbers would differ. */
function flatBatches(lengths: readonly number[], rows: readonly number[], budgetTokens: number): MicroBatch[] {
  const order = rows.toSorted((left, right) => (lengths[right] as number) - (lengths[left] as number) || left - right);
  const batches: MicroBatch[] = [];
  for (let at = 0; at < order.length;) {
    const length = lengthBucket(lengths[order[at] as number] as number);
    let most = 2;
    while (most * 2 * length <= budgetTokens && most < 256) most *= 2;
    const members = order.slice(at, at + most).map((row, branch) => ({ row, branch, shared: 0 }));
    const trees = bucket(Math.max(2, members.length), 2, most);
    batches.push({ layout: { trees, prefix: 0, branches: 1, length }, members, saved: 0 });
    at += members.length;
  }
  return batches;
}

/** Trees of like shape share a micro-batch as long as making them equal costs little. */
function forestBatches(
  lengths: readonly number[],
  trees: readonly Tree[],
  budgetTokens: number,
  cost: Cost,
): MicroBatch[] {
  const known = trees.map((tree) => ({ tree, layout: treeLayout(lengths, tree) }));
  known.sort(
    (left, right) =>
      right.layout.prefix - left.layout.prefix ||
      right.layout.length - left.layout.length ||
      right.layout.branches - left.layout.branches,
  );
  const batches: { layout: Layout; trees: Tree[]; alone: number }[] = [];
  for (const { tree, layout } of known) {
    const last = batches.at(-1);
    const alone = cost(layout);
    if (last !== undefined) {
      const joined = joinLayouts(last.layout, layout);
      if (tokensOf(joined) <= budgetTokens && cost(joined) <= 1.1 * (last.alone + alone)) {
        last.layout = joined;
        last.trees.push(tree);
        last.alone += alone;
        continue;
      }
    }
    batches.push({ layout, trees: [tree], alone });
  }
  return batches.map(({ layout, trees: held }) => ({
    layout,
    members: held.flatMap((tree, at) =>
      tree.rows.map((row, branch) => ({ row, branch: at * layout.branches + branch, shared: tree.shared })),
    ),
    saved: held.reduce((total, { shared, rows }) => total + shared * (rows.length - 1), 0),
  }));
}

function joinLayouts(left: Layout, right: Layout): Layout {
  return {
    trees: left.trees + right.trees,
    prefix: Math.max(left.prefix, right.prefix),
    branches: Math.max(left.branches, right.branches),
    length: Math.max(left.length, right.length),
  };
}
