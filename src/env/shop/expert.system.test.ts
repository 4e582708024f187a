import { expect, test } from "vitest";
import { createRng } from "../../base/index.ts";
import type { Task } from "../../trajectory/index.ts";
import type { Env, Episode } from "../env.ts";
import { shop } from "./index.ts";

const expert = shop.demonstrators!["expert"]!;

async function errand(env: Env, task: Task): Promise<{ episode: Episode; actions: string[]; allValid: boolean }> {
  const episode = await env.open(task);
  const demonstration = expert.start(task, createRng(0));
  const actions: string[] = [];
  let allValid = true;
  while (episode.ending === undefined) {
    const seen = { action: actions.at(-1), observation: episode.observation, admissible: episode.admissible() };
    actions.push(demonstration.next(seen));
    allValid &&= (await episode.step(actions.at(-1)!)).valid;
  }
  return { episode, actions, allValid };
}

test("earns 1.0 on at least 99% of 2,000 generated goals, with no invalid action", async () => {
  const env = await shop.create({ seed: 11, preset: "webshop" });
  let won = 0;
  let count = 0;
  let invalid = 0;
  for (const task of env.tasks("train", { count: 2_000 }) as Iterable<Task>) {
    const { episode, allValid } = await errand(env, task);
    count += 1;
    won += episode.success === true ? 1 : 0;
    invalid += allValid ? 0 : 1;
  }
  expect({ count, invalid }).toEqual({ count: 2_000, invalid: 0 });
  expect(won).toBeGreaterThanOrEqual(1_980);
});
