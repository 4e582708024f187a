import { createRng } from "limbeck";
import { getWorld } from "limbeck/env";
import { expect, test } from "vitest";
import type { Lesson } from "../lesson.ts";
import { lessonsOf } from "./lessons.ts";
import { drawWay } from "./players.ts";
import { mistakenWorlds, type MistakenWorld } from "./worlds.ts";

const names = Object.keys(mistakenWorlds);

test.each(names)(
  "%s: what a player may do is listed, its shares add up to 1, and mistakes cost successes",
  async (name) => {
    const { players, options } = mistakenWorlds[name] as MistakenWorld;
    const world = await getWorld(name);
    const env = await world.create(options);
    const won = { careful: 0, careless: 0 };
    const sums: number[] = [];
    for (const who of ["careful", "careless"] as const) {
      for await (const task of env.tasks("train", { count: 40 })) {
        const rng = createRng(1).split(task.id);
        const mind = players(task, rng, world.demonstrators ?? {})[who];
        const episode = await env.open(task);
        let action: string | undefined;
        while (episode.ending === undefined) {
          const admissible = episode.admissible() ?? [];
          const ways = mind({ action, observation: episode.observation, admissible });
          expect([...ways.keys()].filter((way) => !admissible.includes(way))).toEqual([]);
          sums.push([...ways.values()].reduce((sum, weight) => sum + weight, 0));
          action = drawWay(ways, rng);
          await episode.step(action);
        }
        won[who] += Number(episode.success === true);
        await episode.close();
      }
    }
    expect(Math.max(...sums.map((sum) => Math.abs(sum - 1)))).toBeLessThan(1e-9);
    expect(won.careful).toBe(40);
    expect(won.careless).toBeGreaterThan(4);
    expect(won.careless).toBeLessThan(28);
  },
);

test.each(names)("%s: lessons are the same when they are made again, in any pieces", async (name) => {
  const made = async (count: number): Promise<Lesson[]> => {
    const lessons: Lesson[] = [];
    for await (const lesson of lessonsOf(name, 0, count)) lessons.push(lesson);
    return lessons;
  };
  const all = await made(40);
  expect(await made(40)).toEqual(all);
  expect(await made(4)).toEqual(all.slice(0, 4));
  // Nobody is told anything in talk.
  expect(new Set(all.map(({ kind }) => kind)).size > 1).toBe((mistakenWorlds[name]?.advised ?? 0) > 0);
});

test.each(names)("%s: of lessons in what is right only right decisions are learnt, and some slip", async (name) => {
  const learnt: boolean[] = [];
  for await (const { decisions } of lessonsOf(name, 0, 30, "right")) learnt.push(...decisions.map((one) => one.learnt));
  const slipped = learnt.filter((one) => !one).length / learnt.length;
  expect(slipped).toBeGreaterThan(0.02);
  expect(slipped).toBeLessThan(0.25);
});
