/** An episode of the shop as its expert plays it. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { Env, Episode } from "../../packages/core/src/env/env.ts";
import { shop } from "../../packages/worlds/src/shop/index.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";

export const expert = shop.demonstrators!["expert"]!;

export async function errand(
  env: Env,
  task: Task,
): Promise<{ episode: Episode; actions: string[]; allValid: boolean }> {
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
