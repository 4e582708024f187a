/** The worlds that were made for studies of graded rewards: their contract, their splits, and what they judge apart. */
import { describe, expect, test } from "vitest";
import { createRng, type Task, type Env } from "limbeck";
import type { Demonstrator, World } from "limbeck/env";
import { envContract } from "limbeck/testing";
import cards from "./cards.ts";
import retouch from "./retouch.ts";
import tracks from "./tracks.ts";

const runner = { describe, test };
const worlds: Readonly<Record<string, readonly [World, () => Promise<Env>]>> = {
  cards: [cards, () => cards.create()],
  retouch: [retouch, () => retouch.create()],
  "retouch, one object": [retouch, () => retouch.create({ reply: "object" })],
  tracks: [tracks, () => tracks.create()],
};

for (const [name, [{ demonstrators }, env]] of Object.entries(worlds)) {
  envContract({ name, env, demonstrators, runner, runs: 2 });
}

const tasksOf = (env: Env, split: string, count: number): readonly Task[] => [
  ...(env.tasks(split, { count }) as Iterable<Task>),
];

/** What the world judges apart where it is told these things one after the other. */
async function told(env: Env, task: Task, actions: readonly string[]) {
  const episode = await env.open(task);
  const results = [];
  for (const action of actions) results.push(await episode.step(action));
  return results.at(-1);
}

async function plays(world: World, name: string, options = {}): Promise<number[]> {
  const env = await world.create(options);
  const demonstrator = world.demonstrators?.[name] as Demonstrator;
  return await Promise.all(
    tasksOf(env, "test", 30).map(async (task) => {
      const demonstration = demonstrator.start(task, createRng(task.seed ?? 0));
      const episode = await env.open(task);
      let rounds = 0;
      for (let seen = { action: undefined as string | undefined, observation: task.goal }; ;) {
        const action = demonstration.next(seen);
        const { ending, observation, success } = await episode.step(action);
        rounds += 1;
        seen = { action, observation };
        if (ending !== undefined) return success === true ? rounds : 0;
      }
    }),
  );
}

test("no request and no track is in two splits", async () => {
  for (const env of [await retouch.create(), await retouch.create({ reply: "object" }), await tracks.create()]) {
    const shown = ["train", "valid", "test"].map(
      (split) => new Set(tasksOf(env, split, 400).map(({ goal }) => goal.replace(/ then next.*/, ""))),
    );
    const all = shown.flatMap((goals) => [...goals]);
    expect(new Set(all).size).toBe(all.length);
  }
});

test("experts always succeed: with a reply, with two rounds, or one card at a time with up to four", async () => {
  expect(await plays(retouch, "expert")).toEqual(Array.from({ length: 30 }, () => 1));
  expect(await plays(retouch, "expert", { reply: "object" })).toEqual(Array.from({ length: 30 }, () => 1));
  expect(await plays(tracks, "expert")).toEqual(Array.from({ length: 30 }, () => 1));
  expect(await plays(cards, "expert")).toEqual(Array.from({ length: 30 }, () => 2));
  expect(new Set(await plays(cards, "one by one"))).toEqual(new Set([2, 3, 4]));
});

test("retouch judges tools and arguments apart: an argument of the wrong tool is not right", async () => {
  const env = await retouch.create();
  const [task] = tasksOf(env, "train", 1) as [Task];
  const right = retouch.demonstrators?.["expert"]
    ?.start(task, createRng(1))
    .next({ action: undefined, observation: "" });
  const [first, second] = JSON.parse(right ?? "") as { name: string; arguments: { at: string; by: number } }[];
  const other = { ...second, name: "crop" };
  const off = { ...first, arguments: { ...first?.arguments, by: 9 } };
  const said = await told(env, task, [JSON.stringify([off, other])]);
  expect(said?.info?.["parts"]).toEqual({ tools: 0.5, arguments: 0.25, read: 1 });
  expect(said?.success).toBe(false);
});

test("tracks judges the tag and the place apart", async () => {
  const env = await tracks.create();
  const [task] = tasksOf(env, "train", 1) as [Task];
  const right = tracks.demonstrators?.["expert"]
    ?.start(task, createRng(1))
    .next({ action: undefined, observation: "" });
  const said = await told(env, task, [`${right?.replace(/speed="\d"/, 'speed="7"')}`]);
  expect(said?.info?.["parts"]).toEqual({ next: 1, tag: 0 });
});

test("cards: a round shows what it asks for, and more than three cards at once are refused", async () => {
  const env = await cards.create();
  const [task] = tasksOf(env, "train", 1) as [Task];
  const all = await told(env, task, ["look A B C"]);
  expect(all?.observation).toMatch(/^A \d, B \d, C \d\.$/);
  expect((await told(env, task, ["look A B C D"]))?.valid).toBe(false);
});
