import { expect, test } from "vitest";
import { tryRecipe } from "../../test/support/recipe-bench.ts";
import { recipeContract } from "../../test/support/recipe-contract.ts";

recipeContract("scope-a");

test.each(["candidates", "vocabulary"])("with the %s, solved rows have no teacher", async (form) => {
  const { record, before, model } = await tryRecipe("scope-a", { given: { form, candidates: 6 } });
  const failed = record.episodes.filter(({ success }) => success !== true);
  expect(record.metrics["context/taught"]).toBe(failed.length - (record.metrics["context/missing"] ?? 0));
  expect(record.metrics["loss/policy/divergence"]).toBeGreaterThan(0);
  expect(record.metrics["loss/policy/surprise"]).toBeGreaterThan(0);
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});
