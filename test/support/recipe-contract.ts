/** What every recipe keeps: an update on real episodes changes the weights, all numbers are finite, settings are checked. */
import { afterAll, expect, test } from "vitest";
import { corridorEpisodes, tryRecipe, type TryParts } from "./recipe-bench.ts";
import { getRecipe } from "../../packages/core/src/recipe/registry.ts";
import { resolveSettings } from "../../packages/core/src/recipe/settings.ts";
import { flattenSettings } from "../../packages/core/src/update/settings.ts";
import { settingsTable } from "../../packages/core/src/recipe/settings.ts";

/** `parts`: what the recipe needs on its bench beyond the common ones. */
export function recipeContract(name: string, parts: TryParts = {}): void {
  let first: ReturnType<typeof tryRecipe> | undefined;
  // Two tasks, since some learn from those that differ.
  const whole = { collect: () => corridorEpisodes("one", 2), ...parts };
  const tried = (): ReturnType<typeof tryRecipe> => (first ??= tryRecipe(name, whole));
  afterAll(async () => (await first)?.model.close());
  test(`${name}: an update learns from the episodes`, async () => {
    const { record, before, model } = await tried();
    // Other collectors play as many as they like.
    const wanted = parts.collect === undefined ? 12 : record.episodes.length;
    expect(record.episodes).toHaveLength(wanted);
    expect(record.episodes.some(({ success }) => success === true)).toBe(true);
    expect(record.episodes.some(({ success }) => success !== true)).toBe(true);
    expect(model.weights.flat).not.toEqual(before);
    expect(model.weights.flat.every(Number.isFinite)).toBe(true);
    const metrics = Object.entries(record.metrics).filter(([key]) => key !== "loss/policy/clipFraction");
    expect(metrics.filter(([, value]) => !Number.isFinite(value))).toEqual([]);
    expect(record.metrics["gradientNorm"]).toBeGreaterThan(0);
  });
  test(`${name}: the same seed gives the same weights`, async () => {
    const { model } = await tryRecipe(name, whole);
    expect(model.weights.flat).toEqual((await tried()).model.weights.flat);
    await model.close();
  });
  test(`${name}: settings resolve, presets are valid, unknown keys are refused`, () => {
    const recipe = getRecipe(name);
    const table = settingsTable(recipe, recipe.credit);
    const plain = flattenSettings(resolveSettings({ name, recipe, credit: recipe.credit }));
    expect(Object.keys(plain)).toEqual(Object.keys(table));
    for (const preset of Object.keys(recipe.presets)) {
      expect(() => resolveSettings({ name, recipe, credit: recipe.credit, preset })).not.toThrow();
    }
    expect(() => resolveSettings({ name, recipe, credit: recipe.credit, given: { colour: 1 } })).toThrow(/colour/);
    expect(recipe.info.title.length).toBeGreaterThan(1);
    expect(recipe.info.meaning).toMatch(/\.$/);
  });
}
