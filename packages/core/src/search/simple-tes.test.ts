import { expect, test } from "vitest";
import { lock, searchTable, solvedBy } from "../../../../test/support/table-search.ts";
import { nodesBelow } from "../walk/tree/node.ts";

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

test("a step keeps its best candidate even if it is worse, builds on several and shows them to models that read", async () => {
  const { root } = await searchTable("simple-tes", lock(4, 0.5), {
    settings: { chains: 1, candidates: 2, depth: 5, inspirations: 3, advise: true },
  });
  const ends = nodesBelow(root).filter(({ closed }) => closed);
  // Five steps of two.
  expect(ends).toHaveLength(10);
  const told = nodesBelow(root).flatMap(({ step }) => {
    const prompt = step?.prompt ?? "";
    return prompt.includes("Attempt 1") ? [prompt.split(/Attempt \d+/).length - 1] : [];
  });
  // One attempt is kept at each step, so that the steps after it show 1, 2, 3 and again 3, to two candidates each.
  expect(told).toEqual([1, 1, 2, 2, 3, 3, 3, 3]);
});

test("a chain is cut to its best attempt after so many", async () => {
  const { root } = await searchTable("simple-tes", lock(4, 0.5), {
    settings: { chains: 1, candidates: 1, depth: 5, restart: 2, select: "rpucg", advise: true },
  });
  const told = nodesBelow(root).flatMap(({ step }) => {
    const prompt = step?.prompt ?? "";
    return prompt.includes("Attempt 1") ? [prompt.split(/Attempt \d+/).length - 1] : [];
  });
  // Kept: 1, 2 and cut to 1, then 2 and cut to 1 again.
  expect(told.every((count) => count === 1)).toBe(true);
  expect(told).toHaveLength(4);
});
