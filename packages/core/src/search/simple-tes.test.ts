import { expect, test } from "vitest";
import { lock, searchTable, solvedBy } from "../../../../test/support/table-search.ts";

test("chains, candidates and depth are what they say", async () => {
  const table = lock(3, 0);
  const result = await searchTable("simple-tes", table, { settings: { chains: 2, candidates: 3, depth: 2 } });
  // The policy is always wrong at the first wheel: every attempt is one step, from the opening, 2 x 3 of them twice.
  expect(result.nodes).toBe(12);
  expect(result.root.children).toHaveLength(12);
  expect(result.success).toBe(false);
});

test("at a fixed budget refined chains open more locks than independent attempts", async () => {
  const budget = { modelCalls: 60 };
  const [table, seeds] = [lock(6, 0.5), 24];
  const chains = await solvedBy("simple-tes", table, { seeds, budget, settings: { depth: 40 } });
  const single = await solvedBy("simple-tes", table, {
    seeds,
    budget,
    settings: { depth: 40, chains: 1, candidates: 1 },
  });
  const alone = await solvedBy("best-of-n", table, { seeds, budget, settings: { n: 60 } });
  expect(chains).toBeGreaterThan(alone);
  expect(single).toBeGreaterThan(alone);
});

test("what was refined says how often", async () => {
  const { root } = await searchTable("simple-tes", lock(3, 0), { settings: { chains: 1, candidates: 1, depth: 3 } });
  expect(root.children.map(({ info }) => info?.["refinement"])).toEqual([undefined, 1, 2]);
});
