import { expect, test } from "vitest";
import { corridorDialect } from "../../../../../test/support/recipe-bench.ts";
import { marginsAfter, watchRecipe } from "../../../../../test/support/recipe-walks.ts";
import { tinyConfig } from "../../../../../test/support/tiny-model.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { createStrategy } from "limbeck-core/rollout/registry";
import { rollOut } from "limbeck-core/walk/line/roll-out";
import { createTokenAgent } from "limbeck-core/walk/mind/token-agent";
import { createModel } from "limbeck-policy/policy/local/open-model";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { axesOf } from "../graders/trace-axes.ts";
import { FAULTS } from "./fintrace.ts";
import { openStage } from "./played.ts";

/** The two shortest of some errands, each as the expert serves it and with a fault, as a policy of tokens would have said them. */
const runs = async (): Promise<readonly Trajectory[]> => {
  const { env, play } = await openStage("tools", {}, "train", 12);
  const said = (lines: readonly string[]): number => lines.join("").length;
  const length = ({ steps }: Trajectory): number =>
    said(steps.flatMap(({ observation, action }) => [observation, action]));
  const shortest = (await play("expert")).toSorted((left, right) => length(left) - length(right)).slice(0, 2);
  const spoken = shortest.map(async ({ task, steps }, at) => {
    const gold = steps.map(({ action }) => action);
    const faulty = [FAULTS.efficiency, FAULTS.process][at]?.(gold) ?? gold;
    const pair = Object.entries({ right: gold, faulty }).map(async ([name, lines]) => {
      const policy = createScriptedPolicy({ script: ({ index }) => lines[index] ?? "" });
      const agent = createTokenAgent({ policy, dialect: corridorDialect, answerTokens: 2_048 });
      const strategy = createStrategy("group", { size: 1 });
      const { trajectories } = await rollOut({ env, agent, tasks: [task], seed: `${name} ${at}`, strategy });
      return trajectories.map((run) => ({
        ...run,
        id: `${name} ${at}`,
        reward: scored(mean(Object.values(axesOf(run, gold)))),
      }));
    });
    return await Promise.all(pair);
  });
  return (await Promise.all(spoken)).flat(2);
};

test("DPO on pairs of a right run and a faulty one widens every margin; by their outcome both are worth the same", async () => {
  const said = await runs();
  const model = await createModel(
    { ...tinyConfig, vocabularySize: 272, contextLength: 16_384 },
    { seed: 1, threads: 1 },
  );
  const { record, first } = await watchRecipe("online-dpo", { model, collect: () => Promise.resolve(said) });
  expect(record.metrics).toMatchObject({ "pairs/used": 2, "pairs/lost": 0 });
  const margins = await marginsAfter(model, first);
  expect(Object.keys(margins).map((pair) => pair.replaceAll(/@\S+/g, ""))).toEqual([
    "right 0 > faulty 0",
    "right 1 > faulty 1",
  ]);
  expect(Math.min(...Object.values(margins))).toBeGreaterThan(0);
  // Both runs of an errand end well, so that the outcome prefers neither.
  expect(said.map(({ success }) => success)).toEqual([true, true, true, true]);
  await model.close();
});
