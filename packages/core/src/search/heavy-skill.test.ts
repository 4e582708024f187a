import { expect, test } from "vitest";
import { lock, scriptedAsker, searchTable, type SearchTable } from "../../../../test/support/table-search.ts";
import { nodesBelow } from "../walk/tree/node.ts";

/** Three doors; the right one is hardly ever tried. */
const doors: SearchTable = {
  moves: { hall: { red: "cellar", blue: "attic", gold: "vault" }, vault: { open: "won" } },
  ends: { cellar: 0, attic: 0, won: 1 },
  maxSteps: 4,
  chances: { hall: { red: 0.7, blue: 0.29, gold: 0.01 }, vault: { open: 1 } },
};

test("a model that reads all traces writes the line that none of them took", async () => {
  const asker = scriptedAsker([[/Think about what the attempts show/, () => "1. gold\n2) open"]]);
  const result = await searchTable("heavy-skill", doors, { asker, settings: { traces: 4 } });
  expect([result.success, result.actions]).toEqual([true, ["gold", "open"]]);
});

test("without one the pooled values of states and actions lead", async () => {
  // Worths in the lock are how far an attempt came, so that right has the higher mean at every wheel it was turned at.
  const settings = { traces: 4, syntheses: 1 };
  const seeds = Array.from({ length: 12 }, (_, seed) => seed);
  const results = await Promise.all(seeds.map((seed) => searchTable("heavy-skill", lock(5, 0.55), { seed, settings })));
  const put = results.map(({ root }) => nodesBelow(root).filter(({ step }) => step?.info?.["source"] === "search"));
  // Where a trace has opened the lock nothing is synthesised; what is put into its mouth is never what ended badly.
  expect(put.some((nodes) => nodes.length > 0)).toBe(true);
  expect(put.flat().filter(({ action }) => action === "wrong")).toEqual([]);
});
