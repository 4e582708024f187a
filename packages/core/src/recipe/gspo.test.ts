import { expect, test } from "vitest";
import { mean } from "limbeck-base/base/statistics/summary";
import { smallModel } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { asSaidBy, sum, walked, watchRecipe, type LearnedBatch } from "../../../../test/support/recipe-walks.ts";

recipeContract("gspo");

/** Of each row its advantage, which its tokens share, and the one ratio of them all: exp(mean(new - old)). */
const ratiosOf = ({ rows, before }: LearnedBatch) =>
  rows.map(({ mask, advantages, oldLogprobs }, row) => {
    const trained = [...mask.keys()].filter((at) => mask[at] === 1);
    const differences = trained.map((at) => (before[row]?.[at] ?? 0) - (oldLogprobs?.[at] ?? 0));
    return {
      advantage: advantages?.[trained[0] ?? 0] ?? 0,
      tokens: trained.length,
      ratio: Math.exp(mean(differences)),
    };
  });

test("whole episodes are clipped, by the ratio of all their tokens, at 1 - 0.0003 and 1 + 0.0004", async () => {
  const model = await smallModel();
  const walks = { quick: "east east", slow: "wait east east", idle: "wait", away: "east", back: "east west" };
  const collect = async () => await asSaidBy(model, await walked(walks));
  const { learned } = await watchRecipe("gspo", { model, collect, learningRate: 1e-4, given: { epochs: 3 } });
  // Five episodes in the four steps of the optimiser that the recipe has by default, three times.
  const each = [1, 1, 1, 2];
  expect(learned.map(({ rows }) => rows.length)).toEqual([...each, ...each, ...each]);
  for (const batch of learned) {
    const rows = ratiosOf(batch);
    const losses = rows.map(({ advantage, ratio }) =>
      Math.max(-advantage * ratio, -advantage * Math.min(Math.max(ratio, 1 - 3e-4), 1 + 4e-4)),
    );
    // The mean over rows, whatever their lengths.
    expect(batch.report.loss).toBeCloseTo(mean(losses), 5);
    const clipped = rows.filter(({ advantage, ratio }) => (advantage > 0 ? ratio > 1 + 4e-4 : ratio < 1 - 3e-4));
    const share = sum(clipped.map(({ tokens }) => tokens)) / sum(rows.map(({ tokens }) => tokens));
    expect(batch.report.metrics["policy/clipFraction"]).toBeCloseTo(share, 9);
  }
  // Before the first step nothing has moved. Later both bounds are met, by ratios that are far inside GRPO's range.
  expect(learned[0]?.report.metrics["policy/clipFraction"]).toBe(0);
  const all = learned.flatMap(ratiosOf);
  expect(all.some(({ advantage, ratio }) => advantage > 0 && ratio > 1 + 4e-4)).toBe(true);
  expect(all.some(({ advantage, ratio }) => advantage < 0 && ratio < 1 - 3e-4)).toBe(true);
  for (const { ratio } of all) expect(Math.abs(ratio - 1)).toBeLessThan(0.2);
  await model.close();
});
