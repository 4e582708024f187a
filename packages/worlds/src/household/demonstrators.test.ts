import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env } from "limbeck-core/env/env";
import type { Demonstrator } from "limbeck-core/env/expert";
import { demonstrate, createWanderer, expert, guesser, withNoise } from "./demonstrators.ts";
import type { DialName } from "./dial.ts";
import { createHousehold } from "./household.ts";
import { splitIds } from "./generate.ts";

async function successes(env: Env, split: string, count: number, demonstrator: Demonstrator): Promise<Task[]> {
  const solved: Task[] = [];
  for (const task of env.tasks(split, { count }) as Iterable<Task>) {
    const { success } = await demonstrate(await env.open(task), demonstrator, createRng(task.id));
    if (success === true) solved.push(task);
  }
  return solved;
}

function share(solved: readonly Task[], family: string, games: number): number {
  return solved.filter((task) => task.data?.["family"] === family).length / games;
}

// Of six families in turn. Nightly 3 splits x (90 + 90 + 60 + 48) = 864 games, and 308 more below; the bench plays 10,000.
describe.each<[DialName, number]>([
  ["tiny", tries(12, 90)],
  ["small", tries(12, 90)],
  ["medium", tries(12, 60)],
  ["official", tries(6, 48)],
])("on the dial %s", (dial, count) => {
  test.each(splitIds)("the expert solves every game of %s within the horizon", async (split) => {
    const solved = await successes(createHousehold({ dial }), split, count, expert);
    expect(solved.length).toBe(count);
  });
});

test("the expert needs no list of accepted commands, nor the list's order", async () => {
  const env = createHousehold({ dial: "small" });
  const blind: Demonstrator = {
    ...expert,
    start: (task, rng) => {
      const inner = expert.start(task, rng);
      return { next: ({ action, observation }) => inner.next({ action, observation }) };
    },
  };
  const games = tries(12, 60);
  expect((await successes(env, "train", games, blind)).length).toBe(games);
});

test("a shorter horizon than the dial's own is kept to as well", async () => {
  const env = createHousehold({ dial: "official", horizon: 30 });
  const games = tries(12, 48);
  expect((await successes(env, "train", games, expert)).length).toBe(games);
});

test("weak demonstrators fail as they should", async () => {
  const env = createHousehold({ dial: "small" });
  const games = tries(10, 25);
  const wandered = await successes(env, "train", 6 * games, createWanderer());
  const guessed = await successes(env, "train", 6 * games, guesser);
  // The guesser fails only where an appliance or a lamp is needed: it picks one of about three, and half of the lamps.
  expect(share(guessed, "pick_and_place_simple", games)).toBe(1);
  expect(share(guessed, "pick_two_obj_and_place", games)).toBe(1);
  for (const family of [
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
  ]) {
    expect(share(guessed, family, games)).toBeGreaterThan(0.1);
    expect(share(guessed, family, games)).toBeLessThan(0.7);
  }
  expect(share(guessed, "look_at_obj_in_light", games)).toBeLessThan(0.8);
  expect(wandered.length / (6 * games)).toBeGreaterThan(0.3);
  expect(wandered.length / (6 * games)).toBeLessThan(0.9);
});

test.each([expert, createWanderer(), guesser, withNoise(expert, 0.3)])(
  "$id is deterministic from its seed",
  async (who) => {
    const env = createHousehold({ dial: "small" });
    const [task] = [...(env.tasks("train", { offset: 5, count: 1 }) as Iterable<Task>)] as [Task];
    const play = async () => (await demonstrate(await env.open(task), who, createRng("same"))).actions;
    expect(await play()).toEqual(await play());
  },
);

test("the expert recovers from slips", async () => {
  const env = createHousehold({ dial: "medium" });
  const games = tries(20, 60);
  const solved = await successes(env, "train", games, withNoise(expert, 0.2));
  expect(solved.length).toBeGreaterThanOrEqual(0.95 * games);
});

test("noise outside 0 to 1 is refused", () => {
  expect(() => withNoise(expert, 1.5)).toThrow(/noise share of 1\.5/);
});
