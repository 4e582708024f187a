import { expect, test } from "vitest";
import { tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";

recipeContract("sdpo");

test.each([
  ["the likeliest words", { form: "candidates", candidates: 6, direction: "jsd" }],
  ["the vocabulary", { form: "vocabulary", direction: "reverse" }],
  ["half of it GRPO", { teacherWeight: 0.5 }],
  ["a running average", { teacher: "ema" }],
])("with %s", async (_name, given) => {
  const { record, before, model } = await tryRecipe("sdpo", { given });
  expect(record.metrics["gradientNorm"]).toBeGreaterThan(0);
  expect(model.weights.flat).not.toEqual(before);
  expect(model.weights.flat.every(Number.isFinite)).toBe(true);
  await model.close();
});

test("attempts without feedback are skipped and counted; with none at all nothing is learned", async () => {
  const given = { "context.siblings": false, "context.refusals": false };
  const { record, before, model } = await tryRecipe("sdpo", { given });
  expect(record.metrics["context/missing"]).toBe(18);
  expect(model.weights.flat).toEqual(before);
  await model.close();
});
