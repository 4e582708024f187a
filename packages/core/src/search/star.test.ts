import { expect, test } from "vitest";
import { searchTable, type SearchTable } from "../../../../test/support/table-search.ts";

const quiz: SearchTable = {
  moves: { quiz: { seven: "a", eight: "b", nine: "c" } },
  ends: { a: 1, b: 0, c: 0 },
  maxSteps: 2,
  chances: { quiz: { seven: 0.6, eight: 0.3, nine: 0.1 } },
};

test("picks what is both sure and agreed on, without looking at outcomes", async () => {
  const result = await searchTable("star", quiz, { seesOutcome: false, settings: { samples: 9 } });
  expect(result.actions).toEqual(["seven"]);
  const counts = new Map<string, number>();
  for (const { action = "" } of result.root.children) counts.set(action, (counts.get(action) ?? 0) + 1);
  const facts = result.chosen?.info?.["sureness"] as { agreement: number; confidence: number; score: number };
  expect(facts.agreement).toBeCloseTo((counts.get("seven") ?? 0) / 9, 12);
  // "seven" and its end are six tokens; the chance of the whole is 0.6, so that the mean is a sixth of its logarithm.
  expect(facts.confidence).toBeCloseTo(0.6 ** (1 / 6), 5);
  expect(facts.score).toBeCloseTo((facts.agreement + facts.confidence) / 2, 12);
});

test("the balance decides between the sure and the many", async () => {
  const torn = { ...quiz, chances: { quiz: { seven: 0.5, eight: 0.26, nine: 0.24 } } };
  const many = await searchTable("star", torn, { settings: { samples: 12, balance: 0 } });
  expect(many.actions).toEqual(["seven"]);
});
