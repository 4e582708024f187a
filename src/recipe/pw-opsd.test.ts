import { describe, expect, test } from "vitest";
import { recipeContract } from "../../test/support/recipe-contract.ts";
import { tryRecipe } from "../../test/support/recipe-bench.ts";

recipeContract("pw-opsd");

describe.each([
  ["the sampled token", { form: "sampled" }],
  ["the whole vocabulary", { form: "vocabulary" }],
  ["the policy's own likely words", { direction: "reverse", candidates: 4 }],
  ["the words of both", { direction: "jsd", candidates: 4, rest: "renormalise" }],
  ["weights by a power", { position: "power", exponent: 2 }],
] as const)("by %s", (_name, given) => {
  test("the teacher is learned from, and the weights of places matter", async () => {
    const weighed = await tryRecipe("pw-opsd", { given });
    const uniform = await tryRecipe("pw-opsd", { given: { ...given, position: "linear", slope: 0 } });
    expect(weighed.record.metrics["context/taught"]).toBe(18);
    expect(weighed.record.metrics["loss/policy/divergence"]).toBeGreaterThan(0);
    expect(weighed.model.weights.flat).not.toEqual(weighed.before);
    expect(weighed.model.weights.flat).not.toEqual(uniform.model.weights.flat);
    await Promise.all([weighed.model.close(), uniform.model.close()]);
  });
});

test("a silent teacher teaches nothing", async () => {
  const { model, before } = await tryRecipe("pw-opsd", { given: { stopAfter: 0 } });
  expect(model.weights.flat).toEqual(before);
  await model.close();
});
