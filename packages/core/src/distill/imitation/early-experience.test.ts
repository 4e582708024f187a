import { expect, test } from "vitest";
import { threeRooms, walker, walkerDialect } from "../../../../../test/support/provider-bench.ts";
import { createStrategy, createTokenAgent, rollOut } from "../../../../../test/support/rollout-door.ts";
import { createRng } from "limbeck-base/base/rng";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { contrasts, contrastText, demonstratedSteps, nextObservations, reflections } from "./early-experience.ts";
import { buildLessonRows } from "./lesson-rows.ts";

/** An expert who goes east, and own ideas at both of its states. */
async function explored(): Promise<readonly Trajectory[]> {
  const env = threeRooms();
  const policy = createScriptedPolicy({ script: walker });
  const agent = createTokenAgent({ policy, dialect: walkerDialect, answerTokens: 16 });
  const tasks = [...(env.tasks("train", { count: 2 }) as Iterable<Task>)];
  const strategy = createStrategy("alternatives", { by: "corrector", count: 4 });
  const corrector = async (): Promise<{ readonly action: string }> => ({ action: "go east" });
  return (await rollOut({ env, agent, tasks, strategy, seed: 5, corrector })).trajectories;
}

const write = (thought: string, action: string): string => `${thought}\n${action}`;

test("own actions are followed by what the world showed, each action at a point once", async () => {
  const episodes = await explored();
  const lessons = nextObservations(episodes);
  const byId = new Map(episodes.map((one) => [one.id, one]));
  // Two tasks, two states each; of the ideas there "go east" is the expert's own.
  expect(lessons).toHaveLength(4);
  for (const { trajectory, step, after, learnAnswer } of lessons) {
    const own = byId.get(trajectory);
    expect(own?.parent).toBeDefined();
    expect(learnAnswer).toBe(false);
    const { action, observation } = own?.steps.find(({ index }) => index === step) ?? {};
    const room = Number(/\d/.exec(observation ?? "")?.[0]);
    expect(action).toBe("go west");
    expect(after).toBe(room === 1 ? "A wall." : `Room ${room - 1}.`);
  }
});

test("a reason names both outcomes as they were seen, and ends in the expert's action", async () => {
  const episodes = await explored();
  const found = contrasts(episodes, { most: 2 });
  // Two tasks, two states each; only "go west" differs from what the expert does.
  expect(found.map(({ expert, others }) => [expert.action, others.map(({ action }) => action)])).toEqual(
    Array.from({ length: 4 }, () => ["go east", ["go west"]]),
  );
  expect(contrastText(found[0] as (typeof found)[number])).toBe(
    "If I go west: A wall.\nIf I go east: Room 2.\nSo: go east.",
  );
  expect(demonstratedSteps(episodes)).toHaveLength(4);
  const texts = ["East is where the goal is.", "", "x", "y"];
  expect(reflections(found, { place: "before", write }, texts).map(({ answer }) => answer)).toEqual([
    "East is where the goal is.\ngo east",
    "x\ngo east",
    "y\ngo east",
  ]);
});

test("no reward is read anywhere: with all of them scrambled the rows are the same", async () => {
  const episodes = await explored();
  const rng = createRng("scramble");
  const scrambled = episodes.map((one) => ({
    ...one,
    reward: rng.float() < 0.3 ? unscored("lost") : scored(rng.normal()),
    success: rng.float() < 0.5,
    rewards: [{ name: "score", source: "nobody", score: scored(rng.normal()) }],
    steps: one.steps.map((step) => ({ ...step, reward: scored(rng.normal()) })),
  }));
  const rowsOf = (some: readonly Trajectory[]) => {
    const options = { place: "after", write } as const;
    const lessons = [
      ...nextObservations(some),
      ...demonstratedSteps(some),
      ...reflections(contrasts(some, { most: 3 }), options),
    ];
    return buildLessonRows(lessons, some, { dialect: walkerDialect, maxTokens: 4_096 });
  };
  const plain = rowsOf(episodes);
  expect(plain.rows.length).toBe(12);
  expect(rowsOf(scrambled)).toEqual(plain);
});
