import { expect, test } from "vitest";
import { getWorld } from "limbeck-worlds/index";
import { createDemonstratorAgent } from "../walk/mind/demonstrator-agent.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { sampleTrajectory } from "../../../../test/support/samples.ts";
import { evaluateAgent, evaluationWords, figureOf, summarise } from "./evaluate.ts";

async function house() {
  const world = await getWorld("household");
  const env = await world.create({ dial: "tiny" });
  const tasks = [...(env.tasks("valid", { count: 4 }) as Iterable<Task>)];
  return { env, tasks, script: (id: string) => createDemonstratorAgent(world.demonstrators![id]!) };
}

test("every task is tried as often as told, and what is stored is what comes back", async () => {
  const { env, tasks, script } = await house();
  const stored: Trajectory[] = [];
  const seen: [number, number][] = [];
  const { trajectories, evaluation, spent } = await evaluateAgent({
    env,
    tasks,
    agent: script("guesser"),
    seed: 3,
    samples: 3,
    prefix: "here/",
    sink: { append: (trajectory) => Promise.resolve(void stored.push(trajectory)) },
    onProgress: (done, total) => seen.push([done, total]),
  });
  expect(trajectories.map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
  expect(trajectories.every(({ id }) => id.startsWith("here/"))).toBe(true);
  expect(tasks.map(({ id }) => trajectories.filter(({ task }) => task.id === id).length)).toEqual([3, 3, 3, 3]);
  expect(seen.at(-1)).toEqual([12, 12]);
  expect(spent.envSteps).toBe(trajectories.reduce((sum, { steps }) => sum + steps.length, 0));
  expect(evaluation).toEqual(summarise(trajectories));
});

test("the same seed gives the same episodes, another one others; steps can be cut short", async () => {
  const { env, tasks, script } = await house();
  const actions = async (seed: number, maxSteps?: number) => {
    const limit = maxSteps === undefined ? {} : { maxSteps };
    const { trajectories } = await evaluateAgent({
      env,
      tasks,
      agent: script("wanderer"),
      seed,
      concurrency: 1 + seed,
      ...limit,
    });
    return trajectories.map(({ steps }) => steps.map(({ action }) => action));
  };
  expect(await actions(1)).toEqual(await actions(1));
  expect(await actions(1)).not.toEqual(await actions(2));
  expect((await actions(1, 2)).every((steps) => steps.length === 2)).toBe(true);
});

test("a figure says of how many it is and what was lost; below half there is none, and who needs one is refused", () => {
  const episodes = (count: number, more: Partial<Trajectory> = {}): Trajectory[] =>
    Array.from({ length: count }, (_, at) => sampleTrajectory(`${at}`, more));
  const gone = { ending: "failed", success: null, reward: { kind: "unscored", why: "full" } } as const;
  const lost = (count: number): Trajectory[] =>
    episodes(count, { ...gone, steps: [], failure: { code: "server-full", message: "full" } });
  const seen = [...episodes(90), ...episodes(90, { success: false })];
  // Wilson of 90 of 180: 0.5 -+ 1.959964 sqrt(0.25 / 180 + z^2 / 129600) / (1 + z^2 / 180) = 0.5 -+ 0.0723.
  expect(evaluationWords(summarise(seen))).toBe("0.500 [0.428, 0.572] of 180 tasks");
  const partly = summarise([...seen, ...lost(20)]);
  expect(evaluationWords(partly)).toBe("0.500 [0.428, 0.572] of 180 of 200 tasks; 20 lost: server-full 20");
  expect([partly.meanSteps, figureOf(partly, "It")]).toEqual([3, 0.5]);
  const mostly = summarise([...seen, ...lost(181)]);
  expect(evaluationWords(mostly)).toBe("no figure: 180 of 361 tasks seen; 181 lost: server-full 181");
  expect(() => figureOf(mostly, "It")).toThrow("It has no figure: of 361 episodes 180 were seen, 181 lost");
});
