/**
 * Labels that the world itself gives: each episode is played again, and before and after every step its demonstrator
 * says how many steps it would still need. A step that brings the end nearer was right.
 *
 *   d = steps of the demonstrator to success, from a copy of the state; infinite where it does not get there in time
 *   right = 1 where d after the step is below d before it, or the step ends in success; otherwise 0
 *
 * The distance itself is kept beside it, as the reward "distance".
 */
import { createRng } from "limbeck-base/base/rng";
import { mapLimit } from "limbeck-base/base/concurrency";
import type { Demonstrator, Seen } from "limbeck-core/env/expert";
import type { Env, Episode } from "limbeck-core/env/env";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Reward, Trajectory } from "limbeck-base/trajectory/trajectory";

/** The name of the labels, and of the rewards that hold them. */
export const REPLAY = "replay";
/** Rewards with the steps that the demonstrator needs after each step; unscored where it does not get there in time. */
export const DISTANCE = "distance";

/**
 * Whole episodes with rewards "replay" and "distance" for every step; branches, and what does not play again as it was,
 * stay as they are.
 *
 * @example
 * import { getWorld } from "limbeck/env";
 * import { rollout } from "limbeck";
 *
 * const world = await getWorld("household");
 * const { expert } = world.demonstrators ?? {};
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1 });
 * if (expert === undefined) throw new Error("household has an expert");
 * const [labelled] = await withReplayLabels(trajectories, { env: await world.create({}), demonstrator: expert });
 * console.log(labelled?.rewards.find(({ name }) => name === "replay")?.score); // { kind: "scored", value: 1 }
 */
export async function withReplayLabels(
  trajectories: readonly Trajectory[],
  {
    env,
    demonstrator,
    signal,
  }: { readonly env: Env; readonly demonstrator: Demonstrator; readonly signal?: AbortSignal },
): Promise<readonly Trajectory[]> {
  return await mapLimit(
    trajectories,
    4,
    async (trajectory) => {
      if (trajectory.parent !== undefined || trajectory.ending === "failed") return trajectory;
      const distances = await replayed(trajectory, env, demonstrator);
      if (distances === undefined) return trajectory;
      const rewards = trajectory.steps.flatMap(({ index: step }, at): Reward[] => {
        const [before, after] = [distances[at] as number, distances[at + 1] as number];
        const own = Number.isFinite(after) ? scored(after) : unscored("the demonstrator does not get there in time");
        return [
          { name: REPLAY, source: "world", score: scored(after < before ? 1 : 0), step },
          { name: DISTANCE, source: "world", score: own, step },
        ];
      });
      return { ...trajectory, rewards: [...trajectory.rewards, ...rewards] };
    },
    signal === undefined ? {} : { signal },
  );
}

/** The distance at the start and after each step; undefined where the world shows something else than was recorded. */
async function replayed(
  { task, steps }: Trajectory,
  env: Env,
  demonstrator: Demonstrator,
): Promise<number[] | undefined> {
  const world = await env.open(task);
  try {
    const past: Seen[] = [{ action: undefined, observation: world.observation, admissible: world.admissible() }];
    const distances = [await distance(world, past, demonstrator)];
    for (const { action, observation } of steps) {
      if (world.ending !== undefined || world.observation !== observation) return undefined;
      await world.step(action);
      past.push({ action, observation: world.observation, admissible: world.admissible() });
      distances.push(world.ending === undefined ? await distance(world, past, demonstrator) : endDistance(world));
    }
    return distances;
  } finally {
    await world.close();
  }
}

function endDistance({ success }: Episode): number {
  return success === true ? 0 : Number.POSITIVE_INFINITY;
}

/** Steps that the demonstrator needs from here, in a copy. */
async function distance(world: Episode, past: readonly Seen[], demonstrator: Demonstrator): Promise<number> {
  const copy = await world.fork();
  try {
    const demonstration = demonstrator.start(world.task, createRng(`replay ${world.task.id}`));
    let action = "";
    for (const seen of past) action = demonstration.next(seen);
    let count = 0;
    while (copy.ending === undefined) {
      await copy.step(action);
      count += 1;
      if (copy.ending === undefined)
        action = demonstration.next({ action, observation: copy.observation, admissible: copy.admissible() });
    }
    return copy.success === true ? count : Number.POSITIVE_INFINITY;
  } catch {
    // A demonstrator that cannot go on from such a past.
    return Number.POSITIVE_INFINITY;
  } finally {
    await copy.close();
  }
}
