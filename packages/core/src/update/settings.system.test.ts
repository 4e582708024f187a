import { expect, test } from "vitest";
import type { OptionTable } from "limbeck-base/base/option-table";
import { allCredits } from "../credit/registry.ts";
import { allRecipes, getRecipe } from "../recipe/registry.ts";
import { POLICY_LOSSES, settingsTable, type ChosenParts } from "../recipe/settings.ts";
import { allStrategies } from "../rollout/registry.ts";
import { allSearches } from "../search/registry.ts";
import { flattenSettings, nestSettings } from "./settings.ts";

/** Every recipe with every credit method, strategy, search and policy loss. */
function* tables(): Generator<readonly [string, OptionTable]> {
  for (const name of Object.keys(allRecipes)) {
    const recipe = getRecipe(name);
    for (const credit of Object.keys(allCredits)) yield [`${name} ${credit}`, settingsTable(recipe, credit)];
    const parts: readonly ChosenParts[] = [
      ...Object.keys(allStrategies).map((strategy) => ({ strategy })),
      ...Object.keys(allSearches).map((collect) => ({ collect })),
      ...POLICY_LOSSES.map((objective) => ({ objective })),
    ];
    for (const part of parts) {
      yield [`${name} ${JSON.stringify(part)}`, settingsTable(recipe, recipe.credit, part)];
    }
  }
}

test("settings in groups and flat again are the same, in the same order, whatever was chosen", () => {
  let count = 0;
  const changed: string[] = [];
  for (const [name, table] of tables()) {
    const flat = Object.fromEntries(Object.entries(table).map(([key, { default: value }]) => [key, value]));
    if (JSON.stringify(flattenSettings(nestSettings(flat))) !== JSON.stringify(flat)) changed.push(name);
    count += 1;
  }
  expect(changed).toEqual([]);
  expect(count).toBeGreaterThan(4_400);
});
