/** Which rows begin alike for long enough that computing the beginning once pays. */
import { commonPrefixes, type PrefixEntry } from "../../trajectory/prefix.ts";
import { lengthBucket, tokensOf, type Cost, type Layout, type Packing } from "./layout.ts";
import type { ModelConfig } from "./model-config.ts";

/** Rows that share their first tokens. */
export interface Tree {
  readonly shared: number;
  readonly rows: readonly number[];
}

export interface PlanOptions {
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
export function findTrees(
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
export function treeLayout(lengths: readonly number[], { shared, rows }: Tree): Layout {
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
export function costApart(length: number, cost: Cost): number {
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
