import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, totals, withSteps } from "../../../../test/support/reward.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { peakRetention } from "./peak-retention.ts";

const own = { form: "after-peak", retention: 0.5, efficiency: 0.2, maxTurns: 5, format: 0 };

test("scores out of 5, as the paper works them out", () => {
  const scores = [[4.8], [4.5, 4.8], [3, 4, 4.8], [3, 4.8, 4], [4.75]];
  const batch = scores.map((ones, at) =>
    withSteps(
      String(at),
      ones.map((one) => one / 5),
    ),
  );
  const found = totals(peakRetention, batch, { format: 0 });
  for (const [at, wanted] of [1.2, 1.1875, 1.175, 1.135, 1.1875].entries()) expect(found[at]).toBeCloseTo(wanted, 6);
  // All turns were understood.
  expect(totals(peakRetention, batch)[0]).toBeCloseTo(1.3, 6);
  // The longest of the batch has three turns; one of single turns has none to count.
  expect(totals(peakRetention, batch, { maxTurns: null, format: 0 })[2]).toBeCloseTo(1.175, 6);
  expect(totals(peakRetention, batch.slice(0, 1), { maxTurns: null, format: 0 })[0]).toBeCloseTo(1.2, 6);
});

test("after-peak: peak and stop above peak and decline", () => {
  const batch = [withSteps("a", [0.4, 0.8, 0.6]), withSteps("b", [0.4, 0.8]), withSteps("c", [0.4, 0.5, 0.8])];
  // 0.8 - 0.5 * 0.2 - 0.2 * 1 / 5 = 0.66; 0.8; 0.8
  expect(totals(peakRetention, batch, own)).toEqual([0.66, 0.8, 0.8]);
  // Without Tmax the longest of the batch counts: 0.8 - 0.1 - 0.2 / 3
  expect(totals(peakRetention, batch, { ...own, maxTurns: null })[0]).toBe(0.633333333);
});

test("after-peak: one turn has nothing to lose, stalling at the peak costs turns", () => {
  expect(totals(peakRetention, [withSteps("a", [0.3])], own)).toEqual([0.3]);
  // First peak at turn 0: 0.5 - 0.2 * 2 / 5
  expect(totals(peakRetention, [withSteps("a", [0.5, 0.5, 0.5])], own)).toEqual([0.42]);
  expect(totals(peakRetention, [withSteps("a", [0.5, 0.5, 0.5])], own, { part: "waste" })).toEqual([0.4]);
});

test("a turn that was not understood has quality 0, an unscored one leaves no score", () => {
  const steps = [sampleStep(0, { reward: scored(0.6) }), sampleStep(1, { reward: unscored("x"), valid: false })];
  // 0.6 + 0 - 0.025 / 2, and nothing for the format.
  expect(totals(peakRetention, [sampleTrajectory("a", { steps })])[0]).toBeCloseTo(0.5875, 6);
  const lost = [sampleStep(0, { reward: unscored("no critic") })];
  expect(totals(peakRetention, [sampleTrajectory("a", { steps: lost })])).toEqual(["unscored: no critic"]);
  expect(totals(peakRetention, [withSteps("a", [])])).toEqual(["unscored: it has no steps"]);
});
