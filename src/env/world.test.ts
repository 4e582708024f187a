import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { createRng } from "../base/index.ts";
import type { Env, Episode } from "./env.ts";
import { hint, type Demonstrator, type Seen } from "./expert.ts";
import { envs, getWorld } from "./index.ts";
import { withDemonstrators, type World } from "./world.ts";

const root = resolve(import.meta.dirname, "../../../shared/data/alfworld");

const echo: Demonstrator = {
  id: "echo",
  summary: "Names the last action it saw.",
  start: () => ({ next: ({ action }) => `after ${action ?? "nothing"}` }),
};
const bare: World = {
  info: { title: "", meaning: "" },
  options: {},
  create: () => Promise.reject(new Error("not built")),
};

test("a wrong id names the nearest world", async () => {
  await expect(getWorld("alfwrld")).rejects.toThrow('Did you mean "alfworld"?');
});

test.each(Object.keys(envs))("%s says what it is and which options it takes", async (id) => {
  const world = await getWorld(id);
  expect(world.info.meaning).toMatch(/\.$/);
  expect(Object.values(world.options).every(({ meaning }) => meaning.length > 0)).toBe(true);
  for (const [name, { id: own, summary }] of Object.entries(world.demonstrators ?? {})) {
    expect([name, summary.length > 0]).toEqual([own, true]);
  }
});

test("demonstrators are taken over where there are any", () => {
  expect(withDemonstrators(bare, bare).demonstrators).toBeUndefined();
  expect(withDemonstrators(bare, { ...bare, demonstrators: { echo } }).demonstrators).toEqual({ echo });
});

test("a hint knows all that was seen, whoever acted", () => {
  const task = { id: "t", env: "e", seed: 0, goal: "", split: "train" };
  const past: Seen[] = [
    { action: undefined, observation: "a" },
    { action: "go", observation: "b" },
  ];
  expect(hint(echo, task, past, createRng(0))).toBe("after go");
  expect(hint(echo, task, past.slice(0, 1), createRng(0))).toBe("after nothing");
  expect(hint(echo, task, [], createRng(0))).toBeUndefined();
});

test.skipIf(!existsSync(root))(
  "household's expert solves all 140 official games (needs ../shared/data/alfworld)",
  async () => {
    const world = await getWorld("alfworld");
    const env = await world.create({ root });
    let [solved, games] = [0, 0];
    for await (const task of env.tasks("valid_seen")) {
      const demonstration = world.demonstrators!["expert"]!.start(task, createRng(0));
      games += 1;
      solved += (await follow(env, await env.open(task), (seen) => demonstration.next(seen))) ? 1 : 0;
    }
    expect({ solved, games }).toEqual({ solved: 140, games: 140 });
  },
);

async function follow(env: Env, episode: Episode, next: (seen: Seen) => string): Promise<boolean> {
  let action: string | undefined;
  for (let step = 0; step < env.maxSteps && episode.ending === undefined; step += 1) {
    action = next({ action, observation: episode.observation, admissible: episode.admissible() });
    await episode.step(action);
  }
  return episode.success === true;
}
