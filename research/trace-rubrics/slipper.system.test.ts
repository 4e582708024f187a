/** Planted slips of state tracking: failures show them more, and success given a flag is lower; flags dealt by lot say nothing. */
import { expect, test } from "vitest";
import { createRng, shuffle } from "../../packages/base/src/base/rng.ts";
import { applyRubrics, prevalenceOf } from "../../packages/core/src/eval/rubrics/apply-rubrics.ts";
import { stateSlips } from "../../packages/core/src/eval/rubrics/state-slips.ts";
import { evaluateAgent } from "../../packages/core/src/eval/evaluate.ts";
import { createDemonstratorAgent } from "../../packages/core/src/walk/mind/demonstrator-agent.ts";
import { getWorld } from "../../packages/worlds/src/index.ts";
import type { Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { createSlipper } from "./slipper.ts";

async function played(given: Parameters<typeof createSlipper>[0], horizon: number): Promise<readonly Trajectory[]> {
  const env = await (await getWorld("household")).create({ dial: "tiny", horizon });
  const tasks = [...(env.tasks("test", { count: 60 }) as Iterable<Task>)];
  const agent = createDemonstratorAgent(createSlipper(given));
  return (await evaluateAgent({ env, tasks, seed: 1, agent })).trajectories;
}

test("with planted slips the prevalence ratio lies above 1 and success given a flag falls; flags by lot say nothing", async () => {
  const episodes = await played({ episodes: 0.5, steps: 0.5 }, 12);
  const [report] = applyRubrics([stateSlips], episodes);
  expect(report?.prevalence?.low).toBeGreaterThan(1);
  expect(report?.successShown).toBeLessThan((report?.successHidden ?? 0) - 0.2);
  // The same flags on other episodes, a hundred times: the interval leaves out 1 about as often as it may.
  const flags = report?.findings.map(({ finding }) => finding.shown === true) ?? [];
  const outside = Array.from({ length: 100 }, (_, at) => {
    const dealt = shuffle(flags, createRng(at));
    const of = (success: boolean) => {
      const own = dealt.filter((_one, place) => episodes[place]?.success === success);
      return { shown: own.filter(Boolean).length, applicable: own.length };
    };
    const { low = 1, high = 1 } = prevalenceOf(of(false), of(true)) ?? {};
    return low > 1 || high < 1;
  });
  expect(outside.filter(Boolean).length).toBeLessThanOrEqual(12);
});

test("the rubric flags the planted episodes and no other", async () => {
  const episodes = await played({ episodes: 0.5, steps: 0.5 }, 12);
  const [report] = applyRubrics([stateSlips], episodes);
  for (const [at, { steps }] of episodes.entries())
    expect(report?.findings[at]?.finding.shown).toBe(steps.some(({ valid }) => !valid));
  const [steady] = applyRubrics([stateSlips], await played({ episodes: 0, steps: 0 }, 12));
  expect(steady?.successes.shown).toBe(0);
  expect(steady?.prevalence).toBeNull();
});
