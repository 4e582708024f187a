import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { strategyEpisodes } from "../../../../test/support/strategy-episodes.ts";
import { answers } from "../credit/examples.ts";
import { assignCredit } from "../credit/assign.ts";
import { batchFromJson } from "../credit/batch-json.ts";
import { getCredit } from "../credit/registry.ts";
import { extraWanted } from "../rollout/allocate.ts";
import { getRecipe } from "./registry.ts";
import { resolveSettings } from "./settings.ts";
import { flattenSettings } from "../update/settings.ts";

recipeContract("dars", { collect: () => strategyEpisodes("dars", { group: 6, "strategy.first": 3 }) });

/** The sum of all |A| of one task with so many rollouts, of which a share is right. */
function weightOf(accuracy: number, rollouts: number): number {
  const right = accuracy * rollouts;
  const batch = batchFromJson(answers(Array.from({ length: rollouts }, (_, at) => (at < right ? 1 : 0))));
  const { advantages } = assignCredit(getCredit("dars"), batch, { normByStd: false });
  return advantages.reduce((sum, own) => sum + Math.abs(own[0] ?? 0), 0);
}

/** Least squares. */
function slope(from: readonly number[], to: readonly number[]): number {
  const [x, y] = [from, to].map((all) => all.reduce((sum, one) => sum + one, 0) / all.length) as [number, number];
  const joint = from.reduce((sum, one, at) => sum + (one - x) * ((to[at] as number) - y), 0);
  return joint / from.reduce((sum, one) => sum + (one - x) ** 2, 0);
}

test("the weight of a task is flat over its difficulty with DARS's rollouts, and falls with it where all get the same", () => {
  // 64 first rollouts, so that accuracies of eighths come out even; the peak is 64 / 2 = 32.
  const accuracies = [1 / 8, 2 / 8, 3 / 8, 4 / 8];
  const even = accuracies.map((accuracy) => weightOf(accuracy, 64));
  // 2 N a (1 - a) = 14, 24, 30, 32.
  expect(even).toEqual([14, 24, 30, 32].map((value) => expect.closeTo(value, 4) as number));
  const extra = accuracies.map((accuracy) => 64 + extraWanted(accuracy, 64, "equal", 1_000));
  // (32 - 14) / (14 / 64) = 82.3 and so on: 147, 86, 69, 64 rollouts. Those that are right are a share, not whole numbers.
  expect(extra).toEqual([147, 86, 69, 64]);
  const weights = accuracies.map((accuracy, at) => 2 * (extra[at] as number) * accuracy * (1 - accuracy));
  expect(slope(accuracies, even)).toBeGreaterThan(40);
  expect(Math.abs(slope(accuracies, weights))).toBeLessThan(1.5);
});

test("allocate and the credit method come with the recipe; hardness is a preset", () => {
  const recipe = getRecipe("dars");
  const settings = (preset?: string) =>
    flattenSettings(resolveSettings({ name: "dars", recipe, credit: recipe.credit, preset }));
  expect(settings()).toMatchObject({ "strategy.by": "equal", "credit.normByStd": false, epochs: 2 });
  expect(settings("hardness")).toMatchObject({ "strategy.by": "hardness", "strategy.most": 64 });
});
