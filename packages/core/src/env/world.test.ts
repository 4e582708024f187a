import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { hint, type Demonstrator, type Seen } from "./expert.ts";
import { envs, getWorld } from "limbeck-worlds/index";
import { withDemonstrators, type World } from "./world.ts";

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
