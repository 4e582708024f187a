import { expect, test } from "vitest";
import { planBatches, tokensOf, type Layout, type Packing } from "./batches.ts";

/** A million multiplications a token: a program of a new shape is worth 200 tokens. */
const cost = (layout: Layout): number => 1e6 * tokensOf(layout);

/** So many rows that share 64 tokens, with four of their own each. */
const siblings = (count: number, opening: number): Int32Array[] =>
  Array.from({ length: count }, (_, row) =>
    Int32Array.from({ length: 68 }, (_, at) => (at < 64 ? opening + at : 1_000 + row)),
  );

const plan = (rows: readonly Int32Array[], packing: Packing = "auto") =>
  planBatches(rows, { budgetTokens: 2_048, cost, packing }).map(({ layout, members, saved }) => ({
    ...layout,
    rows: members.map(({ row }) => row),
    saved,
  }));

test("a forest is laid out where it saves more than its program takes to make", () => {
  // Apart, rows take 80 tokens each: 320. The tree takes 64 + 4 * 16 = 128, and saves 192, fewer than 200.
  const flat = { trees: 4, prefix: 0, branches: 1, length: 80, rows: [0, 1, 2, 3], saved: 0 };
  expect(plan(siblings(4, 0))).toEqual([flat]);
  expect(plan(siblings(4, 0), "always")).toEqual([
    { trees: 1, prefix: 64, branches: 4, length: 16, rows: [0, 1, 2, 3], saved: 192 },
  ]);
  // Of five rows: 400 against 64 + 5 * 16 = 144.
  expect(plan(siblings(5, 0))).toEqual([
    { trees: 1, prefix: 64, branches: 5, length: 16, rows: [0, 1, 2, 3, 4], saved: 256 },
  ]);
  // Two trees of one shape share a program: 640 against 256.
  expect(plan([...siblings(4, 0), ...siblings(4, 100)])).toEqual([
    { trees: 2, prefix: 64, branches: 4, length: 16, rows: [0, 1, 2, 3, 4, 5, 6, 7], saved: 384 },
  ]);
});
