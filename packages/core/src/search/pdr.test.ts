import { expect, test } from "vitest";
import { lock, scriptedAsker, searchTable, solvedBy } from "../../../../test/support/table-search.ts";
import { lineTo, nodesBelow } from "../walk/tree/node.ts";

test("rounds begin with what a model has distilled from the ones before", async () => {
  const asker = scriptedAsker([
    [/what is known now/, (prompt) => `LESSON ${(prompt.match(/Attempt \d+/g) ?? []).length}`],
  ]);
  const result = await searchTable("pdr", lock(4, 0.05), { asker, settings: { width: 2, rounds: 3 } });
  const prompts = nodesBelow(result.root).flatMap(({ step }) => (step?.prompt === undefined ? [] : [step.prompt]));
  // Two attempts of the second round are told of two, two of the third of four; all begin at the opening.
  expect(prompts.map((prompt) => /LESSON \d/.exec(prompt)?.[0])).toEqual([
    "LESSON 2",
    "LESSON 2",
    "LESSON 4",
    "LESSON 4",
  ]);
});

test("without a model they go on from where the best attempt went wrong", async () => {
  const result = await searchTable("pdr", lock(6, 0.5), { seed: 4, settings: { width: 3, rounds: 4 } });
  const starts = result.root.children.length;
  expect(starts).toBe(3);
  const later = nodesBelow(result.root).filter(({ children }) => children.length > 1);
  for (const fork of later) expect(lineTo(fork).length).toBeGreaterThanOrEqual(1);
});

test("a second and third round solve more than as many attempts at once", async () => {
  const table = lock(5, 0.5);
  const seeds = 24;
  const rounds = await solvedBy("pdr", table, { seeds, settings: { width: 4, rounds: 3 } });
  const atOnce = await solvedBy("best-of-n", table, { seeds, settings: { n: 12 } });
  expect(rounds).toBeGreaterThan(atOnce);
});

test("an attempt of a later round says which", async () => {
  const { root } = await searchTable("pdr", lock(3, 0), { settings: { width: 1, rounds: 3 } });
  expect(root.children.map(({ info }) => info?.["refinement"])).toEqual([undefined, 1, 2]);
});
