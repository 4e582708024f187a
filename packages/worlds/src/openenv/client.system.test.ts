import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scored } from "limbeck-base/trajectory/score";
import { createCorridor } from "limbeck-core/env/corridor";
import { envContract } from "limbeck-core/env/env.contract";
import type { Env } from "limbeck-core/env/env";
import { household } from "../household/index.ts";
import { withRetry } from "limbeck-core/env/with-retry";
import { wrapEnv } from "limbeck-core/env/wrap";
import { createOpenEnv } from "./client.ts";
import { openenv } from "./index.ts";
import { startEnvServer, type EnvServer, type EnvServerOptions } from "./server.ts";

const started: EnvServer[] = [];
afterAll(() => Promise.all(started.map((server) => server.close())));

async function served(env: Env, options: Partial<EnvServerOptions> = {}): Promise<EnvServer> {
  const server = await startEnvServer({ env, ...options });
  started.push(server);
  return server;
}

async function firstTask(env: Env, split = "train") {
  for await (const task of env.tasks(split, { count: 1 })) return task;
  throw new Error("no task");
}

const FAST = { attempts: 4, delayMs: 5 } as const;

envContract({
  name: "a corridor over the wire",
  env: async () => createOpenEnv({ url: (await served(createCorridor())).url, ...FAST }),
  runner: { describe, test },
  runs: 5,
});

describe("household over the wire", () => {
  let [local, remote]: Env[] = [];
  beforeAll(async () => {
    local = await household.create({ dial: "tiny" });
    const { url } = await served(local);
    remote = await openenv.create({ url: url.replace("http", "ws") });
  });

  test("announces its splits, sizes, steps and tasks", async () => {
    expect([remote!.splits, remote!.maxSteps, remote!.id]).toEqual([local!.splits, local!.maxSteps, "openenv"]);
    const [here, there] = [await firstTask(local!, "valid"), await firstTask(remote!, "valid")];
    const { id, seed, goal, split } = here;
    expect(there).toEqual({ id, seed, goal, split, env: "openenv", data: { world: "household", index: 0 } });
  });

  test("an episode is the same step by step, forks included", async () => {
    const [here, there] = [await local!.open(await firstTask(local!)), await remote!.open(await firstTask(remote!))];
    for (let step = 0; step < 6; step += 1) {
      const admissible = here.admissible()!;
      expect(there.admissible()).toEqual(admissible);
      expect([there.observation, there.stateKey, there.success]).toEqual([
        here.observation,
        here.stateKey,
        here.success,
      ]);
      const action = step === 3 ? "sing" : admissible[(step * 7) % admissible.length]!;
      const fork = await there.fork();
      expect(await fork.step(action)).toEqual(await (await here.fork()).step(action));
      await fork.close();
      expect(await there.step(action)).toEqual(await here.step(action));
      expect(there.reward).toEqual(here.reward);
    }
    await there.close();
  });

  test("a task of another world is refused, not played as something else", async () => {
    const task = await firstTask(remote!);
    await expect(remote!.open({ ...task, id: "elsewhere" })).rejects.toMatchObject({ code: "reset-refused" });
    const { data: _, ...bare } = task;
    await expect(remote!.open(bare)).rejects.toMatchObject({ code: "bad-input" });
    await expect(remote!.open({ ...task, split: "nowhere" })).rejects.toThrow(/nowhere/);
  });
});

describe("a server without snapshots", () => {
  test("cannot fork, unless repeating is harmless", async () => {
    const { url } = await served(createCorridor(), { snapshot: false });
    const plain = await createOpenEnv({ url, ...FAST });
    const episode = await plain.open(await firstTask(plain));
    await expect(episode.fork()).rejects.toMatchObject({ code: "cannot-fork" });
    await episode.close();

    const env = await createOpenEnv({ url, replayable: true, ...FAST });
    const original = await env.open(await firstTask(env));
    for (const action of ["go east", "jump", "go east"]) await original.step(action);
    const fork = await original.fork();
    expect([fork.observation, fork.stateKey, fork.reward]).toEqual(["Room 3.", "room 3", scored(0)]);
    expect((await fork.step("go east")).success).toBe(true);
    expect(original.observation).toBe("Room 3.");
    await original.close();
  });

  test("a world that answers otherwise the second time is noticed", async () => {
    let opened = 0;
    const moody = wrapEnv(createCorridor(), (episode) => episode, {
      open: (task) => {
        opened += 1;
        return createCorridor({ rooms: opened > 1 ? 2 : 4 }).open(task);
      },
    });
    const { url } = await served(moody, { snapshot: false });
    const env = await createOpenEnv({ url, replayable: true, ...FAST });
    const episode = await env.open(await firstTask(env));
    await episode.step("go east");
    await episode.step("go east");
    await expect(episode.fork()).rejects.toMatchObject({ code: "fork-diverged" });
    await episode.close();
  });
});

