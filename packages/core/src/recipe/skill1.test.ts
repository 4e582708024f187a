import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { flattenSettings } from "../update/settings.ts";
import { resolveSettings } from "./settings.ts";
import { skill1 } from "./skill1.ts";

recipeContract("skill1");

test("by default writing is credited by its own episode, with the weights of the launch script", () => {
  const settings = flattenSettings(resolveSettings({ name: "skill1", recipe: skill1, credit: skill1.credit }));
  expect(settings).toMatchObject({
    judge: "own",
    utilityRate: 0.05,
    candidates: 3,
    "skill-segments.selectionWeight": 0.3,
    "skill-segments.distilWeight": 0.3,
    "skill-segments.baseline": "max",
  });
});
