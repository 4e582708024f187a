import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, stepTotals, totals } from "../../../../test/support/reward.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Reward, Score } from "limbeck-base/trajectory/trajectory";
import { components } from "./components.ts";
import { giveRewards } from "./give-rewards.ts";

const named = (name: string, score: Score, step?: number): Reward => ({
  name,
  source: "test",
  score,
  ...(step === undefined ? {} : { step }),
});
const own = sampleTrajectory("a", {
  reward: scored(1),
  rewards: [named("format", scored(0.5)), named("judge", unscored("timed out")), named("format", scored(0.1), 1)],
});

test("weights times values", () => {
  // 0.8 * 1 + 0.4 * 0.5 = 1
  expect(totals(components, [own], { weights: { reward: 0.8, format: 0.4 } })).toEqual([1]);
});

test("a component without a score: none, left out, or rescaled; always named", () => {
  const weights = { reward: 0.5, format: 0.2, judge: 0.3 };
  const run = (missing: string) =>
    giveRewards(components, [own], { options: { weights, unscored: missing } }).rewards[0]?.[0];
  expect(run("unscored")?.score).toEqual(unscored("without a score: judge (timed out)"));
  // 0.5 * 1 + 0.2 * 0.5 = 0.6
  expect(run("leave-out")).toMatchObject({ score: scored(0.6), comment: "without a score: judge (timed out)" });
  // 0.6 * (0.5 + 0.2 + 0.3) / (0.5 + 0.2) = 0.857142857
  const rescaled = run("rescale")?.score;
  expect(rescaled?.kind === "scored" ? rescaled.value : Number.NaN).toBeCloseTo(0.857142857, 9);
  expect(run("rescale")?.comment).toBe("without a score: judge (timed out)");
});

test("nothing scored is never a zero", () => {
  for (const missing of ["unscored", "leave-out", "rescale"]) {
    expect(totals(components, [own], { weights: { judge: 1, absent: 1 }, unscored: missing })).toEqual([
      'unscored: without a score: judge (timed out), absent (it has no reward "absent")',
    ]);
  }
});

test("steps are added up apart", () => {
  const trajectory = sampleTrajectory("b", {
    steps: [sampleStep(0, { reward: scored(1) }), sampleStep(1, { reward: scored(2) })],
    rewards: [named("format", scored(0.5), 0), named("format", scored(-1), 1)],
  });
  // 1 + 2 * 0.5 = 2 and 2 + 2 * -1 = 0
  expect(stepTotals(components, [trajectory], { level: "step", weights: { reward: 1, format: 2 } })).toEqual([[2, 0]]);
});

test("the order of the weights does not matter", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 6 }), (values) => {
      const rewards = values.map((value, at) => named(`r${at}`, scored(value)));
      const entries = values.map((value, at) => [`r${at}`, value] as const);
      const batch = [sampleTrajectory("p", { rewards })];
      const forward = totals(components, batch, { weights: Object.fromEntries(entries) });
      expect(totals(components, batch, { weights: Object.fromEntries(entries.toReversed()) })).toEqual(forward);
      // Every weight equals its value, so the sum is one of squares.
      expect(forward).toEqual([values.reduce((sum, value) => sum + value ** 2, 0)]);
    }),
  );
});

test("no weights are refused", () => {
  expect(() => totals(components, [], { weights: {} })).toThrow(
    "weights of components is {}; it takes names, at least 1",
  );
});
