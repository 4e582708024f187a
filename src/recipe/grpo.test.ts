import { expect, test } from "vitest";
import { recipeContract } from "../../test/support/recipe-contract.ts";
import { tryRecipe } from "../../test/support/recipe-bench.ts";

recipeContract("grpo");

test("with the skill in the prompt, the workflow of a success is kept for the next update; without, nothing is", async () => {
  const kept = await tryRecipe("grpo", { given: { skillInPrompt: true } });
  // The corridor names no families, so that all its tasks are one.
  expect(Object.keys(kept.record.skills)).toEqual(["corridor"]);
  expect(kept.record.skills["corridor"]).toMatch(/^This worked: go east; go east/);
  const plain = await tryRecipe("grpo");
  expect(plain.record.skills).toEqual({});
  expect(plain.record.analyses.size).toBe(0);
  await Promise.all([kept.model.close(), plain.model.close()]);
});
