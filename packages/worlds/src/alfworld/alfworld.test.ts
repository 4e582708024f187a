import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scored } from "limbeck-base/trajectory/score";
import { envContract } from "limbeck-core/env/env.contract";
import { createAlfworld } from "./alfworld.ts";
import { alfworld } from "./index.ts";
import { tinyGame } from "../../../../test/support/tiny-game.ts";

const WIN = ["walk to red 2", "unlock red 1", "pick lamp 1 from red 2", "press lamp 1", "drop lamp 1 in red 1"];
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-alfworld-"));
  for (const [split, trial] of [
    ["train", "a"],
    ["train", "b"],
    ["valid", "c"],
  ] as const) {
    await writeGame(`games/${split}/pick_and_place_simple-Lamp/${trial}`, JSON.stringify(tinyGame()));
  }
  await writeGame("secret", JSON.stringify(tinyGame()));
  await writeGame("broken/train/x-Y/one", JSON.stringify(tinyGame({ pddl_domain: "(define (domain d) (:axiom))" })));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function writeGame(path: string, text: string): Promise<void> {
  await mkdir(join(folder, path), { recursive: true });
  await writeFile(join(folder, path, "game.tw-pddl"), text);
}

const open = () => createAlfworld({ root: join(folder, "games"), maxSteps: 9 });
const task = (game: string) => ({ id: "t", env: "alfworld", seed: 0, goal: "", split: "train", data: { game } });
const first = "train/pick_and_place_simple-Lamp/a/game.tw-pddl";

envContract({ name: "alfworld", env: open, runner: { describe, test } });

test("splits are folders, tasks carry goal, path and family", async () => {
  const env = await open();
  expect(env.splits).toEqual({ train: 2, valid: 1 });
  const tasks = [];
  for await (const each of env.tasks("train", { offset: 1 })) tasks.push(each);
  expect(tasks).toEqual([
    {
      id: "train/pick_and_place_simple-Lamp/b",
      env: "alfworld",
      seed: 0,
      goal: "light the lamp in the red box.",
      split: "train",
      data: { game: "train/pick_and_place_simple-Lamp/b/game.tw-pddl", family: "pick_and_place_simple" },
    },
  ]);
  expect(() => env.tasks("trian")).toThrow('Did you mean "train"?');
  const split = await createAlfworld({ root: join(folder, "games", "valid") });
  expect(split.splits).toEqual({ valid: 1 });
});

test("winning gives the reward once and ends the episode", async () => {
  const episode = await (await open()).open(task(first));
  const results = [];
  for (const action of WIN) results.push(await episode.step(action));
  expect(results.map(({ reward }) => reward)).toEqual([0, 0, 0, 0, 10].map(scored));
  expect(results.at(-1)).toMatchObject({ ending: "terminated", success: true });
  expect([episode.reward, episode.admissible()]).toEqual([scored(10), []]);
});

test("running out of steps is a cut without success; refused commands count as steps", async () => {
  const env = await createAlfworld({ games: [join(folder, "games", first)], maxSteps: 2, winReward: 1 });
  expect(env.splits).toEqual({ games: 1 });
  const episode = await env.open(task(join(folder, "games", first)));
  expect(await episode.step("dance")).toMatchObject({ valid: false, ending: undefined, success: null });
  expect(await episode.step("slam")).toMatchObject({ valid: true, ending: "truncated", success: false });
});

test.each(["../secret/game.tw-pddl", "train/../../secret/game.tw-pddl", "/etc/passwd", "link/game.tw-pddl", "a\0b"])(
  "a task cannot read outside the folder by %j",
  async (path) => {
    await symlink(join(folder, "secret"), join(folder, "games", "link")).catch(() => undefined);
    await expect((await open()).open(task(path))).rejects.toMatchObject({ code: "path-outside" });
  },
);

test("missing games, folders and paths are told by name", async () => {
  const env = await open();
  await expect(env.open(task("train/none/game.tw-pddl"))).rejects.toThrow('Cannot read the game "train/none');
  await expect(env.open({ ...task(first), data: {} })).rejects.toMatchObject({ code: "bad-task" });
  await expect(createAlfworld({ root: join(folder, "nowhere") })).rejects.toMatchObject({ code: "no-games" });
  await expect(createAlfworld({})).rejects.toMatchObject({ code: "bad-options" });
  const broken = await createAlfworld({ root: join(folder, "broken") });
  await expect(broken.open(task("train/x-Y/one/game.tw-pddl"))).rejects.toThrow(/":axiom".*File: "train\/x-Y\/one/);
});

test("options of a command line are checked", async () => {
  const env = await alfworld.create({ game: join(folder, "games", first), preset: "opid" });
  expect(env.maxSteps).toBe(30);
  await expect(alfworld.create({ root: folder, maxStep: 3 })).rejects.toThrow("maxStep");
});

test("a game that was dropped from memory is read again", async () => {
  const env = await createAlfworld({ root: join(folder, "games"), keptGames: 1 });
  const other = first.replace("/a/", "/b/");
  for (const path of [first, other, first]) expect((await env.open(task(path))).observation).toContain("Before you");
});
