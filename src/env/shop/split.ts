/**
 * Train, valid and test goals. One permutation of the products, fixed by a constant, comes before any split: whoever
 * opens the shop, with whatever seed of their own, gets the same three sets. The cuts fall between products, so that
 * no product is the target in two splits.
 */
import { createRng, groupedBy, shuffle } from "../../base/index.ts";
import type { Goal } from "./goal.ts";

export const SPLITS = ["train", "valid", "test"] as const;
export type Split = (typeof SPLITS)[number];

/** The label of the permutation. Changing it changes every split ever published. */
const PERMUTATION = "shop split 1";
const HELD_OUT_SHARE = 0.1;

/** Positions of the goals of each split, in the order in which tasks are given out. */
export function splitGoals(goals: readonly Goal[]): Record<Split, Int32Array> {
  const byProduct = groupedBy(goals.keys(), (position) => goals[position]?.product);
  const groups = shuffle([...byProduct.values()], createRng(PERMUTATION));
  const heldOut = Math.ceil(groups.length * HELD_OUT_SHARE);
  const cut = (from: number, to: number): Int32Array => Int32Array.from(spread(groups.slice(from, to)));
  // With fewer than three products some split is empty; train is served first.
  const test = Math.min(heldOut, Math.max(0, groups.length - 2));
  const valid = test + Math.min(heldOut, Math.max(0, groups.length - 1 - test));
  return { test: cut(0, test), valid: cut(test, valid), train: cut(valid, groups.length) };
}

/** The first goal of every product, then the second of every product: neighbours are different errands. */
function spread(groups: readonly (readonly number[])[]): number[] {
  const longest = groups.reduce((most, group) => Math.max(most, group.length), 0);
  return Array.from({ length: longest }, (_, round) => groups.flatMap((group) => group.slice(round, round + 1))).flat();
}
