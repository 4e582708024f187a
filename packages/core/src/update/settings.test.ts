import { expect, test } from "vitest";
import { getRecipe, allRecipes } from "../recipe/registry.ts";
import { flattenSettings, nestSettings } from "./settings.ts";

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
