import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { unlearnedData } from "../../../../scripts/docs/unlearned-data.ts";
import { unlearnedWarnings, unlearnedWorlds } from "./unlearned.ts";

const line = { env: "household", updates: 20 };

test("a line of the matrix that lost more than chance is told, others are not", () => {
  const lines = [
    { ...line, line: "credit/siop", before: 0.2708, after: 0.0417 },
    { ...line, line: "credit/grpo", before: 0.2708, after: 0.2292 },
    { ...line, line: "credit/gae", before: null, after: 0 },
  ];
  const known = JSON.parse(unlearnedData(lines)) as Parameters<typeof unlearnedWarnings>[1];
  expect(known).toEqual([{ ...line, kind: "credit", name: "siop", before: 0.27, after: 0.04 }]);
  const chosen = { env: "household", recipe: "grpo", credit: "siop" };
  expect(unlearnedWarnings(chosen, known)).toEqual([
    "siop has unlearned household at its defaults: success 0.27 to 0.04 in 20 small updates, one seed (docs/evidence/generated/matrix.md). Watch validation; a lower learningRate is the first thing to try.",
  ]);
  // Elsewhere nothing is known of it, and the recipe's own credit is the recipe's affair.
  expect(unlearnedWarnings({ ...chosen, env: "research" }, known)).toEqual([]);
  expect(unlearnedWarnings({ env: "household", recipe: "siop" }, known)).toEqual([]);
});

test("a strategy is found by its room", () => {
  const known = [{ ...line, kind: "strategy", name: "replay", before: 0.27, after: 0.06 }];
  expect(unlearnedWorlds("rollout", "replay", known)).toEqual([
    "household: success 0.27 to 0.06 in 20 small updates, one seed",
  ]);
  expect(unlearnedWorlds("credit", "replay", known)).toEqual([]);
});

test("what is read is what the matrix says", () => {
  expect(readFileSync(new URL("../../data/unlearned.json", import.meta.url), "utf8")).toBe(unlearnedData());
});
