import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { limbeck, type Ran } from "../../../../test/support/fake-io.ts";
import { startChild } from "../../../../test/support/kill-children.ts";
import { collect } from "../../../../test/support/stores.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { createRng } from "limbeck-base/base/rng";
import { openStore } from "limbeck-store/store/open-store";
import { trajectoryToJson } from "limbeck-base/trajectory/schema";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

const newFolder = temporaryFolders();
const program = builtChild("kill-rollout");
let folder = "";
beforeAll(async () => {
  folder = await newFolder();
});

const WORLD = ["--env", "household", "--env-set", "dial=tiny", "--policy", "bundled", "--threads", "1"];
const SIZES = ["--count", "3", "--group", "2", "--max-steps", "5", "--set", "tick=1", "--set", "target=0.3"];
const partial = (run: string): string[] => ["rollout", ...WORLD, "--strategy", "partial", ...SIZES, "--run", run];
const roll = (words: readonly string[]): Promise<Ran> => limbeck([...words, "--json"], { cwd: folder });
const endOf = (ran: Ran): Record<string, unknown> => ran.objects().find(({ event }) => event === "end") ?? {};

interface End {
  readonly trajectories: number;
  readonly spent: { readonly sampledTokens: number };
  readonly kept: { readonly groups: number; readonly tokens: number };
}

async function storedIn(run: string): Promise<Trajectory[]> {
  const store = openStore(join(folder, "runs"));
  try {
    return await collect(store.trajectories({ run }));
  } finally {
    await store.close();
  }
}

const sampledIn = ({ streams }: Trajectory): number =>
  streams.reduce((total, { mask }) => total + mask.reduce((sum, on) => sum + on, 0), 0);

test("partial twice in a row: what is sampled is stored or kept, and each episode is stored once", async () => {
  let sampled = 0;
  const kept: number[] = [];
  for (const more of [[], ["--resume"], ["--resume", "--offset", "3"]]) {
    const ran = await roll([...partial("twice"), ...more]);
    expect([ran.code, ran.err]).toEqual([0, ""]);
    const { spent, kept: now } = endOf(ran) as unknown as End;
    sampled += spent.sampledTokens;
    kept.push(now.groups);
    const stored = await storedIn("twice");
    expect(stored.reduce((total, one) => total + sampledIn(one), 0) + now.tokens).toBe(sampled);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
    // Whole groups only: two episodes each.
    for (const { group } of stored) expect(stored.filter((one) => one.group === group)).toHaveLength(2);
  }
  // The test has seen groups that were kept and went on.
  expect(kept[0]).toBeGreaterThan(0);
  const resumed = (await storedIn("twice")).filter(({ info }) =>
    Object.hasOwn((info?.["partial"] ?? {}) as object, "resumed"),
  );
  expect(resumed.length).toBeGreaterThan(0);
});

test("a person is told what is kept and how to go on with it", async () => {
  const { out } = await limbeck(partial("told"), { cwd: folder });
  expect(out).toMatch(/\d groups?, \d+ tokens kept for the next rollout; --run told --resume goes on with them/);
});

test("a rollout that is killed leaves the run as it was, and the next one does what it would have done", async () => {
  const ROLLOUTS = 2;
  for (let number = 1; number <= ROLLOUTS; number += 1) await roll([...partial("whole"), "--resume"]);
  const store = openStore(join(folder, "runs"));
  const reached = async (): Promise<number> =>
    ((await store.stateOf("killed").catch(() => undefined))?.["rollouts"] as number | undefined) ?? 0;
  const rng = createRng("killed rollouts");
  let killed = 0;
  for (let life = 0; (await reached()) < ROLLOUTS; life += 1) {
    const child = startChild(program(), [...partial("killed"), "--resume", "--json", "--store", join(folder, "runs")]);
    // The first line comes when an episode waits to be committed: it dies there, or at some moment of the commit.
    const delayMs = life === 0 ? 0 : rng.float() * 60;
    if (life < 3) child.lines.once("line", () => setTimeout(() => child.process.kill("SIGKILL"), delayMs));
    if ((await child.ended) === "SIGKILL") killed += 1;
    expect(child.errors.join("")).toBe("");
  }
  expect(killed).toBeGreaterThan(0);
  await store.close();
  const timeless = (one: Trajectory): unknown => {
    const { timing: _timing, steps, ...rest } = trajectoryToJson(one);
    return { ...rest, steps: steps.map(({ timing: _own, ...step }) => step) };
  };
  expect((await storedIn("killed")).map(timeless)).toEqual((await storedIn("whole")).map(timeless));
}, 240_000);

test("a strategy that remembers nothing gets a second rollout of other names, too", async () => {
  const words = [
    "rollout",
    ...WORLD.slice(0, 4),
    "--policy",
    "expert",
    "--count",
    "2",
    "--group",
    "1",
    "--run",
    "more",
  ];
  expect((await roll(words)).code).toBe(0);
  const refused = await roll(words);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("Or go on with it: --resume.")]);
  expect((await roll([...words, "--resume"])).code).toBe(0);
  expect((await storedIn("more")).map(({ id }) => id.startsWith("2/"))).toEqual([false, false, true, true]);
  // A rollout that stores nothing leaves the run alone.
  expect((await roll([...words, "--resume", "--limit", "envSteps=0"])).code).toBe(0);
  expect(await storedIn("more")).toHaveLength(4);
});

test.each([
  [["--set", "tick=6"], "options.tick was 1 and is 6"],
  [["--max-tokens", "20"], "speech.answerTokens was"],
  [["--env-set", "dial=small"], 'envOptions.dial was \\"tiny\\" and is \\"small\\"'],
])("a run that was begun otherwise is refused: %j", async (more, message) => {
  await roll(partial("other"));
  const before = await storedIn("other");
  const { code, err } = await roll([...partial("other"), "--resume", ...more]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(await storedIn("other")).toHaveLength(before.length);
});

test("another strategy, and another kind of run, are refused", async () => {
  const group = ["rollout", ...WORLD, "--count", "1", "--group", "1", "--max-steps", "1", "--run", "groups"];
  await roll(group);
  const { code, err } = await roll([...group, "--strategy", "archive", "--resume"]);
  expect([code, err]).toEqual([2, expect.stringContaining('strategy was \\"group\\" and is \\"archive\\"')]);
  await limbeck(["eval", ...WORLD, "--tasks", "1", "--max-steps", "1", "--into", "evaluated"], { cwd: folder });
  const other = await roll([...group, "--run", "evaluated", "--resume"]);
  expect([other.code, other.err]).toEqual([2, expect.stringContaining("is of the kind")]);
});

test("other weights under the same name are refused", async () => {
  const model = join(folder, "model");
  const words = ["rollout", "--env", "countdown", "--policy", "model", "--threads", "1", "--strategy", "partial"];
  const small = [...words, "--count", "1", "--group", "1", "--max-tokens", "4", "--run", "weights", "--resume"];
  await writeTinyModel(model, 1, 1_024);
  expect((await roll(small)).code).toBe(0);
  expect((await roll(small)).code).toBe(0);
  await rm(model, { recursive: true });
  await writeTinyModel(model, 2, 1_024);
  const { code, err } = await roll(small);
  expect([code, err]).toEqual([2, expect.stringContaining("policy.weights was")]);
});

test("--resume without a name is a usage error", async () => {
  const { code, err } = await roll(["rollout", ...WORLD, "--strategy", "partial", "--resume"]);
  expect([code, err]).toEqual([2, expect.stringContaining("name it by --run or --dir")]);
});
