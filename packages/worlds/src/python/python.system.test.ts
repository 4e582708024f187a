import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { scored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { envContract } from "limbeck-core/env/env.contract";
import type { Env, Episode } from "limbeck-core/env/env";
import { checkStoredOptions } from "limbeck-core/env/stored-options";
import type { WorldOptions } from "limbeck-core/env/world";
import { python } from "./index.ts";

const missing = spawnSync("python3", ["--version"]).status !== 0;
const NEEDS = missing ? " (needs python3)" : "";
const support = (name: string): string => fileURLToPath(new URL(`../../../../test/support/${name}`, import.meta.url));
const CORRIDOR = support("corridor_world.py");

const corridor = (options: WorldOptions = {}): Promise<Env> => python.create({ module: CORRIDOR, ...options });

async function firstOf(env: Env, split = "train"): Promise<Episode> {
  const [task] = [...(env.tasks(split, { count: 1 }) as Iterable<Task>)];
  return await env.open(task!);
}

describe.skipIf(missing)(`a Python world${NEEDS}`, () => {
  test("its texts, lists, rewards and success come over", async () => {
    const episode = await firstOf(await corridor({ arguments: { rooms: 3 } }));
    expect(episode.observation).toMatch(/^Room 1\. The goal is (?:red|blue|green)\.$/);
    expect(episode.admissible()).toEqual(["go east"]);
    expect(await episode.step("fly")).toMatchObject({ valid: false, reward: scored(0), ending: undefined });
    expect(await episode.step("go east")).toMatchObject({ valid: true, success: null });
    expect(episode.observation).toMatch(/^Room 2\./);
    expect(await episode.step("go east")).toMatchObject({ ending: "terminated", reward: scored(1), success: true });
    expect([episode.admissible(), episode.reward]).toEqual([[], scored(1)]);
  });

  test("splits are seeds that share none, and a world draws from its seed", async () => {
    const env = await corridor({ tasks: 8 });
    const seeds = Object.keys(env.splits).flatMap((split) =>
      [...(env.tasks(split) as Iterable<Task>)].map(({ seed }) => seed),
    );
    expect([seeds.length, new Set(seeds).size]).toEqual([24, 24]);
    const texts: string[] = [];
    for (const task of env.tasks("train") as Iterable<Task>) texts.push((await env.open(task)).observation);
    expect(new Set(texts).size).toBeGreaterThan(1);
  });

  test("numbers as actions, four values, no list of success: what is refused changes nothing", async () => {
    const episode = await firstOf(await corridor({ entry: "Lights", successAt: 1 }));
    expect([episode.observation, episode.admissible()]).toEqual(['{"on": []}', ["0", "1", "2"]]);
    expect((await episode.step("3")).valid).toBe(false);
    expect((await episode.step("2")).observation).toBe('{"on": [2]}');
    expect(await episode.step("0")).toMatchObject({
      observation: '{"on": [2, 0]}',
      success: true,
      reward: scored(0.5),
    });
    expect(episode.reward).toEqual(scored(1));
  });

  test("an episode that is too long is cut off", async () => {
    const episode = await firstOf(await corridor({ maxSteps: 1 }));
    expect(await episode.step("go east")).toMatchObject({ ending: "truncated", success: false });
  });

  test("a verifiers environment: rows by split, turns, and its rubric at the end", async () => {
    const env = await python.create({ module: support("verifiers_world.py"), successAt: 1 });
    expect(env.splits).toEqual({ train: 3, valid: 1 });
    const episode = await firstOf(env);
    expect(episode.observation).toBe("What is 0 plus 1?");
    expect(await episode.step("1")).toMatchObject({ observation: "You said 1. Are you sure?", reward: scored(0) });
    const fork = await episode.fork();
    expect(await episode.step("1")).toMatchObject({ ending: "terminated", reward: scored(1), success: true });
    expect(await fork.step("2")).toMatchObject({ reward: scored(0.25), success: false });
  });

  envContract({
    name: "python",
    env: () => corridor({ maxSteps: 8 }),
    runner: { describe, test },
    runs: 4,
    maxActions: 6,
  });
});

describe.skipIf(missing)(`what goes wrong in it${NEEDS}`, () => {
  const stepped = async (broken: string, options: WorldOptions = {}): Promise<[Env, Episode]> => {
    const env = await corridor({ arguments: { broken }, ...options });
    const episode = await firstOf(env);
    await episode.step("go east");
    return [env, episode];
  };
  test("an exception is told with its line; the episode is lost, not a 0, and others go on", async () => {
    const [env, episode] = await stepped("raises");
    expect([episode.ending, episode.reward.kind, episode.success]).toEqual(["failed", "unscored", null]);
    expect(episode.failure?.message).toMatch(/ValueError: the floor gave way \(.*corridor_world\.py, line \d+\)/);
    expect((await firstOf(env)).ending).toBeUndefined();
  });
  test("sys.exit is an exception as any other", async () => {
    const [, episode] = await stepped("exits");
    expect(episode.failure?.message).toContain("SystemExit: 3");
  });
  test("a process that dies is told with its last words, and the next episode has a new one", async () => {
    const [env, episode] = await stepped("dies");
    expect(episode.failure).toMatchObject({ code: "server-lost", message: expect.stringContaining("out of memory") });
    expect((await firstOf(env)).observation).toContain("Room 1.");
  });
  test("a hang meets the time-out", async () => {
    const [env, episode] = await stepped("hangs", { timeoutMs: 2_000 });
    expect(episode.failure).toMatchObject({ code: "timeout", message: expect.stringContaining("2000 ms") });
    expect((await firstOf(env)).observation).toContain("Room 1.");
  });
  test("a world that does not follow from its seed is caught at the copy", async () => {
    const env = await corridor({ arguments: { broken: "random" } });
    const episode = await firstOf(env);
    await episode.step("go east");
    await expect(episode.fork()).rejects.toMatchObject({ code: "fork-diverged" });
    const careful = await firstOf(await corridor({ replayable: false }));
    await expect(careful.fork()).rejects.toMatchObject({ code: "cannot-fork" });
  });
});

describe.skipIf(missing)(`what cannot be loaded is named${NEEDS}`, () => {
  test("no module, a wrong one, no maker, no world, a wrong argument", async () => {
    await expect(python.create()).rejects.toThrow("module=./world.py");
    await expect(python.create({ module: "no_such_module_here" })).rejects.toThrow("no_such_module_here");
    await expect(corridor({ entry: "Nothing" })).rejects.toThrow("it has: Corridor, Lights, make, not_a_world");
    const env = await corridor({ entry: "not_a_world" });
    await expect(firstOf(env)).rejects.toThrow("what not_a_world makes has no reset()");
    await expect(firstOf(await corridor({ arguments: { floors: 2 } }))).rejects.toThrow("floors");
  });
  test("a Python that is not there", async () => {
    await expect(corridor({ python: "no-such-python" })).rejects.toThrow("name another with python=PROGRAM");
  });
});

test("a module that stands in a stored run is not loaded without a word", () => {
  const stored = { id: "python", world: python, source: 'The run "a"', allowed: {}, command: "limbeck studio" };
  expect(() => checkStoredOptions({ ...stored, options: { module: "os" } })).toThrow("--allow-commands");
  expect(() => checkStoredOptions({ ...stored, options: { python: "rm" } })).toThrow('"rm"');
  expect(() => checkStoredOptions({ ...stored, options: { module: "os" }, allowed: { commands: true } })).not.toThrow();
});
