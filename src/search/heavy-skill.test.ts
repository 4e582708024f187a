import { expect, test } from "vitest";
import { lock, scriptedAsker, searchTable, type SearchTable } from "../../test/support/table-search.ts";
import { nodesBelow } from "./index.ts";

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
  const table = lock(5, 0.55);
  const result = await searchTable("heavy-skill", table, { seed: 3, settings: { traces: 4, syntheses: 1 } });
  const traces = result.root.children.slice(0, 4);
  expect(traces).toHaveLength(4);
  const taken = nodesBelow(result.root).filter(({ step }) => step?.info?.["source"] === "search");
  if (!traces.some((node) => nodesBelow(node).some(({ success }) => success === true))) {
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.filter(({ action }) => action === "wrong")).toEqual([]);
  }
});
