import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, totals, withSteps } from "../../../../test/support/reward.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { peakRetention } from "./peak-retention.ts";

const maxTurns = 5;

test("peak and stop above peak and decline", () => {
  const batch = [withSteps("a", [0.4, 0.8, 0.6]), withSteps("b", [0.4, 0.8]), withSteps("c", [0.4, 0.5, 0.8])];
  // 0.8 - 0.5 * 0.2 - 0.2 * 1 / 5 = 0.66; 0.8; 0.8
  expect(totals(peakRetention, batch, { maxTurns })).toEqual([0.66, 0.8, 0.8]);
  // Without Tmax the longest of the batch counts: 0.8 - 0.1 - 0.2 / 3
  expect(totals(peakRetention, batch)[0]).toBe(0.633333333);
});

test("one turn has nothing to lose, stalling at the peak costs turns", () => {
  expect(totals(peakRetention, [withSteps("a", [0.3])], { maxTurns })).toEqual([0.3]);
  // First peak at turn 0: 0.5 - 0.2 * 2 / 5
  expect(totals(peakRetention, [withSteps("a", [0.5, 0.5, 0.5])], { maxTurns })).toEqual([0.42]);
  expect(totals(peakRetention, [withSteps("a", [0.5, 0.5, 0.5])], { maxTurns }, { part: "waste" })).toEqual([0.4]);
});

test("a turn that was not understood has quality 0, an unscored one leaves no score", () => {
  const steps = [sampleStep(0, { reward: scored(0.6) }), sampleStep(1, { reward: unscored("x"), valid: false })];
  // 0.6 - 0.5 * 0.6 - 0.2 * 1 / 5
  expect(totals(peakRetention, [sampleTrajectory("a", { steps })], { maxTurns })).toEqual([0.26]);
  const lost = [sampleStep(0, { reward: unscored("no critic") })];
  expect(totals(peakRetention, [sampleTrajectory("a", { steps: lost })])).toEqual(["unscored: no critic"]);
  expect(totals(peakRetention, [withSteps("a", [])])).toEqual(["unscored: it has no steps"]);
});
