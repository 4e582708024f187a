import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";
import { scored } from "limbeck-base/trajectory/score";

test("one greedy episode of the task is the baseline of all its rows", async () => {
  // East is likelier, so that greedy play arrives in two steps.
  const { batch, cost } = await tryProvider("greedy-rollout", {
    credit: "remax",
    script: () => [
      { text: "go east", probability: 0.6 },
      { text: "go west", probability: 0.4 },
    ],
  });
  expect(batch.rows.map(({ greedyScore }) => greedyScore)).toEqual(batch.rows.map(() => 1));
  expect(cost.environmentSteps).toBe(2);
  expect(cost.sampledTokens).toBeGreaterThan(0);
  expect(cost.modelTokens).toBeGreaterThan(0);
});

test("the greedy episode is rewarded as the update's episodes are", async () => {
  const { batch } = await tryProvider("greedy-rollout", {
    credit: "remax",
    script: () => "go east",
    // A reward in the place of the world's, which is 1.
    reward: async (episodes) => episodes.map((episode) => ({ ...episode, reward: scored(0.25) })),
  });
  expect(new Set(batch.rows.map(({ greedyScore }) => greedyScore))).toEqual(new Set([0.25]));
});
