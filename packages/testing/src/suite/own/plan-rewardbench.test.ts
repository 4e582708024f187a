/** Judges of pairs: chance at a half, what plays the runs again at one, what sees the end alone between, by kind and length. */
import { expect, test } from "vitest";
import { digestOf, readSuite } from "../suite.ts";
import { asked } from "../../../../../test/support/asked-suite.ts";
import { FAMILIES, makePairs, planRewardBench } from "./plan-rewardbench.ts";

test("the pairs are of four kinds, as often A as B, and each time the same", async () => {
  const made = await makePairs();
  expect(new Set(made.tasks.map(({ template }) => template))).toEqual(new Set(Object.keys(FAMILIES)));
  const first = made.tasks.filter(({ answer }) => answer === "A").length;
  expect(Math.abs(2 * first - made.tasks.length)).toBeLessThanOrEqual(1);
  expect(digestOf(readSuite(await makePairs()))).toBe(digestOf(readSuite(made)));
});

test("a random judge is at a half, the replay at one, and the last page strictly between", async () => {
  const [chance, last, replay] = await Promise.all([
    asked(planRewardBench, "chance", 8),
    asked(planRewardBench, "last-page", 8),
    asked(planRewardBench, "replay"),
  ]).then((runs) => runs.map(({ report }) => report));
  expect(chance?.accuracy?.low).toBeLessThan(0.5);
  expect(chance?.accuracy?.high).toBeGreaterThan(0.5);
  expect(replay?.accuracy?.mean).toBe(1);
  expect(last?.accuracy?.low).toBeGreaterThan(chance?.accuracy?.high ?? 1);
  expect(last?.accuracy?.high).toBeLessThan(1);
  // A step that was left out is not on the last page; that nothing was bought is.
  const { planning, refusal } = last?.templates ?? {};
  expect(planning?.accuracy?.low).toBeLessThan(0.5);
  expect(planning?.accuracy?.high).toBeGreaterThan(0.5);
  expect(refusal?.accuracy?.mean).toBe(1);
  expect(Object.keys(replay?.buckets ?? {})).toEqual(["long", "short"]);
});
