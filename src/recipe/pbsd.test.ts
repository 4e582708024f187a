import { expect, test } from "vitest";
import { recipeContract } from "../../test/support/recipe-contract.ts";
import { tryRecipe } from "../../test/support/recipe-bench.ts";

recipeContract("pbsd");

test("the solution is told, and turns get different shares of the outcome", async () => {
  // The walker's log-probabilities are not the model's, so that the evidence is far beyond what is usual.
  const { record, model } = await tryRecipe("pbsd", { given: { "credit.clamp": 1e6, "credit.temperature": 50 } });
  expect(record.metrics["provider/answer-teacher/taught"]).toBe(18);
  expect(record.metrics["credit/largestTurnWeight"]).toBeGreaterThan(1);
  await model.close();
});
