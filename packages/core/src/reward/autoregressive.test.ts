import { expect, test } from "vitest";
import { asked, perStep, sampleStep, sampleTrajectory } from "../../../../test/support/reward.ts";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { autoregressive } from "./autoregressive.ts";
import { askRewards } from "./give-rewards.ts";

// Tokens 2 to 4 are the first response, 5 to 7 the second; token 6 was not written by the policy.
const own = sampleTrajectory("a", {
  streams: [{ ids: new Int32Array(7), mask: Uint8Array.from([0, 0, 1, 1, 0, 1, 0]) }],
  steps: [
    sampleStep(0, { span: { stream: 0, start: 2, end: 4 } }),
    sampleStep(1, { span: { stream: 0, start: 5, end: 7 } }),
  ],
});
const scoreTokens = (_: Trajectory, { index }: Step): number[] => (index === 0 ? [-1, -0.5] : [-2, Number.NaN]);

test("sums of log-probabilities over what the policy wrote", async () => {
  // -1.5 and -2: the NaN stands under the mask.
  expect(await asked(autoregressive, [own], { scoreTokens })).toEqual([-3.5]);
  const { rewards } = await askRewards(autoregressive, [own], { givens: { scoreTokens } });
  expect(perStep(rewards[0] ?? [], "autoregressive")).toEqual([-1.5, -2]);
  // Per token: -3.5 / 4 tokens
  expect(await asked(autoregressive, [own], { scoreTokens }, { options: { perToken: true } })).toEqual([-0.875]);
});

test("one reward for each token", async () => {
  const { rewards } = await askRewards(autoregressive, [own], { givens: { scoreTokens }, options: { level: "token" } });
  const tokens = (rewards[0] ?? []).flatMap(({ step, tokens: at, score }) =>
    at === undefined || score.kind === "unscored" ? [] : [[step, at.start, at.end, score.value]],
  );
  expect(tokens).toEqual([
    [0, 0, 1, -1],
    [0, 1, 2, -0.5],
    [1, 0, 1, -2],
    [1, 1, 2, 0],
  ]);
});

test("a step without tokens, a wrong count, a failing model", async () => {
  const blind = sampleTrajectory("b", { steps: [sampleStep(0)] });
  expect(await asked(autoregressive, [blind], { scoreTokens })).toEqual(["unscored: step 0 has no tokens"]);
  expect(await asked(autoregressive, [own], { scoreTokens: () => [1] })).toEqual([
    "unscored: the reward model gave 1 scores for the 2 tokens of step 0",
  ]);
  const fails = () => Promise.reject(new Error("gone"));
  expect(await asked(autoregressive, [own], { scoreTokens: fails })).toEqual([
    "unscored: the reward model failed: gone",
  ]);
});
