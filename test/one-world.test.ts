/** One name of a world means one world, whoever opens it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openArmWorld, withNamedWorld } from "../packages/training/src/arena/arm-world.ts";
import { readPlan, type Arm } from "../packages/training/src/arena/plan.ts";
import { createHousehold } from "../packages/worlds/src/household/household.ts";
import { getWorld } from "../packages/worlds/src/index.ts";
import { type World, readWorldOptions } from "../packages/core/src/env/world.ts";
import { bundledModels } from "../packages/policy/src/policy/starts.ts";
import { evaluate } from "../packages/limbeck/src/run/evaluate.ts";
import { search } from "../packages/limbeck/src/run/search.ts";
import { splitOf } from "../packages/limbeck/src/run/parts.ts";
import { storedWorld } from "../packages/studio/src/serve/play/worlds.ts";
import { openStore } from "../packages/store/src/store/open-store.ts";
import type { RunSummary } from "../packages/store/src/store/store.ts";
import { openWorld } from "../packages/training/src/training/parts.ts";
import type { Task } from "../packages/base/src/trajectory/trajectory.ts";
import { limbeck } from "./support/fake-io.ts";
import { sampleTrajectory } from "./support/samples.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-one-world-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const named = Object.entries(bundledModels).map(([id, { worldOptions }]) => [id, worldOptions] as const);
const defaultsOf = (world: World, id: string) => readWorldOptions(world.options, {}, id) as Record<string, unknown>;

test.each(named)("%s: its own defaults are those that its bundled model was made for", async (id, worldOptions) => {
  expect(defaultsOf(await getWorld(id), id)).toMatchObject(worldOptions);
  // A training names them, so that what it stores means the same under later defaults.
  expect((await openWorld({ env: id })).options).toEqual(worldOptions);
});

test("household is tiny for the library and for every command", async () => {
  expect(createHousehold().maxSteps).toBe(12);
  const world = ["--env", "household", "--policy", "expert", "--json"];
  const commands = [
    ["eval", ...world, "--tasks", "1", "--into", "evaluated"],
    ["search", ...world, "--tasks", "1", "--run", "searched"],
    ["rollout", ...world, "--count", "1", "--group", "1", "--run", "played"],
  ];
  for (const words of commands) {
    const { code, err } = await limbeck(words, { cwd: folder });
    expect([words[0], code, err]).toEqual([words[0], 0, ""]);
  }
  const store = openStore(join(folder, "runs"));
  for (const id of ["evaluated", "searched", "played"]) {
    const [run] = await store.runs({ only: id });
    expect(run?.config).toMatchObject({ envOptions: { dial: "tiny" } });
    for await (const { task } of store.trajectories({ run: id })) expect(task.id).toMatch(/^household\/tiny-12\//);
  }
  await store.close();
});

test("a run that was stored without a dial was small: it is played on there, and gone on with as that only", async () => {
  const words = ["rollout", "--env", "household", "--policy", "expert", "--count", "1", "--group", "1"];
  expect((await limbeck([...words, "--env-set", "dial=small", "--run", "new"], { cwd: folder })).code).toBe(0);
  const store = openStore(join(folder, "runs"));
  const [made] = await store.runs({ only: "new" });
  const before = await store.createRun({ id: "old", kind: "rollout", config: { ...made?.config, envOptions: {} } });
  await before.close();
  const [old] = await store.runs({ only: "old" });
  await store.close();
  const [task] = createHousehold({ dial: "small" }).tasks("train", { count: 1 }) as Iterable<Task>;
  const env = await storedWorld(old as RunSummary, sampleTrajectory("t", { task: task as Task }), {});
  expect(env.maxSteps).toBe(30);
  const other = await limbeck([...words, "--run", "old", "--resume"], { cwd: folder });
  expect(other.err).toContain('dial was "small" and is "tiny"');
  const same = [...words, "--env-set", "dial=small", "--run", "old", "--resume"];
  expect((await limbeck(same, { cwd: folder })).err).toBe("");
});

test("a plan of an arena without options: what is begun names the world, what was stored stays small", async () => {
  const arms = [{ name: "grpo", recipe: "grpo" }];
  const budget = { account: "steps", amount: 1 };
  const plan = readPlan({ version: 1, arms, seeds: [1], env: "household", model: "none", budget });
  expect((await withNamedWorld(plan)).envOptions).toEqual({ dial: "tiny" });
  expect((await openArmWorld(plan, plan.arms[0] as Arm)).name).toBe('household {"dial":"small"}');
});

test("eval plays test tasks, search valid ones, and each says world, options and split first", async () => {
  const words = ["--env", "household", "--policy", "expert", "--tasks", "2"];
  const evaluated = await limbeck(["eval", ...words], { cwd: folder });
  expect(evaluated.out.split("\n")[0]).toBe("household (dial tiny), split test, 2 tasks");
  const searched = await limbeck(["search", ...words], { cwd: folder });
  expect(searched.out.split("\n")[0]).toBe("household (dial tiny), split valid, 2 tasks");
  const place = { env: "household", envOptions: { dial: "tiny" } };
  const policy = (await limbeck(["eval", ...words, "--json"], { cwd: folder })).objects()[0];
  expect(policy).toMatchObject({ ...place, split: "test", tasks: 2 });
  const end = (await limbeck(["search", ...words, "--json"], { cwd: folder })).objects().at(-1);
  expect(end).toMatchObject({ ...place, split: "valid", tasks: 2 });
  // The library as the commands, and a training split is named where somebody asks for it.
  const { trajectories } = await evaluate({ env: "household", policy: "expert", tasks: 1 });
  expect(trajectories[0]?.task.split).toBe("test");
  const { outcomes } = await search({ env: "household", policy: "expert", tasks: 1 });
  expect(outcomes[0]?.task.split).toBe("valid");
  const asked = await limbeck(["eval", ...words, "--split", "train"], { cwd: folder });
  expect(asked.out.split("\n")[0]).toBe("household (dial tiny), split train, 2 tasks");
});

test.each([
  [{ train: 9, valid: 9, test: 9 }, "test", "valid"],
  [{ train: 9, valid: 9 }, "valid", "valid"],
  [{ train: 9, test: 9 }, "test", "train"],
  [{ train: 9, valid_seen: 9, valid_unseen: 9 }, "valid_unseen", "valid_seen"],
  [{ games: 9 }, "games", "games"],
])("splits %j: a figure is of %s, choices are made on %s", (splits, evaluated, searched) => {
  expect([splitOf("evaluate", splits), splitOf("search", splits)]).toEqual([evaluated, searched]);
});
