import { expect, test } from "vitest";
import { asked, perStep, sampleStep, sampleTrajectory, withSteps } from "../../../../test/support/reward.ts";
import { unscored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { askRewards } from "./give-rewards.ts";
import { process } from "./process.ts";

const scoreSteps = (_: Trajectory, steps: readonly Step[]): number[] => steps.map(({ index }) => (index + 1) / 4);

test("outcome and process mixed", async () => {
  const batch = [withSteps("a", [0, 0, 0])];
  // Step scores 0.25, 0.5, 0.75. Right: 0.25 * 1 + 0.75 * 0.5; wrong: 0.25 * 0 + 0.75 * 0.5.
  const both = [...batch, withSteps("b", [0, 0, 0], { success: false })];
  expect(await asked(process, both, { scoreSteps })).toEqual([0.625, 0.375]);
  const plain = { blend: 0.5 };
  expect(await asked(process, both, { scoreSteps }, { options: plain })).toEqual([0.75, 0.25]);
  // Least: 0.9 * 1 + 0.1 * 0.25; product: 0.09375 alone
  expect(await asked(process, batch, { scoreSteps }, { options: { blend: 0.1, combine: "min" } })).toEqual([0.925]);
  expect(await asked(process, batch, { scoreSteps }, { options: { blend: 1, combine: "product" } })).toEqual([0.09375]);
  const { rewards } = await askRewards(process, batch, { givens: { scoreSteps } });
  expect(perStep(rewards[0] ?? [], "process")).toEqual([0.25, 0.5, 0.75]);
});

test("with gain a step earns what it added to the chance, and the gains of an episode add up to the last less the first", async () => {
  const chances = [0.2, 0.5, 0.4, 0.9];
  const { rewards } = await askRewards(process, [withSteps("a", [0, 0, 0, 0])], {
    givens: { scoreSteps: () => chances },
    options: { gain: true },
  });
  const gains = perStep(rewards[0] ?? [], "process") as number[];
  [0, 0.3, -0.1, 0.5].forEach((gain, at) => expect(gains[at]).toBeCloseTo(gain, 12));
  expect(gains.reduce((sum, gain) => sum + gain, 0)).toBeCloseTo(0.9 - 0.2, 12);
});

test("no outcome, no mix; but the process alone can stand", async () => {
  const batch = [sampleTrajectory("a", { reward: unscored("lost"), steps: [sampleStep(0)] })];
  expect(await asked(process, batch, { scoreSteps }, { options: { of: "reward" } })).toEqual(["unscored: lost"]);
  expect(await asked(process, batch, { scoreSteps }, { options: { blend: 1 } })).toEqual([0.25]);
});

test("a scorer that fails, miscounts or says NaN", async () => {
  const batch = [withSteps("a", [0, 0])];
  const fails = () => Promise.reject(new Error("out of memory"));
  expect(await asked(process, batch, { scoreSteps: fails })).toEqual(["unscored: the scorer failed: out of memory"]);
  expect(await asked(process, batch, { scoreSteps: () => [1] })).toEqual([
    "unscored: the scorer gave 1 scores for 2 steps",
  ]);
  expect(await asked(process, batch, { scoreSteps: () => [1, Number.NaN] })).toEqual([
    "unscored: the scorer gave NaN for step 1",
  ]);
  expect(await asked(process, [withSteps("a", [])], { scoreSteps })).toEqual(["unscored: it has no steps"]);
});
