import { expect, test } from "vitest";
import { recipeContract } from "../../test/support/recipe-contract.ts";
import { corridorEpisodes, tryRecipe } from "../../test/support/recipe-bench.ts";

recipeContract("rejection-sampling");

test("only episodes that succeeded are learned from", async () => {
  const { record, model } = await tryRecipe("rejection-sampling");
  const trained = record.episodes
    .filter(({ success }) => success === true)
    .reduce((total, { streams }) => total + (streams[0]?.mask.reduce((sum, one) => sum + one, 0) ?? 0), 0);
  expect(trained).toBeGreaterThan(0);
  expect(record.metrics["loss/policy/trainedTokens"]).toBe(trained);
  await model.close();
});

test("without a success nothing changes", async () => {
  const failures = (await corridorEpisodes("one")).filter(({ success }) => success === false);
  const { before, model } = await tryRecipe("rejection-sampling", { collect: () => Promise.resolve(failures) });
  expect(model.weights.flat).toEqual(before);
  await model.close();
});
