import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { shareDifference, wilson } from "limbeck-base/base/statistics/share";
import { getWorld } from "limbeck-worlds/index";
import type { Demonstrator, Seen } from "../../env/expert.ts";
import { createDemonstratorAgent } from "../../walk/mind/demonstrator-agent.ts";
import type { Step, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { evaluateAgent } from "../evaluate.ts";
import { applyRubrics, prevalenceOf } from "./apply-rubrics.ts";
import { rubrics } from "./index.ts";
import { loops } from "./loops.ts";
import { stateSlips } from "./state-slips.ts";

const circle = (count: number): Step[] =>
  Array.from({ length: count }, (_, index) =>
    sampleStep(index, { stateKey: `s${index % 2}`, action: `go ${index % 2}` }),
  );

test("shares among successes and failures, with intervals; what nobody judged is in neither", () => {
  const batch = [
    sampleTrajectory("won", { success: true }),
    sampleTrajectory("won in circles", { success: true, steps: circle(4) }),
    sampleTrajectory("lost", { success: false, steps: circle(5) }),
    sampleTrajectory("short", { success: false, steps: circle(1) }),
    sampleTrajectory("unknown", { success: null, steps: circle(6) }),
  ];
  const [report] = applyRubrics([loops], batch);
  expect(report).toMatchObject({ rubric: "loops", good: false });
  // Repeats: 2 of 3 steps, and 3 of 4.
  expect(report!.successes).toEqual({ applicable: 2, shown: 1, share: 0.5, ...wilson(1, 2), extent: 1 / 3 });
  expect(report!.failures).toEqual({ applicable: 1, shown: 1, share: 1, ...wilson(1, 1), extent: 0.75 });
  expect(report!.difference).toEqual(shareDifference({ successes: 1, trials: 2 }, { successes: 1, trials: 1 }));
  // (1.5 / 1.5) over (1.5 / 2.5); half of those that loop succeed, and the one that does not.
  expect(report!.prevalence).toEqual(prevalenceOf({ shown: 1, applicable: 1 }, { shown: 1, applicable: 2 }));
  expect(report!.prevalence?.ratio).toBeCloseTo(5 / 3);
  expect([report!.successShown, report!.successHidden]).toEqual([0.5, 1]);
  expect(report!.findings.map(({ trajectory, finding }) => [trajectory, finding.shown])).toEqual([
    ["won", false],
    ["won in circles", true],
    ["lost", true],
    ["short", null],
    ["unknown", true],
  ]);
});

test("a prevalence ratio with its interval, and none without failures", () => {
  // 7.5 / 10.5 over 2.5 / 20.5; the logarithm's variance is 1/7.5 - 1/10.5 + 1/2.5 - 1/20.5 = 0.389315.
  const { ratio, low, high } = prevalenceOf({ shown: 7, applicable: 10 }, { shown: 2, applicable: 20 })!;
  expect(ratio).toBeCloseTo(5.857143, 6);
  expect(low).toBeCloseTo(5.857143 / Math.exp(1.959964 * Math.sqrt(0.389315)), 4);
  expect(low * high).toBeCloseTo(ratio * ratio, 6);
  expect(prevalenceOf({ shown: 0, applicable: 0 }, { shown: 2, applicable: 20 })).toBeNull();
});

test("a branch is judged with its parents' steps, where they are there", () => {
  const parent = sampleTrajectory("parent", { steps: circle(4).slice(0, 2), success: false });
  const branch: Trajectory = sampleTrajectory("branch", {
    parent: { trajectory: "parent", step: 2 },
    steps: circle(4).slice(2),
    success: false,
  });
  const shown = (batch: readonly Trajectory[]) => applyRubrics([loops], batch)[0]!.findings.at(-1)!.finding;
  expect(shown([parent, branch])).toMatchObject({ shown: true, steps: [2, 3] });
  expect(shown([branch])).toMatchObject({ shown: false });
});

test("verbs are learnt from the whole batch of a world, not from another world", () => {
  const refused = sampleStep(0, { observation: "a candle 1", action: "take candle 1", valid: false });
  const other = (env: string): Trajectory =>
    sampleTrajectory("other", {
      steps: [sampleStep(0, { action: "take mug 2" })],
      task: { ...sampleTrajectory("x").task, env },
    });
  const slips = (env: string) =>
    applyRubrics([stateSlips], [sampleTrajectory("slip", { steps: [refused] }), other(env)])[0]!.findings[0]!.finding;
  expect(slips("toy")).toMatchObject({ shown: true });
  expect(slips("elsewhere")).toMatchObject({ shown: false });
});

test("in a real house: an expert, one who paces between two places, and one who will not hear no", async () => {
  const world = await getWorld("household");
  const env = await world.create({ dial: "tiny" });
  const tasks = [...(env.tasks("valid", { count: 6 }) as Iterable<Task>)];
  const script = (id: string, next: (seen: Seen) => string): Demonstrator => ({
    id,
    summary: id,
    start: () => ({ next }),
  });
  const places = (seen: Seen): string[] =>
    (seen.admissible ?? []).filter((action) => action.startsWith("go to ")).sort();
  // From the first place the list holds the others only, so that the first of it leads back and forth.
  const pacer = script("pacer", (seen) => places(seen)[0] ?? "look");
  const stubborn = script("stubborn", () => "take candle 9 from drawer 1");
  const reportsOf = async (demonstrator: Demonstrator) => {
    const { trajectories } = await evaluateAgent({ env, tasks, seed: 1, agent: createDemonstratorAgent(demonstrator) });
    return Object.fromEntries(applyRubrics(Object.values(rubrics), trajectories).map((one) => [one.rubric, one]));
  };
  const expert = await reportsOf(world.demonstrators!["expert"]!);
  expect(expert["loops"]!.successes).toMatchObject({ applicable: 6, shown: 0 });
  expect(expert["recovery"]!.successes.applicable).toBe(0);
  const paced = await reportsOf(pacer);
  expect(paced["loops"]!.failures).toMatchObject({ applicable: 6, shown: 6 });
  expect(paced["needless-steps"]!.failures).toMatchObject({ applicable: 6, shown: 6 });
  expect(paced["ignored-observations"]!.failures.shown).toBe(0);
  const deaf = await reportsOf(stubborn);
  expect(deaf["ignored-observations"]!.failures).toMatchObject({ applicable: 6, shown: 6, extent: 1 });
  expect(deaf["loops"]!.failures.shown).toBe(0);
  expect(deaf["recovery"]!.failures).toMatchObject({ applicable: 6, shown: 0 });
});
