import { expect, test } from "vitest";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { byLowestScore } from "./counterfactual.ts";
import { createCheckGround } from "../walk/check-ground.ts";
import { createStrategy } from "./registry.ts";
import type { Judge } from "../walk/judge.ts";
import { rollOut, type RollOutOptions } from "../walk/line/roll-out.ts";

const judge: Judge = ({ steps }) =>
  Promise.resolve({ stepScores: steps.map(({ action }) => (action === "go east" ? 0.9 : 0.2)) });

async function roll(options: Readonly<Record<string, unknown>>, more: Partial<RollOutOptions> = {}) {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 4 }) as Iterable<Task>)];
  const strategy = createStrategy("counterfactual", options);
  return await rollOut({ env, agent, strategy, tasks, seed: 1, judge, episode: { steps: 4 }, ...more });
}

test("steps are looked at by their scores: the lowest first, of equal ones the earlier", () => {
  expect(byLowestScore([0.9, 0.2, null, 0.1, 0.2])).toEqual([3, 1, 4, 0]);
});

test("alternatives begin in the very state before the worst step of a failed episode", async () => {
  const { trajectories } = await roll({ alternatives: 3 });
  const failed = trajectories.filter(({ parent, success }) => parent === undefined && success === false);
  const others = trajectories.filter(({ parent }) => parent !== undefined);
  expect(others).toHaveLength(3 * failed.length);
  for (const { parent, steps, info, reward, success, closing } of others) {
    const original = failed.find(({ id }) => id === parent?.trajectory);
    const worst = original?.steps.find(({ action }) => action !== "go east");
    expect(parent?.step).toBe(worst?.index);
    expect(steps[0]?.stateKey).toBe(worst?.stateKey);
    expect(info?.["snapshot"]).toEqual({
      id: `${parent?.trajectory}@${parent?.step}`,
      reward: scoreValue(reward),
    });
    // The outcome flipped, and it was this step that did it.
    const verified = success === true && steps[0]?.action !== worst?.action;
    expect(info?.["counterfactual"]).toEqual({ step: parent?.step, verified });
    expect(success).toBe(closing?.observation === "Room 4.");
  }
  const flips = others.map(({ info }) => JSON.stringify(info?.["counterfactual"]).includes('"verified":true'));
  expect(new Set(flips)).toEqual(new Set([true, false]));
});

test("a corrector chooses the first action, the policy goes on", async () => {
  const corrector = (): Promise<{ action: string }> => Promise.resolve({ action: "go east" });
  const { trajectories } = await roll({ from: "corrector", alternatives: 1, points: 2 }, { corrector });
  const others = trajectories.filter(({ parent }) => parent !== undefined);
  expect(others.length).toBeGreaterThan(4);
  for (const { steps } of others) {
    expect(steps[0]).toMatchObject({ action: "go east", info: { source: "corrector" } });
    expect(steps.slice(1).every(({ info }) => info?.["source"] === undefined)).toBe(true);
  }
  await expect(roll({ from: "corrector" })).rejects.toMatchObject({ code: "needs-unmet" });
});

test("local groups of all episodes, at the least likely answers or by lot", async () => {
  for (const at of ["uncertain", "random"]) {
    const { trajectories } = await roll({ at, of: "all", alternatives: 2, size: 2 });
    const roots = trajectories.filter(({ parent }) => parent === undefined);
    expect([roots.length, trajectories.length - roots.length]).toEqual([8, 16]);
  }
});

test("until: step ends an alternative after one step, which is what it is worth", async () => {
  const { trajectories } = await roll({ at: "random", of: "all", alternatives: 2, size: 1, until: "step" });
  const others = trajectories.filter(({ parent }) => parent !== undefined);
  expect(others).toHaveLength(8);
  for (const { steps, info } of others) {
    expect(steps).toHaveLength(1);
    expect(info?.["snapshot"]).toMatchObject({ reward: scoreValue(steps[0]!.reward) });
  }
});

test("with below and above only steps that scored little are tried, and only the best alternative goes on", async () => {
  const asked: number[] = [];
  // Of a branch it is shown the whole episode so far.
  const seeing: Judge = (finished, options) => {
    if (finished.trajectory.parent === undefined) asked.push(finished.steps.length);
    return judge(finished, options);
  };
  const limits = { below: 0.5, above: 0.6, points: 9, alternatives: 3 };
  const { trajectories } = await roll(limits, { judge: seeing });
  const failed = trajectories.filter(({ parent, success }) => parent === undefined && success === false);
  const others = trajectories.filter(({ parent }) => parent !== undefined);
  for (const { id, steps } of failed) {
    for (const step of steps) {
      const tried = others.filter(({ parent }) => parent?.trajectory === id && parent.step === step.index);
      expect(tried).toHaveLength(step.action === "go east" ? 0 : 3);
      // Of those that went east the first goes on; the others took one step, which may have been the last one anyway.
      const best = tried.find(({ steps: [first] }) => first?.action === "go east");
      expect(best?.info?.["stopped"]).not.toBe("alternative");
      for (const one of tried.filter((other) => other !== best)) expect(one.steps).toHaveLength(1);
      for (const {
        info,
        steps: [first],
      } of tried) {
        expect(info?.["alternative"]).toEqual({ original: 0.2, score: first?.action === "go east" ? 0.9 : 0.2 });
      }
    }
  }
  expect(others.length).toBeGreaterThan(4);
  expect(asked.length).toBeGreaterThan(others.length);
});
