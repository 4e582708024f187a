import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import type { Env, Episode } from "./env.ts";
import type { Seen } from "./expert.ts";
import { getWorld } from "limbeck-worlds/index";

const root = resolve(import.meta.dirname, "../../../../../shared/data/alfworld");

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
