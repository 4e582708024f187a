import { expect, test } from "vitest";
import { lock, searchTable, solvedBy, type SearchTable } from "../../../../test/support/table-search.ts";
import { nodesBelow } from "../walk/tree/node.ts";

test("at a fixed budget evolved attempts open more locks than independent ones", async () => {
  const budget = { modelCalls: 60 };
  const [table, seeds] = [lock(6, 0.5), 24];
  const evolved = await solvedBy("evolution", table, { seeds, budget, settings: { generations: 40 } });
  const alone = await solvedBy("best-of-n", table, { seeds, budget, settings: { n: 60 } });
  expect(evolved).toBeGreaterThan(alone);
});

test("children of two parents take up what the other did after a state that both have passed", async () => {
  // Two ways to the same hall; from there only a jump is right, and the policy seldom jumps.
  const table: SearchTable = {
    moves: {
      start: { left: "west", right: "east" },
      west: { on: "hall" },
      east: { on: "hall" },
      hall: { jump: "top", wait: "dust" },
    },
    ends: { top: 0.9, dust: 0.1 },
    maxSteps: 4,
    chances: { start: { left: 0.5, right: 0.5 }, west: { on: 1 }, east: { on: 1 }, hall: { jump: 0.3, wait: 0.7 } },
  };
  const settings = { crossover: 1, generations: 6, islands: 1, births: 4 };
  const result = await searchTable("evolution", table, { seed: 2, settings });
  const crossed = nodesBelow(result.root).filter(({ step }) => step?.info?.["source"] === "search");
  expect(crossed.length).toBeGreaterThan(0);
  expect(crossed.every(({ parent }) => parent?.stateKey !== "start")).toBe(true);
});

test("working in parallel changes nothing", async () => {
  const shape = async (concurrency: number): Promise<string[]> => {
    const { root } = await searchTable("evolution", lock(4, 0.3), { concurrency, seed: 5 });
    return nodesBelow(root).map(({ path, stateKey }) => `${path} ${stateKey}`);
  };
  expect(await shape(64)).toEqual(await shape(1));
});

test("a child says who its parents are, all of them born before it", async () => {
  const settings = { islands: 1, births: 2, generations: 3, crossover: 0 };
  const { root } = await searchTable("evolution", lock(3, 0), { settings });
  const told = nodesBelow(root).flatMap(({ info }) => (info?.["parents"] === undefined ? [] : [info]));
  // Two generations of two after the first, which has no parents: members 0 and 1, then 2 and 3.
  expect(told.map(({ generation }) => generation)).toEqual([1, 1, 2, 2]);
  expect(
    told.every(({ parents, generation }) => (parents as number[]).every((id) => id < 2 * Number(generation))),
  ).toBe(true);
});
