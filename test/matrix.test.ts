/** The matrix has a line for every method of its registries, each in a setting that resolves; its page is made from results. */
import { expect, test } from "vitest";
import { KINDS } from "../research/matrix/line.ts";
import { given, lines } from "../research/matrix/lines.ts";
import { pageOf } from "../research/matrix/page.ts";
import { scriptedJudge } from "../research/matrix/reward-lines.ts";
import { settingOf, type LineResult } from "../research/matrix/run-line.ts";
import { allCredits } from "../packages/core/src/credit/registry.ts";
import { getRecipe } from "../packages/core/src/recipe/registry.ts";
import { resolveSettings } from "../packages/core/src/recipe/settings.ts";
import { allRecipes } from "../packages/core/src/recipe/registry.ts";
import { allRewards } from "../packages/core/src/reward/registry.ts";
import { allStrategies } from "../packages/core/src/rollout/registry.ts";
import { allObjectives } from "../packages/core/src/objective/registry.ts";

test("one line for every recipe, credit method, objective, strategy and reward", () => {
  const registries = {
    recipe: allRecipes,
    credit: allCredits,
    objective: allObjectives,
    strategy: allStrategies,
    reward: allRewards,
  };
  const expected = KINDS.flatMap((kind) => Object.keys(registries[kind]).map((name) => `${kind}/${name}`));
  expect(lines.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
});

test.each(lines)("$id has settings that resolve", (line) => {
  const { recipe, credit, strategy, objective } = line;
  const own = { name: recipe, recipe: getRecipe(recipe), credit, strategy, objective, given: given(line) };
  expect(() => resolveSettings(own)).not.toThrow();
  expect(line.supplied).not.toBe("");
  expect(settingOf(line)).not.toBe(settingOf(line, 1));
});

test("the scripted judge finds the turns that came to nothing", async () => {
  const turns = ['Turn 0 saw "You are in a room." and did "fly"', 'Turn 1 saw "Nothing happens." and did "look"'];
  const scores = await scriptedJudge(turns.join("\n"));
  expect(JSON.parse(scores)).toEqual({ 0: 0, 1: 10 });
  expect(JSON.parse(await scriptedJudge([...turns, '{"faults": []}'].join("\n")))).toEqual({ faults: [0] });
});

test("the page tells successes, costs and failures", () => {
  const result: LineResult = {
    line: "credit/grpo",
    setting: "",
    env: "household",
    recipe: "grpo",
    credit: "grpo",
    strategy: "group",
    supplied: "nothing beyond the episodes",
    updates: 20,
    before: 0.25,
    after: 0.5,
    rewardFirst: 1,
    rewardLast: 2.5,
    entropyFirst: 0.26,
    entropyLast: 0.2,
    gradientNorm: 0.3,
    spent: { environmentSteps: 3600, sampledTokens: 18_000, modelTokens: 72_000, updateSeconds: 9, seconds: 12 },
    seconds: 13,
    notices: [],
    failure: null,
  };
  const failed = { ...result, line: "reward/trace", updates: 3, failure: { code: "x", message: "It broke." } };
  const page = pageOf([result, failed], 109);
  expect(page).toContain("2 of 109 lines have run, 1 failed");
  expect(page).toContain("| `grpo` | 0.25 → 0.50 | 1.00 → 2.50 | 0.26 → 0.20 | 3,600 | 18,000 + 72,000 | 13.0 |");
  expect(page).toContain("`trace` (failed after 3 updates)");
  expect(page).toContain("- `reward/trace`: It broke.");
});
