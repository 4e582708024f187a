import { expect, test } from "vitest";
import { smallModel } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { asSaidBy, near, stepCredits, sum, times, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";

recipeContract("dapo");

test("a task whose episodes all earned the same has no row; the others are as in GRPO, over their own tokens", async () => {
  const model = await smallModel();
  const collect = async () =>
    await asSaidBy(
      model,
      await walked({ left: "wait", right: "wait" }, { quick: "east east", slow: "wait east east", idle: "wait" }),
    );
  const { record, first } = await watchRecipe("dapo", { model, collect });
  const better = 0.5 / (Math.sqrt(2.5 / 9) + 1e-6);
  expect(stepCredits(record.episodes, first.rows)).toEqual({
    quick: near([better, better]),
    slow: near([better, better, better]),
    idle: near(times(5, -better)),
  });
  expect(record.metrics["credit/droppedTasks"]).toBe(1);
  // 4 times "go east" and once "wait" that gained, 5 times "wait" that lost: every token counts the same.
  expect(record.metrics["loss/policy/trainedTokens"]).toBe(37 + 25);
  await model.close();
});

test("a ratio may rise to 1.28 and fall to 0.8: that many tokens of the second step are clipped", async () => {
  const model = await smallModel();
  const collect = async () =>
    await asSaidBy(model, await walked({ quick: "east east", slow: "wait east east", idle: "wait", away: "east" }));
  const { learned } = await watchRecipe("dapo", { model, collect, learningRate: 1e-2, given: { epochs: 2 } });
  const [first, second] = learned;
  // Nothing has moved before the first step: every ratio is 1, and the loss is the mean of -A.
  expect(first?.report.metrics["policy/clipFraction"]).toBe(0);
  const given = (first?.rows ?? []).map(({ advantages }) => sum(advantages ?? []));
  expect(first?.report.loss).toBeCloseTo(-sum(given) / (first?.report.metrics["policy/trainedTokens"] ?? 0), 5);
  const clippedShare = (high: number): number => {
    const tokens = (second?.rows ?? []).flatMap(({ mask, advantages, oldLogprobs }, row) =>
      [...mask].flatMap((on, at) => {
        const ratio = Math.exp((second?.before[row]?.[at] ?? 0) - (oldLogprobs?.[at] ?? 0));
        const advantage = advantages?.[at] ?? 0;
        return on === 0 ? [] : [(advantage > 0 && ratio > 1 + high) || (advantage < 0 && ratio < 0.8) ? 1 : 0];
      }),
    );
    return sum(tokens) / tokens.length;
  };
  expect(second?.report.metrics["policy/clipFraction"]).toBeCloseTo(clippedShare(0.28), 9);
  // With GRPO's upper bound it would be others.
  expect(clippedShare(0.28)).toBeLessThan(clippedShare(0.2));
  await model.close();
});