test("a server killed in mid-episode is a lost world, not a zero", async () => {
  const server = await served(createCorridor());
  const env = await createOpenEnv({ url: server.url, ...FAST });
  const episode = await env.open(await firstTask(env));
  await episode.step("go east");
  await server.close();
  const result = await episode.step("go east");
  expect(result).toMatchObject({ ending: "failed", success: null, valid: false, reward: { kind: "unscored" } });
  expect(episode).toMatchObject({ ending: "failed", reward: { kind: "unscored" }, failure: { code: "server-lost" } });
  await expect(episode.step("go east")).rejects.toMatchObject({ code: "episode-ended" });
  expect((await episode.fork()).ending).toBe("failed");
  const listed = { id: "corridor-train-0", env: "openenv", seed: 0, goal: "", split: "train", data: { index: 0 } };
  await expect(env.open(listed)).rejects.toMatchObject({ code: "server-unreachable" });
});

test("with retries the episode goes on where it was when the server is back", async () => {
  const first = await served(createCorridor());
  const env = withRetry(await createOpenEnv({ url: first.url, ...FAST }), { attempts: 2 });
  const episode = await env.open(await firstTask(env));
  await episode.step("go east");
  await first.close();
  await served(createCorridor(), { port: first.port });
  expect(await episode.step("go east")).toMatchObject({ observation: "Room 3.", ending: undefined });
  await episode.close();
});

test("a full server is waited for", async () => {
  const server = await served(createCorridor(), { maxSessions: 1 });
  const env = await createOpenEnv({ url: server.url, attempts: 200, delayMs: 1 });
  const task = await firstTask(env);
  const held = await env.open(task);
  const waiting = env.open(task);
  const hasty = await createOpenEnv({ url: server.url, attempts: 2, delayMs: 1 });
  await expect(hasty.open(task)).rejects.toMatchObject({ code: "server-full" });
  await held.close();
  const next = await waiting;
  expect(next.observation).toBe("Room 1.");
  await next.close();
});

test("a server that is full of own episodes is waited for, however few attempts there are", async () => {
  const server = await served(createCorridor({ rooms: 3 }), { maxSessions: 1 });
  const env = await createOpenEnv({ url: server.url, attempts: 1, delayMs: 1 });
  const task = await firstTask(env);
  const play = async (): Promise<unknown> => {
    const episode = await env.open(task);
    await episode.step("go east");
    return (await episode.step("go east")).ending;
  };
  const endings = await Promise.all(Array.from({ length: 16 }, play));
  expect(endings).toEqual(Array.from({ length: 16 }, () => "terminated"));
});

test("a fork does not wait for the place that its original holds", async () => {
  const server = await served(createCorridor(), { maxSessions: 1 });
  const env = await createOpenEnv({ url: server.url, attempts: 2, delayMs: 1 });
  const episode = await env.open(await firstTask(env));
  await expect(episode.fork()).rejects.toMatchObject({ code: "server-full" });
  await episode.close();
});

test("a key is asked for, and a wrong one is told", async () => {
  const { url } = await served(createCorridor(), { key: "secret" });
  await expect(createOpenEnv({ url })).rejects.toMatchObject({ code: "needs-key" });
  const env = await createOpenEnv({ url, key: "secret", ...FAST });
  const episode = await env.open(await firstTask(env));
  expect(episode.observation).toBe("Room 1.");
  await episode.close();
});

test("addresses and options that cannot be are told before anything is sent", async () => {
  await expect(openenv.create({})).rejects.toMatchObject({ code: "bad-options" });
  await expect(openenv.create({ url: "file:///etc/passwd" })).rejects.toMatchObject({ code: "bad-option" });
  await expect(openenv.create({ url: "ws://127.0.0.1:1", timoutMs: 3 })).rejects.toThrow(/timoutMs/);
  await expect(openenv.create({ url: "ws://user:pw@127.0.0.1:1" })).rejects.toMatchObject({
    code: "server-unreachable",
    message: expect.not.stringContaining("pw"),
  });
});
