import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { near, stepCredits, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";

recipeContract("rloo");

/** 2 and 3 steps that arrive, 5 that do not. */
const collect = () => walked({ quick: "east east", slow: "wait east east", idle: "wait" });

test("every step's score less the mean of the others of its task", async () => {
  const { record, first, model } = await watchRecipe("rloo", { collect });
  const credits = stepCredits(record.episodes, first.rows);
  // 10 steps, 5 of them with score 1: 1 - 4/9 and 0 - 5/9.
  const [better, worse] = [5 / 9, -5 / 9];
  expect(credits).toEqual({
    quick: near([better, better]),
    slow: near([better, better, better]),
    idle: near([worse, worse, worse, worse, worse]),
  });
  await model.close();
});

test("counted once, every episode's score less the mean of the other episodes", async () => {
  const { record, first, model } = await watchRecipe("rloo", {
    collect,
    given: { "credit.countTrajectoryOnce": true },
  });
  const credits = stepCredits(record.episodes, first.rows);
  // Of the scores 1, 1, 0: 1 - (1 + 0) / 2, and 0 - (1 + 1) / 2.
  expect(credits).toEqual({
    quick: near([0.5, 0.5]),
    slow: near([0.5, 0.5, 0.5]),
    idle: near([-1, -1, -1, -1, -1]),
  });
  await model.close();
});
