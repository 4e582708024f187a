import { expect, test } from "vitest";
import { tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { POLICY_LOSSES } from "./settings.ts";
import { getRecipe } from "./registry.ts";
import { resolveSettings, settingsTable } from "./settings.ts";
import { flattenSettings } from "../update/settings.ts";

const recipe = getRecipe("grpo");
const resolved = (more: object) => flattenSettings(resolveSettings({ name: "grpo", recipe, credit: "grpo", ...more }));

// Episodes here are not the model's own: co-grpo's one ratio over a whole episode lies beyond all bounds, without slope.
const moved = (objective: string): boolean => objective !== "co-grpo";

test.each(POLICY_LOSSES)("%s can stand for the policy loss", async (objective) => {
  const { record, model } = await tryRecipe("grpo", { given: { objective, miniBatches: 2 } });
  try {
    expect(model.weights.flat.every(Number.isFinite)).toBe(true);
    expect(Number.isFinite(record.metrics["loss"])).toBe(true);
    expect((record.metrics["gradientNorm"] ?? 0) > 0).toBe(moved(objective));
  } finally {
    await model.close();
  }
});

test("options of the chosen objective are settings with its own defaults", () => {
  expect(settingsTable(recipe, "grpo", { strategy: "group", objective: "clip-cov" })["objective.share"]).toMatchObject({
    default: 0.0002,
  });
  expect(resolved({ objective: "sapo", texts: [["objective.tauNegative", "1.2"]] })).toMatchObject({
    objective: "sapo",
    "objective.tauPositive": 1,
    "objective.tauNegative": 1.2,
  });
  // By --set alone too.
  expect(resolved({ texts: [["objective", "gmpo"]] })).toMatchObject({ objective: "gmpo", "objective.clipLow": 0.4 });
  expect(resolved({})).toMatchObject({ objective: "recipe" });
});

test("a loss or a clip that lives on ratios takes several steps an update; what is said stands", () => {
  expect(resolved({})).toMatchObject({ epochs: 1, miniBatches: 1 });
  expect(resolved({ objective: "policy-gradient" })).toMatchObject({ miniBatches: 1 });
  expect(resolved({ objective: "ctpo" })).toMatchObject({ epochs: 1, miniBatches: 2, learningRate: 1e-4 });
  expect(resolved({ credit: "a2tgpo" })).toMatchObject({ epochs: 1, miniBatches: 2, learningRate: 1e-4 });
  expect(resolved({})).toMatchObject({ learningRate: 3e-4 });
  expect(resolved({ credit: "remax" })).toMatchObject({ miniBatches: 1, learningRate: 1e-4 });
  expect(resolved({ objective: "ctpo", texts: [["miniBatches", "1"]] })).toMatchObject({ miniBatches: 1 });
  const table = settingsTable(recipe, "grpo", { objective: "ctpo" });
  expect(table["miniBatches"]?.meaning).toContain("ctpo lives on ratios");
  // A recipe that takes several steps already is left alone.
  expect(settingsTable(getRecipe("gspo"), "grpo", { objective: "ctpo" })["miniBatches"]?.default).toBe(4);
});

test("an unknown objective, or another one's option, is refused by name", () => {
  expect(() => resolved({ objective: "gspoo" })).toThrow("gspoo");
  expect(() => resolved({ texts: [["objective", "ppo"]] })).toThrow("ppo");
  expect(() => resolved({ objective: "sapo", texts: [["objective.share", "1"]] })).toThrow("objective.share");
});

test("a comparison with the start asks for it, and is booked", async () => {
  const plain = await tryRecipe("grpo");
  const compared = await tryRecipe("grpo", { given: { objective: "advantage-regression" } });
  // The start reads every row once, so that each can be compared with what it would have said.
  const tokens = compared.record.credited?.rows.reduce((total, { ids }) => total + ids.length, 0) ?? 0;
  expect(tokens).toBeGreaterThan(0);
  expect(compared.update.ledger.cost.modelTokens).toBeGreaterThan(plain.update.ledger.cost.modelTokens);
  expect(compared.update.ledger.cost.modelTokens - plain.update.ledger.cost.modelTokens).toBeLessThanOrEqual(tokens);
  await Promise.all([plain.model.close(), compared.model.close()]);
});
