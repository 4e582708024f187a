import { expect, test } from "vitest";
import { tryRecipe } from "../../test/support/recipe-bench.ts";
import { chosenObjective, POLICY_LOSSES } from "./objective-settings.ts";
import { getRecipe } from "../recipe/registry.ts";
import { resolveSettings, settingsTable } from "../recipe/settings.ts";

const recipe = getRecipe("grpo");
const resolved = (more: object) => resolveSettings({ name: "grpo", recipe, credit: "grpo", ...more });

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
  expect(settingsTable(recipe, "grpo", "group", "clip-cov")["objective.share"]).toMatchObject({ default: 0.0002 });
  expect(resolved({ objective: "sapo", texts: [["objective.tauNegative", "1.2"]] })).toMatchObject({
    objective: "sapo",
    "objective.tauPositive": 1,
    "objective.tauNegative": 1.2,
  });
  // By --set alone too.
  expect(resolved({ texts: [["objective", "gmpo"]] })).toMatchObject({ objective: "gmpo", "objective.clipLow": 0.4 });
  expect(resolved({})).toMatchObject({ objective: "recipe" });
});

test("an unknown objective, or another one's option, is refused by name", () => {
  expect(() => resolved({ objective: "gspoo" })).toThrow("gspoo");
  expect(() => resolved({ texts: [["objective", "ppo"]] })).toThrow("ppo");
  expect(() => resolved({ objective: "sapo", texts: [["objective.share", "1"]] })).toThrow("objective.share");
});

test("annealing follows the updates, and a comparison with the start asks for it", () => {
  const settings = resolved({ objective: "holderpo" });
  expect(chosenObjective(settings, 1)?.needsReference).toBe(false);
  expect(chosenObjective(resolved({ objective: "advantage-regression" }), 1)?.needsReference).toBe(true);
  expect(chosenObjective(resolved({}), 1)).toBeUndefined();
});
