import { expect, test } from "vitest";
import { errand, expert } from "../../../../test/support/shop-errand.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Episode } from "limbeck-core/env/env";
import { hint, type Seen } from "limbeck-core/env/expert";
import { shop } from "./index.ts";
import { mentionedValue, readInstruction, readPage } from "./reading.ts";

test.each([
  ["opid", 10],
  ["brief", 1],
])("reads the %s form of the pages just as well", async (preset, perfect) => {
  const env = await shop.create({ seed: 12, preset });
  const episodes: Episode[] = [];
  for (const task of env.tasks("test", { count: 100 }) as Iterable<Task>)
    episodes.push((await errand(env, task)).episode);
  expect(
    episodes.filter(({ reward }) => reward.kind === "scored" && reward.value === perfect).length,
  ).toBeGreaterThanOrEqual(97);
});

test("goes on from a past in which somebody else acted", async () => {
  const env = await shop.create({ seed: 11, preset: "webshop" });
  const [task] = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const episode = await env.open(task!);
  const past: Seen[] = [{ action: undefined, observation: episode.observation, admissible: episode.admissible() }];
  for (const action of ["click[nonsense]", "search[shoes]", "click[back to search]"]) {
    await episode.step(action);
    past.push({ action, observation: episode.observation, admissible: episode.admissible() });
  }
  for (;;) {
    const action = hint(expert, task!, past, createRng(0))!;
    await episode.step(action);
    if (episode.ending !== undefined) break;
    past.push({ action, observation: episode.observation, admissible: episode.admissible() });
  }
  expect(episode.ending).toBe("terminated");
});

test("reads an instruction into attributes, words and a price", () => {
  const text =
    "Get me slip resistant, arch support running shoes with color: navy blue, and size: 6.5, and price lower than 80.00 dollars";
  const wishes = readInstruction(text, ["slip resistant", "arch support", "resistant", "memory foam"]);
  expect(wishes).toMatchObject({ attributes: ["slip resistant", "arch support"], priceCap: 80 });
  expect(wishes.words).toEqual(["running", "shoes", "color", "navy", "blue", "size", "6.5"]);
  expect(readInstruction("i want tea", []).priceCap).toBe(Number.POSITIVE_INFINITY);
});

test("finds the value asked for and not one that is part of it", () => {
  expect(mentionedValue("size: 6.5, and |", { name: "size", values: ["5", "6", "6.5"] })).toBe("6.5");
  expect(mentionedValue("in x-large please", { name: "size", values: ["large", "x-large"] })).toBe("x-large");
  expect(mentionedValue("in x-large please", { name: "size", values: ["large", "small"] })).toBeUndefined();
  expect(mentionedValue("color: red, and heel: black", { name: "heel", values: ["red", "black"] })).toBe("black");
});

test("text that is no page at all does no harm", () => {
  expect(readPage("", () => true)).toEqual({ kind: "text", text: "" });
  expect(readPage("Buy Now", () => false)).toEqual({ kind: "item", title: "", options: [] });
});
