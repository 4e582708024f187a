import fc from "fast-check";
import { expect, test } from "vitest";
import { optimalAssignment } from "./assignment.ts";

test("gives up the best pair for a better sum", () => {
  // Greedy takes 0.9 and then 0: 0.9. The other way 0.8 + 0.7 = 1.5.
  expect(
    optimalAssignment([
      [0.9, 0.8],
      [0.7, 0],
    ]),
  ).toEqual([1, 0]);
});

test("more rows than columns, and the other way round", () => {
  expect(optimalAssignment([[0.2], [0.9], [0.5]])).toEqual([-1, 0, -1]);
  expect(optimalAssignment([[0.2, 0.9, 0.5]])).toEqual([1]);
  expect(optimalAssignment([])).toEqual([]);
  expect(optimalAssignment([[], []])).toEqual([-1, -1]);
});

/** Every assignment in turn. */
function bestSum(values: readonly (readonly number[])[], row = 0, taken = new Set<number>()): number {
  const own = values[row];
  if (own === undefined) return 0;
  let best = bestSum(values, row + 1, taken);
  for (const [column, value] of own.entries()) {
    if (!taken.has(column)) best = Math.max(best, value + bestSum(values, row + 1, new Set([...taken, column])));
  }
  return best;
}

test("no assignment has a larger sum", () => {
  const table = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })).chain(([rows, columns]) =>
    fc.array(fc.array(fc.integer({ min: 0, max: 8 }), { minLength: columns, maxLength: columns }), {
      minLength: rows,
      maxLength: rows,
    }),
  );
  fc.assert(
    fc.property(table, (values) => {
      const partner = optimalAssignment(values);
      const used = partner.filter((column) => column !== -1);
      expect(new Set(used).size).toBe(used.length);
      expect(partner.reduce((sum, column, row) => sum + (values[row]?.[column] ?? 0), 0)).toBe(bestSum(values));
    }),
    { numRuns: 60 },
  );
});
