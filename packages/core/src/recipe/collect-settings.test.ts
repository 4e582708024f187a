import { expect, test } from "vitest";
import type { OptionTable } from "limbeck-base/base/option-table";
import { createCheckGround } from "../walk/check-ground.ts";
import { allSearches } from "../search/registry.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Search } from "../walk/tree/search.ts";
import { createLedger } from "../update/ledger.ts";
import { collectorOf, collectTable, resolveSettings, settingsTable } from "./settings.ts";
import { getRecipe } from "./registry.ts";

test.each(Object.entries(allSearches))(
  "%s keeps its own options beside budget, value and asker",
  (name, { options }) => {
    const table = collectTable(name);
    for (const [option, spec] of Object.entries(options as OptionTable)) {
      // Only this one differs: a tree that ends with its first success has little to compare that with.
      const wanted = option === "stop" ? { ...spec, default: false } : spec;
      expect(table[`collect.${option}`]).toEqual(wanted);
    }
    expect(table).toHaveProperty(["collect.envSteps"]);
  },
);

test("a search takes the place of the strategy's settings, and a task has one tree", () => {
  const table = settingsTable(getRecipe("grpo"), "grpo", { collect: "best-of-n" });
  expect(table["collect.n"]).toMatchObject({ default: 8 });
  expect(table["group"]).toMatchObject({ default: 1, meaning: "trees per task" });
  expect(Object.keys(table).filter((key) => key.startsWith("strategy."))).toEqual([]);
});

test("what is asked of others is booked", async () => {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 2 }) as Iterable<Task>)];
  const search: Search = {
    run: async (scope) => {
      await scope.ask("Which way?");
      return await scope.walkOn(scope.root);
    },
  };
  const collect = (): Search => search;
  const given = { "collect.asker": true };
  const settings = resolveSettings({ name: "grpo", recipe: getRecipe("grpo"), credit: "grpo", collect, given });
  const collector = collectorOf(collect, settings);
  expect(collector.asks).toBe(true);
  const ledger = createLedger();
  const asker = () => Promise.resolve({ text: "east", usage: { promptTokens: 5, completionTokens: 2 } });
  await rollOut({ env, agent, tasks, strategy: collector.strategy(ledger, asker), seed: 1 });
  expect(ledger.cost).toEqual({ environmentSteps: 0, sampledTokens: 4, modelTokens: 10 });
});
