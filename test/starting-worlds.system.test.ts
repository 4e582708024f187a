/** The lessons of the starting models of worlds other than household. */
import { expect, test } from "vitest";
import { createRng } from "../packages/base/src/base/rng.ts";
import { getWorld } from "../packages/worlds/src/index.ts";
import type { Env } from "../packages/core/src/env/env.ts";
import { createChatDialect } from "../packages/policy/src/policy/local/chat-dialect.ts";
import { openModel, requireTokenizer } from "../packages/policy/src/policy/local/open-model.ts";
import type { Task } from "../packages/base/src/trajectory/trajectory.ts";
import { bundledModel, bundledModelFor } from "../packages/policy/src/policy/local/bundled-model.ts";
import { bundledModels } from "../packages/policy/src/policy/starts.ts";
import { evaluate } from "../research/starting-model/evaluate.ts";
import { planFor } from "../research/starting-model/plans.ts";
import { startingWorlds } from "../research/starting-model/worlds/index.ts";
import type { StartingWorld } from "../research/starting-model/worlds/starting-world.ts";
import { worldConditions } from "../research/starting-model/worlds/world-conditions.ts";
import { makeWorldLesson, scout, tellWorkflow } from "../research/starting-model/worlds/world-lessons.ts";
import { tries } from "./support/thorough.ts";

const worlds = Object.entries<StartingWorld>(startingWorlds);
/** What takes seconds for each world is shown with two of them by day, and with all by night. */
const FEW = ["countdown", "shop"];
const all = tries(FEW.length, worlds.length) === worlds.length;
const shown = worlds.filter(([name]) => all || FEW.includes(name));

async function opened(world: StartingWorld, count: number): Promise<{ readonly env: Env; readonly tasks: Task[] }> {
  const { options, offset } = world.place(0);
  const env = await (await getWorld(world.name)).create(options);
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { offset, count })) tasks.push(task);
  return { env, tasks };
}

function share(flags: readonly boolean[]): number {
  return flags.filter(Boolean).length / flags.length;
}

test.each(shown)(
  "%s: who knows succeeds, a novice now and then, and the same draws make the same lesson",
  async (_, world) => {
    const { env, tasks } = await opened(world, 90);
    const lessons = await Promise.all(
      tasks.map((task) => makeWorldLesson(world, env, task, createRng(1).split(task.id))),
    );
    expect(lessons[0]).toStrictEqual(await makeWorldLesson(world, env, tasks[0]!, createRng(1).split(tasks[0]!.id)));
    const novices = lessons.filter(({ kind }) => kind === "unadvised" || kind === "idle").map(({ success }) => success);
    expect(novices.length).toBeGreaterThan(15);
    expect(share(novices)).toBeGreaterThan(0.1);
    expect(share(novices)).toBeLessThan(0.65);
    const followers = lessons.filter(({ kind }) => kind === "workflow").map(({ success }) => success);
    expect(share(followers)).toBeGreaterThan(0.6);
    // A slip can end an episode before anything was decided well.
    expect(share(lessons.map(({ decisions }) => decisions.some(({ learnt }) => learnt)))).toBeGreaterThan(0.95);
  },
);

test.each(worlds.filter(([name]) => name !== "tools"))("%s: the commands of a plan are enough", async (_, world) => {
  const { env, tasks } = await opened(world, 20);
  const won: boolean[] = [];
  for (const task of tasks) {
    const plan = await scout({ world, env, task, rng: createRng(2) });
    if (plan.length === 0) continue;
    const episode = await env.open(task);
    for (const command of plan) await episode.step(command);
    won.push(episode.success === true);
  }
  expect(won.length).toBeGreaterThan(12);
  expect(share(won)).toBe(1);
});

test("wordings that are kept back are not those of lessons", () => {
  const plan = ["search[oak lamp]", "click[B012345678]", "click[buy now]"];
  const words = (set: "trained" | "keptBack"): Set<string> =>
    new Set(Array.from({ length: 200 }, (_, at) => tellWorkflow(startingWorlds.shop, plan, createRng(at), set)));
  const keptBack = words("keptBack");
  expect([...words("trained")].filter((text) => keptBack.has(text))).toEqual([]);
  const joined = [...words("trained")].join("\n");
  expect(joined).toContain("search for oak lamp");
  expect(joined).not.toContain("in the search bar");
});

test("a world is opened for its model as it was for its lessons, with other seeds", () => {
  for (const [name, { options, answerTokens }] of worlds) {
    const start = bundledModels[name as keyof typeof startingWorlds];
    expect(start.worldOptions).toEqual(options);
    expect(start.answerTokens).toBeGreaterThanOrEqual(answerTokens);
  }
  expect(startingWorlds.shop.place(3).options).toEqual({ preset: "brief", seed: 1_003 });
});

test("a plan names what it was made from, and a world without a model is refused by name", () => {
  expect(JSON.stringify(planFor("shop", undefined).lessonsMadeFrom)).toContain("opensBest");
  expect(planFor("research", 3).stages("lessons")[0]).toMatchObject({ updates: 3, warmupUpdates: 3 });
  expect(() => planFor("openenv", undefined)).toThrow("openenv");
});

test.each(shown)("%s: the bundled model opens, and does with a workflow what it is told", async (name, world) => {
  const model = await openModel(bundledModel(bundledModelFor(name)), { threads: 1 });
  expect(model.weights.flat.length).toBe(918_912);
  const env = await (await getWorld(name)).create(world.options);
  const tasks: Task[] = [];
  // Conversations are ten times as long as sums.
  for await (const task of env.tasks("test", { count: name === "countdown" ? 8 : 2 })) tasks.push(task);
  const { success } = await evaluate({
    policy: model,
    dialect: await createChatDialect(requireTokenizer(model)),
    env,
    tasks,
    condition: worldConditions(world)["workflow"] ?? {},
    temperature: 0.4,
    seed: 1,
    answerTokens: world.answerTokens,
  });
  await model.close();
  expect(success).toBeGreaterThan(0);
});
