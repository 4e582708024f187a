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

/** The first trace of such a policy wins; what the model writes does not. */
const easy: SearchTable = { ...doors, chances: { hall: { gold: 1 }, vault: { open: 1 } } };

test("the synthesis is the answer although a trace is worth more; best keeps the trace and asks nothing", async () => {
  let asked = 0;
  const asker = scriptedAsker([
    [
      /Think about what the attempts show/,
      () => {
        asked += 1;
        return "red";
      },
    ],
  ]);
  const published = await searchTable("heavy-skill", easy, { asker });
  expect([published.success, published.actions]).toEqual([false, ["red"]]);
  // Default: 8 traces, then 4 syntheses of one question.
  expect(asked).toBe(4);
  const kept = await searchTable("heavy-skill", easy, { asker, settings: { answer: "best" } });
  expect([kept.success, kept.actions, asked]).toEqual([true, ["gold", "open"], 4]);
});

test("all syntheses read the same eight traces, in a drawn order, and none is asked for after a solved one", async () => {
  const read: string[] = [];
  const asker = scriptedAsker([
    [
      /Think about what the attempts show/,
      (prompt) => {
        read.push(prompt);
        return read.length < 3 ? "red" : "gold\nopen";
      },
    ],
  ]);
  const { success } = await searchTable(
    "heavy-skill",
    { ...doors, chances: { hall: { red: 0.5, blue: 0.5 } } },
    { asker },
  );
  expect([success, read.length, new Set(read).size]).toEqual([true, 3, 1]);
  expect(read[0]?.match(/^Attempt \d+$/gm)?.length).toBe(8);
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
