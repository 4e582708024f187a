/**
 * Rows of different lengths into micro-batches of few shapes, within a budget of tokens. Rows that begin alike are packed
 * as trees where that pays: the shared beginning once, then the branches.
 */
import { bucket } from "./least-rows.ts";
import { commonPrefixes, type PrefixEntry } from "limbeck-base/trajectory/prefix";
import type { ModelConfig } from "./model-config.ts";

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

// How the tokens of a micro-batch lie.

/**
 * First the prefixes of all trees, then the branches, tree by tree. Without a prefix
 * it is a flat batch of `trees` rows with one branch each.
 */
export interface Layout {
  readonly trees: number;
  readonly prefix: number;
  /** Per tree. */
  readonly branches: number;
  /** Of every branch. */
  readonly length: number;
}

/** Where a row lies. */
interface Member {
  readonly row: number;
  /** Counted over all trees. */
  readonly branch: number;
  /** How many of its tokens are in the prefix of its tree. */
  readonly shared: number;
}

/** Whether rows that begin alike are packed as trees: where it pays, wherever it can be done, or nowhere. */
export type Packing = "auto" | "always" | "never";

/** Estimated time of a layout, in any unit. */
export type Cost = (layout: Layout) => number;

export function tokensOf({ trees, prefix, branches, length }: Layout): number {
  return trees * (prefix + branches * length);
}

/** The place of a row's token among all tokens of the micro-batch. */
export function placeOf({ trees, prefix, branches, length }: Layout, member: Member, position: number): number {
  if (position < member.shared) return Math.floor(member.branch / branches) * prefix + position;
  return trees * prefix + member.branch * length + position - member.shared;
}

/** Lengths in steps of a sixteenth of the next power of two, at least 16: padding wastes at most an eighth or so, and half of that on average. */
export function lengthBucket(length: number): number {
  let power = 16;
  while (power < length) power *= 2;
  const step = Math.max(16, power / 16);
  return Math.ceil(Math.max(length, 1) / step) * step;
}

// Which rows begin alike for long enough that computing the beginning once pays.

/** Rows that share their first tokens. */
interface Tree {
  readonly shared: number;
  readonly rows: readonly number[];
}

interface PlanOptions {
  readonly budgetTokens: number;
  readonly cost: Cost;
  readonly packing?: Packing;
}

/** A shorter beginning is not worth another shape. */
const LEAST_SHARED = 16;
const MOST_BRANCHES = 64;
/** A tree must be this much cheaper than its rows apart; estimates are rough. */
const WORTH = 0.9;

/** Trees of at least two rows, and the rows that are better computed by themselves. */
function findTrees(
  sequences: readonly Int32Array[],
  rows: readonly number[],
  { budgetTokens, cost, packing = "auto" }: PlanOptions,
): { readonly trees: Tree[]; readonly single: number[] } {
  if (packing === "never") return { trees: [], single: [...rows] };
  const lengths = sequences.map((sequence) => sequence.length);
  const entries = commonPrefixes(rows.map((row) => sequences[row] as Int32Array));
  const trees: Tree[] = [];
  const single: number[] = [];
  for (let at = 0; at < entries.length;) {
    const { count, shared } = bestRun(entries, at);
    const members = entries.slice(at, at + count).map(({ index }) => rows[index] as number);
    at += count;
    for (const tree of withinBudget(lengths, { shared, rows: members }, budgetTokens)) {
      if (tree.rows.length > 1 && (packing === "always" || pays(lengths, tree, cost))) trees.push(tree);
      else single.push(...tree.rows);
    }
  }
  return { trees, single };
}

/** The smallest layout of one tree. */
function treeLayout(lengths: readonly number[], { shared, rows }: Tree): Layout {
  const longest = rows.reduce((most, row) => Math.max(most, lengths[row] as number), 0);
  const branches = rows.length <= 8 ? rows.length : Math.ceil(rows.length / 4) * 4;
  return { trees: 1, prefix: lengthBucket(shared), branches, length: lengthBucket(longest - shared) };
}

/** The run of neighbours from here on that saves most tokens per row: shared * (count - 1) / count. */
function bestRun(entries: readonly PrefixEntry[], start: number): { readonly count: number; readonly shared: number } {
  let shared = Number.POSITIVE_INFINITY;
  let best = { count: 1, shared: 0, gain: 0 };
  for (let count = 2; start + count <= entries.length && count <= MOST_BRANCHES; count += 1) {
    shared = Math.min(shared, (entries[start + count - 1] as PrefixEntry).shared);
    if (shared < LEAST_SHARED) break;
    const gain = (shared * (count - 1)) / count;
    if (gain > best.gain) best = { count, shared, gain };
  }
  return best;
}

/** A tree that is too large is cut into trees of fewer branches, like lengths together. */
function withinBudget(lengths: readonly number[], tree: Tree, budgetTokens: number): Tree[] {
  if (tree.rows.length < 2 || tokensOf(treeLayout(lengths, tree)) <= budgetTokens) return [tree];
  const rows = tree.rows.toSorted(
    (left, right) => (lengths[right] as number) - (lengths[left] as number) || left - right,
  );
  const parts: Tree[] = [];
  for (let at = 0; at < rows.length;) {
    const length = lengthBucket((lengths[rows[at] as number] as number) - tree.shared);
    const room = Math.floor((budgetTokens - lengthBucket(tree.shared)) / length);
    // Above eight, branches are rounded up to fours.
    const most = Math.max(1, room > 8 ? room - (room % 4) : room);
    parts.push({ shared: tree.shared, rows: rows.slice(at, at + most) });
    at += most;
  }
  return parts;
}

function pays(lengths: readonly number[], tree: Tree, cost: Cost): boolean {
  const apart = tree.rows.reduce((total, row) => total + costApart(lengths[row] as number, cost), 0);
  return cost(treeLayout(lengths, tree)) < WORTH * apart;
}

/** Of a row of that length by itself. */
function costApart(length: number, cost: Cost): number {
  return cost({ trees: 1, prefix: 0, branches: 1, length: lengthBucket(length) });
}

/**
 * Multiplications, with those of attention counted three times: its products are thin, and its scores are walked over
 * several times more.
 */
export function costOf(config: ModelConfig): Cost {
  const { hiddenSize, heads, keyValueHeads, headSize, intermediateSize } = config;
  const linear = hiddenSize * (2 * (heads + keyValueHeads) * headSize + 3 * intermediateSize);
  const pair = 3 * 2 * heads * headSize;
  // A causal row of blocks of 128 queries.
  const causalPairs = (length: number): number => Math.min(length * length, (length * (length + 128)) / 2);
  return (layout: Layout) => {
    const { trees, prefix, branches, length } = layout;
    const pairs =
      prefix === 0
        ? trees * branches * causalPairs(length)
        : trees * (causalPairs(prefix) + branches * length * (prefix + length));
    return tokensOf(layout) * linear + pairs * pair;
  };
}
