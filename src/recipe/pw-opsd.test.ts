import { describe, expect, test } from "vitest";
import { recipeContract } from "../../test/support/recipe-contract.ts";
import { knownDivergence, statisticsOf } from "../../test/support/known-divergence.ts";
import { tryRecipe } from "../../test/support/recipe-bench.ts";
import { weighPositions } from "../distill/position-weights.ts";
import { divergenceLoss } from "./divergence-form.ts";

recipeContract("pw-opsd");

test("the worked row: divergences 0.4, 0.3, 0.2, 0.1 weighed by place, and clamped at 0.25", () => {
  const mask = Uint8Array.of(0, 1, 1, 1, 1);
  const weights = weighPositions(mask, { form: "linear", slope: 1, exponent: 1, most: null });
  const known = knownDivergence([0.4, 0.3, 0.2, 0.1], { weights });
  const live = statisticsOf([known]);
  const loss = (clamp: number | null): number => {
    const options = { form: "candidates", direction: "forward", middle: 0.5, candidates: 2, rest: "tail" } as const;
    return divergenceLoss({ ...options, clamp }, "seq-mean-token-mean").compute(live, live, [known.row]).loss;
  };
  expect(loss(null)).toBeCloseTo(0.1875, 6);
  expect(loss(0.25)).toBeCloseTo(0.16875, 6);
});

describe.each([
  ["the sampled token", { form: "sampled" }],
  ["the whole vocabulary", { form: "vocabulary" }],
  ["the policy's own likely words", { direction: "reverse", candidates: 4 }],
  ["the words of both", { direction: "jsd", candidates: 4, rest: "renormalise" }],
  ["weights by a power", { position: "power", exponent: 2 }],
] as const)("by %s", (_name, given) => {
  test("the teacher is learned from", async () => {
    const { record, model, before } = await tryRecipe("pw-opsd", { given });
    expect(record.metrics["context/taught"]).toBe(18);
    expect(record.metrics["loss/policy/divergence"]).toBeGreaterThan(0);
    expect(model.weights.flat).not.toEqual(before);
    await model.close();
  });
});

test("the weights of places matter", async () => {
  const [weighed, uniform] = [await tryRecipe("pw-opsd"), await tryRecipe("pw-opsd", { given: { slope: 0 } })];
  expect(weighed.model.weights.flat).not.toEqual(uniform.model.weights.flat);
  await Promise.all([weighed.model.close(), uniform.model.close()]);
});

test("a silent teacher teaches nothing", async () => {
  const { model, before } = await tryRecipe("pw-opsd", { given: { stopAfter: 0 } });
  expect(model.weights.flat).toEqual(before);
  await model.close();
});
