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
  expect(record.taught).toBeUndefined();
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});

test("several teachers as one", async () => {
  const given = { teacher: "mixture", teacherSource: "reference*0.5, self*0.5" };
  const [mixed, plain] = [await tryRecipe("opd", { given }), await tryRecipe("opd")];
  // At the first update both are the start itself, so that their average says what each says.
  const shift = (record: typeof mixed.record): number => record.diagnostics?.all.mean ?? Number.NaN;
  expect(shift(mixed.record)).toBeCloseTo(shift(plain.record), 5);
  await Promise.all([mixed.model.close(), plain.model.close()]);
});
