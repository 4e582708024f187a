import { expect, test } from "vitest";
import { recipeContract } from "../../test/support/recipe-contract.ts";
import { marginsAfter, sidesOf, walked, watchRecipe } from "../../test/support/recipe-walks.ts";
import { strategyEpisodes } from "../../test/support/strategy-episodes.ts";

recipeContract("cso", { collect: () => strategyEpisodes("cso") });

const walks = { away: "east west", direct: "east east", round: "east west east east", slow: "wait east east" };

test("of a failed run only the step that decided it is learned from", async () => {
  const { first, model } = await watchRecipe("cso", { collect: () => walked(walks) });
  // After going east 2 of 3 still arrived, after going west again 1 of 2: those steps of the failed run decided nothing.
  // The wait then did: going east from there arrived.
  expect(sidesOf(first)).toEqual({ "round@2 > away@2": ["go east\n", "wait\n"] });
  const margins = await marginsAfter(model, first);
  expect(margins["round@2 > away@2"]).toBeGreaterThan(0);
  await model.close();
});

test("what came of somebody else's action proves nothing about the policy's own steps before it", async () => {
  const episodes = await walked(walks);
  // The last step of the run that arrived was not the policy's own.
  const helped = episodes.map((one) =>
    one.id === "round"
      ? { ...one, steps: one.steps.map((step) => (step.index === 3 ? { ...step, info: { source: "expert" } } : step)) }
      : one,
  );
  const { record, first, model } = await watchRecipe("cso", { collect: () => Promise.resolve(helped) });
  // West is no longer saved by the run that was helped; going east at once, which arrived by itself, is preferred.
  expect(sidesOf(first)).toEqual({ "direct@1 > away@1": ["go east\n", "go west\n"] });
  expect(record.metrics["pairs/used"]).toBe(1);
  await model.close();
});
