import { expect, test } from "vitest";
import { answers, rowAdvantages } from "../../../../test/support/credit.ts";
import { cosearch } from "./cosearch.ts";

const asked = (state: string, reward: number) => ({ state, reward });

test("rankings of like queries, quality and outcome together", () => {
  // 0.8 + 1 and 0.4 + 0: +- 0.707106. The third asked something else.
  const batch = answers([1, 0, 1], [asked("who wrote it", 0.8), asked("who wrote it", 0.4), asked("when", 0.9)]);
  const found = rowAdvantages(cosearch, batch);
  expect(found[0]).toBeCloseTo(0.707106, 5);
  expect(found[1]).toBeCloseTo(-0.707106, 5);
  expect(found[2]).toBe(0);
});

test("queries may be alike without being equal", () => {
  const batch = answers([1, 0], [asked("Who wrote the long novel?", 0.8), asked("Who wrote the long novels?", 0.4)]);
  expect(rowAdvantages(cosearch, batch)).toEqual([0, 0]);
  expect(rowAdvantages(cosearch, batch, { stateMatch: "similar" })[0]).toBeCloseTo(0.707106, 5);
});

test("without the outcome the quality decides", () => {
  // 0.4 against 0.8 although its rollout succeeded.
  const batch = answers([1, 0], [asked("q", 0.4), asked("q", 0.8)]);
  expect(rowAdvantages(cosearch, batch, { outcomeWeight: 0 })[0]).toBeCloseTo(-0.707104, 5);
});
