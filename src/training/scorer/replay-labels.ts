/**
 * Labels that the world itself gives: each episode is played again, and before and after every step its demonstrator
 * says how many steps it would still need. A step that brings the end nearer was right.
 *
 *   d = steps of the demonstrator to success, from a copy of the state; infinite where it does not get there in time
 *   right = 1 where d after the step is below d before it, or the step ends in success; otherwise 0
 */
import { createRng, mapLimit } from "../../base/index.ts";
import type { Demonstrator, Env, Episode, Seen } from "../../env/index.ts";
import { scored, type Reward, type Trajectory } from "../../trajectory/index.ts";

/** The name of the labels, and of the rewards that hold them. */
export const REPLAY = "replay";

/** Whole episodes with a reward "replay" for every step; branches, and what does not play again as it was, stay as they are. */
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
      const labels = await replayed(trajectory, env, demonstrator);
      if (labels === undefined) return trajectory;
      const rewards = trajectory.steps.map(({ index }, at): Reward => ({
        name: REPLAY,
        source: "world",
        score: scored(labels[at] as number),
        step: index,
      }));
      return { ...trajectory, rewards: [...trajectory.rewards, ...rewards] };
    },
    signal === undefined ? {} : { signal },
  );
}

/** One label for each step; undefined where the world shows something else than was recorded. */
async function replayed(
  { task, steps }: Trajectory,
  env: Env,
  demonstrator: Demonstrator,
): Promise<number[] | undefined> {
  const world = await env.open(task);
  try {
    const past: Seen[] = [{ action: undefined, observation: world.observation, admissible: world.admissible() }];
    let before = await distance(world, past, demonstrator);
    const labels: number[] = [];
    for (const { action, observation } of steps) {
      if (world.ending !== undefined || world.observation !== observation) return undefined;
      await world.step(action);
      past.push({ action, observation: world.observation, admissible: world.admissible() });
      const after = world.ending === undefined ? await distance(world, past, demonstrator) : endDistance(world);
      labels.push(after < before ? 1 : 0);
      before = after;
    }
    return labels;
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
