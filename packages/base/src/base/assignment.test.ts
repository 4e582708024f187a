import fc from "fast-check";
import { expect, test } from "vitest";
import { greedyAssignment, optimalAssignment, transportPlan } from "./assignment.ts";

const total = (table: readonly (readonly number[])[], partners: readonly number[]): number =>
  partners.reduce((sum, column, row) => sum + (column < 0 ? 0 : (table[row]?.[column] ?? 0)), 0);

/** The best sum by trying everything. */
function bruteForce(table: readonly (readonly number[])[], row = 0, taken: readonly number[] = []): number {
  if (row === table.length) return 0;
  const without = bruteForce(table, row + 1, taken);
  const free = (table[row] ?? []).flatMap((value, column) =>
    taken.includes(column) ? [] : [value + bruteForce(table, row + 1, [...taken, column])],
  );
  return Math.max(without, ...free);
}

const table = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })).chain(([rows, columns]) =>
  fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: columns, maxLength: columns }), {
    minLength: rows,
    maxLength: rows,
  }),
);

test("greedy takes the best pair and regrets it; optimal does not", () => {
  const regret = [
    [9, 8],
    [8, 1],
  ];
  // Greedy: 9 + 1 = 10. Optimal: 8 + 8 = 16.
  expect(greedyAssignment(regret)).toEqual([0, 1]);
  expect(optimalAssignment(regret)).toEqual([1, 0]);
});

test("more rows than columns, more columns than rows, none", () => {
  expect(optimalAssignment([[1], [3], [2]])).toEqual([-1, 0, -1]);
  expect(optimalAssignment([[1, 3, 2]])).toEqual([1]);
  expect(optimalAssignment([])).toEqual([]);
  expect(optimalAssignment([[], []])).toEqual([-1, -1]);
  expect(greedyAssignment([[0, 0]])).toEqual([-1]);
});

test("no assignment is better than the optimal one, and none uses a column twice", () => {
  fc.assert(
    fc.property(table, (own) => {
      for (const assign of [optimalAssignment, greedyAssignment]) {
        const used = assign(own).filter((column) => column >= 0);
        expect(new Set(used).size).toBe(used.length);
      }
      expect(total(own, optimalAssignment(own))).toBe(bruteForce(own));
      expect(total(own, greedyAssignment(own))).toBeLessThanOrEqual(bruteForce(own));
    }),
    { numRuns: 200 },
  );
});

test("a plan keeps both marginals", () => {
  fc.assert(
    fc.property(table, (own) => {
      const plan = transportPlan(
        own.map((row) => row.map((value) => value / 9)),
        0.5,
      );
      for (const row of plan) expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1 / own.length, 6);
      const columns = own[0]?.length ?? 0;
      for (let column = 0; column < columns; column += 1) {
        expect(plan.reduce((sum, row) => sum + (row[column] ?? 0), 0)).toBeCloseTo(1 / columns, 6);
      }
    }),
    { numRuns: 50 },
  );
});

test("a plan by hand: two calls, two partners", () => {
  // Similarity 1 on the diagonal, 0 off it, entropy 1: kernel e to 1, so each row splits e / (1 + e) = 0.731059 to 0.268941,
  // and half of the mass is in each row.
  const plan = transportPlan(
    [
      [1, 0],
      [0, 1],
    ],
    1,
  ).map((row) => row.map((value) => Number(value.toFixed(6))));
  expect(plan).toEqual([
    [0.365529, 0.134471],
    [0.134471, 0.365529],
  ]);
});
