/** Episodes to learn from: those of stored runs, or those that a policy plays now. */
import type { Context } from "limbeck-base/base/operation";
import { findRun } from "limbeck-store/store/find-run";
import { openStore } from "limbeck-store/store/open-store";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { GivenWorld } from "./given-parts.ts";
import { rollout, type RolloutOptions } from "./rollout.ts";

/** Every trajectory of these runs, one run after the other. */
export async function recordedEpisodes(root: string, runs: readonly string[]): Promise<readonly Trajectory[]> {
  const store = openStore(root);
  try {
    const found: Trajectory[] = [];
    for (const given of runs) {
      const { id: run } = await findRun(store, given);
      for await (const one of store.trajectories({ run })) found.push(one);
    }
    return found;
  } finally {
    await store.close();
  }
}

/** On training tasks where the world has some; a bar says how far it is. */
export async function playedEpisodes(
  { env }: GivenWorld,
  options: RolloutOptions & { readonly tasks: number; readonly group: number },
  { signal, progress }: Pick<Context, "signal" | "progress">,
  label: string,
): Promise<readonly Trajectory[]> {
  const bar = progress({ label, total: options.tasks * options.group });
  const split = Object.hasOwn(env.splits, "train") ? { split: "train" } : {};
  const onEvent: RolloutOptions["onEvent"] = ({ episodes }) => bar.update(episodes);
  try {
    return (await rollout({ env, ...split, ...options, signal, onEvent })).trajectories;
  } finally {
    bar.end();
  }
}
