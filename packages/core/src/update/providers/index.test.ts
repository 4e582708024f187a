import { describe, expect, test } from "vitest";
import { getCredit, allCredits } from "../../credit/registry.ts";
import type { CreditMethod } from "../../credit/credit.ts";
import type { Need } from "../../credit/needs.ts";
import { getStrategy } from "../../rollout/registry.ts";
import { getRecipe } from "../../recipe/registry.ts";
import { resolveSettings, settingsTable, strategySettings, fittingStrategy } from "../../recipe/settings.ts";
import { flattenSettings } from "../settings.ts";
import { providersFor, providers, providerTable, type ProviderId } from "./index.ts";

/** What every batch of episodes holds by itself, or by the recipe opid. */
const ALWAYS: readonly Need[] = [
  "stepRewards",
  "states",
  "oldLogprobs",
  "success",
  "truncation",
  "promptLengths",
  "branches",
  "episodeTeacher",
  "stepTeacher",
];

describe("every credit method gets what it needs by its name alone", () => {
  test.each(Object.entries<CreditMethod>(allCredits))("%s", (id, credit) => {
    const settings = resolveSettings({ name: "grpo", recipe: getRecipe("grpo"), credit: id });
    const options = settings.credit;
    const supplied: readonly Need[] = providersFor(credit, options).flatMap((name) => [...providers[name].supplies]);
    expect(credit.needs.filter((need) => !ALWAYS.includes(need) && !supplied.includes(need))).toEqual([]);
    // Settings of its providers and of the strategy it is made for are among its settings.
    for (const name of Object.keys(providerTable(credit))) expect(flattenSettings(settings)).toHaveProperty([name]);
    const { name, options: fitted } = fittingStrategy(id);
    expect(Object.keys(getStrategy(name).options)).toEqual(expect.arrayContaining(Object.keys(fitted)));
    expect(() => strategySettings(settings, name)).not.toThrow();
  });
});

test("needs that depend on options are asked for under those options only", () => {
  expect(providersFor(getCredit("mc-critic"), { form: "ppo", mix: 1 })).toEqual(["continuations"]);
  expect(providersFor(getCredit("mc-critic"), { form: "ppo", mix: 0.9 })).toEqual(["continuations", "value-head"]);
  expect(providersFor(getCredit("grpo"), {})).toEqual([]);
});

test("a strategy counts its episodes by the setting group, whatever it calls them", () => {
  const settings = resolveSettings({
    name: "grpo",
    recipe: getRecipe("grpo"),
    credit: "branch-grpo",
    given: { group: 5 },
  });
  expect(strategySettings(settings, "tree")).toMatchObject({ nodes: 5, when: "depth", depth: 3 });
  expect(settingsTable(getRecipe("grpo"), "branch-grpo")).not.toHaveProperty(["strategy.nodes"]);
});

test("every provider says what it is, what it costs and what it supplies", () => {
  for (const id of Object.keys(providers) as ProviderId[]) {
    const { info, supplies } = providers[id];
    expect(supplies.length).toBeGreaterThan(0);
    expect(info.meaning).toMatch(/\.$/);
    expect(info.cost.length).toBeGreaterThan(3);
  }
});
