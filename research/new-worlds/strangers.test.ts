/** Small worlds of strangers: the contract, how many tasks there are, splits apart, and what agents that learnt nothing reach. */
import { describe, expect, test } from "vitest";
import { createRng, type Env, type Task } from "limbeck";
import { envContract } from "limbeck/testing";
import { baselinesOf, tasksOf } from "./baselines.ts";
import { strangers } from "./strangers.ts";

const HELD_OUT = 200;
const runner = { describe, test };

/** On 200 held-out tasks, from the seeds. */
const FIGURES: Readonly<Record<keyof typeof strangers, { blind: number; random: number; steps: number }>> = {
  tickets: { blind: 0.115, random: 0.03, steps: 5 },
  calendar: { blind: 0.1, random: 0.055, steps: 4 },
  form: { blind: 0, random: 0, steps: 6.4 },
  triage: { blind: 0.03, random: 0.025, steps: 4.535 },
  stock: { blind: 0, random: 0.01, steps: 5.905 },
};

/** All that is seen and done on the expert's way: tasks that are the same in substance have the same. */
async function wayOf(env: Env, task: Task, name: keyof typeof strangers): Promise<string> {
  const demonstration = strangers[name].demonstrators?.["expert"]?.start(task, createRng(1));
  const episode = await env.open(task);
  const way: string[] = [];
  while (episode.ending === undefined) {
    way.push(episode.observation, demonstration?.next({ action: way.at(-2), observation: episode.observation }) ?? "");
    await episode.step(way.at(-1) ?? "");
  }
  return way.join("\n");
}

for (const name of Object.keys(strangers) as (keyof typeof strangers)[]) {
  const { demonstrators } = strangers[name];
  const env = (): Promise<Env> => strangers[name].create();
  envContract({ name, env, demonstrators, runner, runs: 2 });

  describe(`${name} as a stranger's world`, () => {
    test("300 training and 200 held-out tasks differ, and none is met twice", async () => {
      const waysOf = async (split: string, count: number): Promise<ReadonlySet<string>> => {
        const opened = await env();
        return new Set(await Promise.all(tasksOf(opened, split, count).map((task) => wayOf(opened, task, name))));
      };
      const [train, valid, held] = [await waysOf("train", 400), await waysOf("valid", 128), await waysOf("test", 300)];
      expect(train.size).toBeGreaterThanOrEqual(300);
      expect(held.size).toBeGreaterThanOrEqual(HELD_OUT);
      expect([...held, ...valid].filter((way) => train.has(way))).toEqual([]);
      expect([...held].filter((way) => valid.has(way))).toEqual([]);
    });

    test("the expert wins every task, in four steps or more; what does not look or draws wins few", async () => {
      const { blind, random, expert, steps, fewest } = await baselinesOf(strangers[name], HELD_OUT);
      expect(expert).toBe(1);
      expect(fewest).toBeGreaterThanOrEqual(4);
      expect({ blind, random, steps }).toEqual(FIGURES[name]);
      expect(Math.max(blind, random)).toBeLessThanOrEqual(0.4);
    });
  });
}
