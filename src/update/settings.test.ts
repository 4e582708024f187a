import { expect, test } from "vitest";
import { getRecipe, allRecipes } from "../recipe/registry.ts";
import { POLICY_LOSSES } from "../recipe/settings.ts";
import { settingsTable, type ChosenParts } from "../recipe/settings.ts";
import { allCredits } from "../credit/registry.ts";
import { allStrategies } from "../rollout/registry.ts";
import { allSearches } from "../search/registry.ts";
import type { OptionTable } from "../base/option-table.ts";
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

test("a name with a value and a group has its value in the group; groups keep the names of their options", () => {
  const flat = { tasks: 4, "tasks.pool": null, group: 8, "credit.gamma": 0.9, own: 1, "own.part": "x", "a.b.c": true };
  const nested = nestSettings(flat);
  expect(nested).toEqual({
    tasks: { count: 4, pool: null },
    group: 8,
    credit: { gamma: 0.9 },
    own: { main: 1, part: "x" },
    a: { "b.c": true },
  });
  expect(Object.entries(flattenSettings(nested))).toEqual(Object.entries(flat));
  expect(nestSettings({}).credit).toEqual({});
});

test("settings that generic code looks at have one kind, whichever recipe has them", () => {
  const kinds = {
    analyst: "choice",
    answers: "choice",
    divergenceWeight: "number",
    form: "choice",
    guard: "flag",
    skillInPrompt: "flag",
    stepSkills: "number",
    sections: "choice",
    anchors: "choice",
    teacher: "choice",
    teacherDecay: "number",
    thought: "choice",
  };
  const others = Object.keys(allRecipes).flatMap((name) =>
    Object.entries(getRecipe(name).settings)
      .filter(([key, spec]) => Object.hasOwn(kinds, key) && spec.kind !== kinds[key as keyof typeof kinds])
      .map(([key]) => `${name} ${key}`),
  );
  expect(others).toEqual([]);
});
