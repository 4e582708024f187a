/** Over the wire: who can show how a task is done, and what cannot be taken back. */
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { createRng } from "limbeck-base/base/rng";
import { rollout } from "../../../limbeck/src/run/rollout.ts";
import { train } from "limbeck-training/training/train";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { callAction } from "limbeck-base/trajectory/tool-action";
import { tools } from "../tools/index.ts";
import { envContract } from "limbeck-core/env/env.contract";
import type { Env } from "limbeck-core/env/env";
import { advice } from "limbeck-core/env/expert";
import { household } from "../household/index.ts";
import type { World, WorldOptions } from "limbeck-core/env/world";
import { createOpenEnv } from "./client.ts";
import { startEnvServer, type EnvServer } from "./server.ts";

const newFolder = temporaryFolders();
const started: EnvServer[] = [];
afterAll(() => Promise.all(started.map((server) => server.close())));

async function served(world: World, options: WorldOptions, offers = true): Promise<{ readonly url: string }> {
  const { demonstrators = {} } = world;
  const server = await startEnvServer({ env: await world.create(options), ...(offers ? { demonstrators } : {}) });
  started.push(server);
  return server;
}

async function firstTask(env: Env): Promise<Task> {
  for await (const task of env.tasks("train", { count: 1 })) return task;
  throw new Error("no task");
}

test("the demonstrators of a server act as they do without the wire", async () => {
  const { url } = await served(household, { dial: "tiny" });
  const remote = await createOpenEnv({ url });
  expect(Object.keys(remote.demonstrators ?? {})).toEqual(["expert", "wanderer", "guesser"]);
  expect(remote.demonstrators?.["expert"]?.summary).toBe(household.demonstrators?.["expert"]?.summary);
  const played = async (env: string, envOptions: WorldOptions): Promise<unknown[]> => {
    const { trajectories } = await rollout({ env, envOptions, policy: "expert", tasks: 3, group: 1, seed: 4 });
    return trajectories.map(({ task, success, steps }) => [task.id, success, steps.map(({ action }) => action)]);
  };
  expect(await played("openenv", { url })).toEqual(await played("household", { dial: "tiny" }));
});

test("an expert that is asked in the middle of a past of somebody else knows all of it", async () => {
  const { url } = await served(household, { dial: "tiny" });
  const [local, remote] = [await household.create({ dial: "tiny" }), await createOpenEnv({ url })];
  const episode = await remote.open(await firstTask(remote));
  const past = [{ action: undefined, observation: episode.observation, admissible: episode.admissible() }];
  const expert = household.demonstrators?.["expert"];
  const other = remote.demonstrators?.["expert"];
  if (expert === undefined || other === undefined) throw new Error("no expert");
  const [near, far] = [await firstTask(local), await firstTask(remote)];
  expect(await advice(other, far, past, createRng(1))).toBe(await advice(expert, near, past, createRng(1)));
  await episode.close();
  // What it cannot make sense of is an error that names the server's reason.
  const strange = { ...far, data: { ...far.data, index: 7 } };
  await expect(advice(other, strange, past, createRng(1))).rejects.toThrow(/status 422 \(Task 7 of split "train" is/);
});

test("a recipe that needs a demonstrator trains on a server that offers one, and is refused at the start where it does not", async () => {
  const root = await newFolder();
  const settings = { tasks: 1, group: 2, maxSteps: 3 };
  const small = { steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings } as const;
  const { url } = await served(household, { dial: "tiny" });
  const run = { ...small, recipe: "otr", env: "openenv", model: "packages/household-model", dir: join(root, "run") };
  const { update } = await train({ ...run, envOptions: { url } });
  expect(update).toBe(1);

  const silent = await served(household, { dial: "tiny" }, false);
  const said: string[] = [];
  const refused = train({
    ...run,
    dir: join(root, "refused"),
    envOptions: { url: silent.url },
    onEvent: ({ kind }: { kind: string }) => said.push(kind),
  });
  await expect(refused).rejects.toThrow(
    /The recipe otr needs somebody who can show how a task is done, and the world openenv/,
  );
  expect(said).toEqual([]);
}, 120_000);

test("what cannot be taken back is asked of the server", async () => {
  const { url } = await served(tools, {});
  const remote = await createOpenEnv({ url });
  const episode = await remote.open(await firstTask(remote));
  expect(await episode.irreversible?.(callAction("cancel_pending_order", {}))).toBe(true);
  expect(await episode.irreversible?.(callAction("get_order_details", {}))).toBe(false);
  const copy = await episode.fork();
  expect(await copy.irreversible?.(callAction("cancel_pending_order", {}))).toBe(true);
  await copy.close();
  await started.at(-1)?.close();
  // Nobody answers: false would have to be sure.
  expect(await episode.irreversible?.(callAction("get_order_details", {}))).toBe(true);
  await episode.close();
});

test("a world without such actions is not asked", async () => {
  const { url } = await served(household, { dial: "tiny" });
  const remote = await createOpenEnv({ url });
  const episode = await remote.open(await firstTask(remote));
  expect(episode.irreversible).toBeUndefined();
  await episode.close();
});

envContract({
  name: "tools over the wire",
  env: async () => createOpenEnv({ url: (await served(tools, {})).url, attempts: 4, delayMs: 5 }),
  // Free text is a message to the customer, and so never refused.
  invalidActions: ['<tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>'],
  runner: { describe, test },
  runs: 3,
});
