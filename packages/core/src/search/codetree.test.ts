import { expect, test } from "vitest";
import { lock, scriptedAsker, searchTable, solvedBy } from "../../../../test/support/table-search.ts";
import { nodesBelow } from "../walk/tree/node.ts";

test("strategies are given to the solver, and a critic scores what comes of them", async () => {
  const asked: string[] = [];
  const asker = scriptedAsker([
    [/different strategies/, () => "1. Turn slowly\n2. Turn fast"],
    [/How near is this attempt/, (prompt) => (asked.push(prompt), "4")],
  ]);
  const settings = { strategies: 2, children: 2, refinements: 0 };
  const result = await searchTable("codetree", lock(3, 0), { asker, settings });
  const told = nodesBelow(result.root).flatMap(({ step }) => /Turn \w+/.exec(step?.prompt ?? "")?.[0] ?? []);
  // Two solutions of each strategy, in turn, since all fail alike; each was criticised.
  expect(told.toSorted()).toEqual(["Turn fast", "Turn fast", "Turn slowly", "Turn slowly"]);
  expect(asked).toHaveLength(4);
});

test("stops at a success and repairs what came near", async () => {
  const solved = await searchTable("codetree", lock(2, 1));
  // One strategy, since all proposals mean the same, and one attempt that opens the lock.
  expect([solved.success, solved.nodes]).toEqual([true, 2]);
  const seeds = 20;
  const budget = { modelCalls: 60 };
  const repaired = await solvedBy("codetree", lock(6, 0.5), {
    seeds,
    budget,
    settings: { children: 10, refinements: 10 },
  });
  const alone = await solvedBy("best-of-n", lock(6, 0.5), { seeds, budget, settings: { n: 60 } });
  expect(repaired).toBeGreaterThan(alone);
});
