/** The world as an agent left it, to ask it things: it is played again from its task, and every question has a copy of its own. */
import { closeWorld, isInternal, ReplayDiverged } from "limbeck-core/walk/worlds";
import type { Env, Episode } from "limbeck-core/env/env";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { GraderTools } from "./grader.ts";

export interface Prober extends Pick<GraderTools, "probe"> {
  readonly close: () => Promise<void>;
}

/**
 * Worlds are deterministic from their task, so that stored episodes can be asked as well; each step is compared with what was
 * recorded. Where the last step ended the world, it is the world before that step: an ended world takes no action.
 */
export function proberOf(env: Env, trajectory: Trajectory, signal?: AbortSignal): Prober {
  const given = signal === undefined ? {} : { signal };
  let replayed: Promise<Episode> | undefined;
  return {
    probe: async (action) => {
      const world = await (replayed ??= replay(env, trajectory, given));
      const copy = await world.fork();
      try {
        return (await copy.step(action, given)).observation;
      } finally {
        await closeWorld(copy);
      }
    },
    // A replay that failed has closed what it opened; its error reached the one who asked.
    close: async () => await closeWorld(await replayed?.catch(() => undefined)),
  };
}

async function replay(
  env: Env,
  { task, steps }: Trajectory,
  given: { readonly signal?: AbortSignal },
): Promise<Episode> {
  const taken = steps.filter((step) => !isInternal(step));
  let world = await env.open(task, given);
  let before: Episode | undefined;
  try {
    for (const [at, { observation, stateKey, action }] of taken.entries()) {
      // What an agent was shown after an answer of its own is not what the world says.
      const isShown = isInternal(steps[steps.indexOf(taken[at] as never) - 1]) || world.observation === observation;
      if (!isShown || world.stateKey !== stateKey) throw new ReplayDiverged(task, at, taken.length);
      if (at === taken.length - 1) before = await world.fork();
      await world.step(action, given);
    }
    if (before !== undefined && world.ending !== undefined) [world, before] = [before, world];
    return world;
  } catch (error) {
    await closeWorld(world);
    throw error;
  } finally {
    await closeWorld(before);
  }
}
