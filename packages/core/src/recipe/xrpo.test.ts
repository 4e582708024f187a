import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { strategyEpisodes } from "../../../../test/support/strategy-episodes.ts";
import { getRecipe } from "./registry.ts";
import { resolveSettings } from "./settings.ts";
import { flattenSettings } from "../update/settings.ts";

recipeContract("xrpo", { collect: () => strategyEpisodes("xrpo", { group: 6, "strategy.first": 3 }) });

test("rollouts by intervals, examples and the sharpened advantage come with the recipe", () => {
  expect(flattenSettings(resolveSettings({ name: "xrpo", recipe: getRecipe("xrpo"), credit: "xrpo" }))).toMatchObject({
    "strategy.by": "interval",
    "strategy.examples": 1,
    "credit.lambda": 2.5,
  });
});
