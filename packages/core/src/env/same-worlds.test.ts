/**
 * The same seeds give the same worlds for ever: runs that are stored name their tasks by seed. Each figure is a hash over
 * task files, tasks, openings and whole games of the expert; a change of one word in a table or of one draw shows here.
 */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import type { Env } from "./env.ts";
import { getWorld } from "limbeck-worlds/index";
import { formerOptions } from "./named-world.ts";
import type { World, WorldOptions } from "./world.ts";

const TASKS = 3;

test.each<[id: string, options: WorldOptions, hash: string]>([
  ["archive", {}, "68ef00609799d996"],
  ["countdown", {}, "918d680b274ea397"],
  ["draft", {}, "c4a846cd0b7d30c3"],
  ["emit", {}, "0407f267cf6479bd"],
  ["household", { dial: "tiny" }, "b880f2239ceab7e0"],
  ["household", { dial: "official" }, "3f7a7476f237c1c6"],
  ["ledger", {}, "514ae5c69c52cf03"],
  ["research", {}, "1bf836cea649d0e9"],
  ["shop", {}, "fffe7152f8b57f58"],
  ["talk", {}, "c57dd3071258e10f"],
  ["tools", {}, "add508e466302a71"],
])("%s %j", async (id, options, hash) => {
  const world = await getWorld(id);
  // The figures are of the time before options that are not given were named.
  expect(await hashOf(id, world, await world.create(formerOptions(id, options)))).toBe(hash);
});

async function hashOf(id: string, world: World, env: Env): Promise<string> {
  const hash = createHash("sha256");
  for await (const file of world.generate?.({ seed: 1, count: 2, options: formerOptions(id, {}) }) ?? [])
    hash.update(JSON.stringify(file));
  for (const split of Object.keys(env.splits).sort()) {
    for await (const task of env.tasks(split, { count: TASKS })) {
      const [expert] = Object.values(world.demonstrators ?? {});
      const demonstration = expert?.start(task, createRng(0));
      const episode = await env.open(task);
      hash.update(JSON.stringify([task, episode.observation]));
      for (let action: string | undefined; episode.ending === undefined;) {
        const { observation } = episode;
        action = demonstration?.next({ action, observation, admissible: episode.admissible() });
        if (action === undefined) break;
        await episode.step(action);
        hash.update(JSON.stringify([action, episode.observation, episode.stateKey]));
      }
      await episode.close();
    }
  }
  return hash.digest("hex").slice(0, 16);
}
