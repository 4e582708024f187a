/**
 * A batch with branches as a forest of rows: a row is a node, its parent the row before it (through the branch), and
 * first rows of a task hang from one root. Last rows of trajectories are the leaves, scored by their outcomes.
 */
import { add, type Grouping, real, intAt } from "./columns.ts";
import type { IndexedBatch } from "./credit.ts";
import { previousRows } from "./states.ts";

export interface RowTree {
  /** Row before each row, or -1 for those that hang from the root of their task. */
  readonly parent: Int32Array;
  /** From 0. */
  readonly depth: Int32Array;
  /** Rows by depth, so that parents come before children. */
  readonly order: Int32Array;
  /** Rows with the same parent. Group n < rows is that of row n's children, the others are roots of tasks. */
  readonly siblings: Grouping;
  readonly isLeaf: Uint8Array;
}

export function rowTree(batch: IndexedBatch): RowTree {
  const count = batch.rows.length;
  const parent = previousRows(batch);
  const isLeaf = new Uint8Array(count).fill(1);
  for (const before of parent) if (before !== -1) isLeaf[before] = 0;
  const depth = depths(parent);
  const of = parent.map((before, at) => (before === -1 ? count + intAt(batch.index.taskOf, at) : before));
  return { parent, depth, order: byDepth(depth), siblings: { of, count: count + batch.index.tasks }, isLeaf };
}

/** Climbs to the first row of known depth, then walks back down; every row is passed a constant number of times. */
function depths(parent: Int32Array): Int32Array {
  const depth = new Int32Array(parent.length).fill(-1);
  const path: number[] = [];
  for (let start = 0; start < parent.length; start += 1) {
    let at = start;
    while (at !== -1 && depth[at] === -1) {
      path.push(at);
      at = intAt(parent, at);
    }
    let next = at === -1 ? 0 : intAt(depth, at) + 1;
    for (let row = path.pop(); row !== undefined; row = path.pop()) {
      depth[row] = next;
      next += 1;
    }
  }
  return depth;
}

function byDepth(depth: Int32Array): Int32Array {
  const offsets = new Int32Array(depth.reduce((most, one) => Math.max(most, one), 0) + 2);
  for (const one of depth) offsets[one + 1] = intAt(offsets, one + 1) + 1;
  for (let at = 1; at < offsets.length; at += 1) offsets[at] = intAt(offsets, at) + intAt(offsets, at - 1);
  const order = new Int32Array(depth.length);
  for (const [at, one] of depth.entries()) {
    const place = intAt(offsets, one);
    order[place] = at;
    offsets[one] = place + 1;
  }
  return order;
}

/** Leaves below each node and the sum of their values; entries from `rows` on are the roots of tasks. */
export function leafSums(
  { order, siblings, isLeaf }: RowTree,
  valueOf: (row: number) => number,
): { readonly sums: Float64Array; readonly counts: Float64Array } {
  const sums = new Float64Array(siblings.count);
  const counts = new Float64Array(siblings.count);
  for (const at of order.toReversed()) {
    if (isLeaf[at] === 1) {
      sums[at] = valueOf(at);
      counts[at] = 1;
    }
    const above = intAt(siblings.of, at);
    add(sums, above, real(sums, at));
    add(counts, above, real(counts, at));
  }
  return { sums, counts };
}

/** Mean over the leaves below each row: what a row shared by several trajectories takes of their values. */
export function leafMeans(tree: RowTree, valueOf: (row: number) => number): Float64Array {
  const { sums, counts } = leafSums(tree, valueOf);
  return sums.subarray(0, tree.parent.length).map((sum, at) => sum / real(counts, at));
}

/** Value of each node as the plain mean of its children; entries from `rows` on are the roots of tasks. */
export function childMeans({ order, siblings, isLeaf }: RowTree, valueOf: (row: number) => number): Float64Array {
  const values = new Float64Array(siblings.count);
  const children = new Float64Array(siblings.count);
  for (const at of order.toReversed()) {
    const value = isLeaf[at] === 1 ? valueOf(at) : real(values, at) / real(children, at);
    values[at] = value;
    const above = intAt(siblings.of, at);
    add(values, above, value);
    add(children, above, 1);
  }
  return values.map((value, at) => (at < order.length ? value : value / Math.max(real(children, at), 1)));
}
