import { expect, test } from "vitest";
import { tryRecipe } from "../../test/support/recipe-bench.ts";
import { recipeContract } from "../../test/support/recipe-contract.ts";

recipeContract("opd");

test("with nothing told every row has a teacher", async () => {
  const { record, model } = await tryRecipe("opd", { given: { context: "none" } });
  expect([record.metrics["context/missing"], record.metrics["credit/untaughtRows"]]).toEqual([0, 0]);
  await model.close();
});

test("with the teacher off only the reward is left", async () => {
  const { record, before, model } = await tryRecipe("opd", { given: { stopAfter: 0, "credit.rewardWeight": 1 } });
  expect(record.rescored).toBeUndefined();
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});
