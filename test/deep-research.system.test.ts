/** Each axis of the survey on deep research: its parts are registered, its recipe makes one update, and prints what only it prints. */
import { expect, test } from "vitest";
import { allCredits } from "../packages/core/src/credit/registry.ts";
import { rubrics } from "../packages/core/src/eval/rubrics/index.ts";
import { allObjectives } from "../packages/core/src/objective/registry.ts";
import { allRecipes } from "../packages/core/src/recipe/registry.ts";
import { allRewards } from "../packages/core/src/reward/registry.ts";
import { allStrategies } from "../packages/core/src/rollout/registry.ts";
import { axes, missing } from "../research/deep-research/axes.ts";
import { metricFault } from "../scripts/claims/run-claim.ts";

const registries = {
  recipe: allRecipes,
  strategy: allStrategies,
  objective: allObjectives,
  credit: allCredits,
  reward: allRewards,
  rubric: rubrics,
};

test("every part that stands for an axis is registered by that name", () => {
  for (const { registry, ids } of axes) for (const id of ids) expect(Object.keys(registries[registry])).toContain(id);
  expect(new Set(axes.map(({ axis }) => axis)).size).toBe(axes.length);
  expect(missing).toHaveLength(1);
});

test.each(axes.map((axis) => [axis.axis, axis] as const))(
  "%s: one update, with the part and without it",
  async (_, axis) => {
    expect(await metricFault(axis)).toBeUndefined();
  },
);
