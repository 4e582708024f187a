/** Plays episodes on with actions drawn evenly from those the world accepts; no model is asked. */
import { createRng, EngineError, mapLimit, pick, type Rng } from "../../base/index.ts";
import type { Episode } from "../../env/index.ts";
import { scoreValue } from "../../trajectory/index.ts";
import type { PlayedOn } from "./play-on.ts";
import type { Point } from "./worlds-at.ts";
import type { UpdateContext } from "../context.ts";
import { seedOf } from "./provider.ts";
import { withWorlds } from "./worlds-at.ts";

const AT_ONCE = 16;

export async function playRandomly(
  points: readonly Point[],
  count: number,
  update: UpdateContext,
): Promise<PlayedOn[][]> {
  return await withWorlds(points, update, (worlds) =>
    mapLimit(points, AT_ONCE, async ({ place }, at) => {
      const world = worlds[at];
      if (world === undefined) return [];
      const rng = createRng(`${seedOf(update)} random ${place.trajectory.id} ${place.step.index}`);
      const played: PlayedOn[] = [];
      for (let number = 0; number < count; number += 1) played.push(await toTheEnd(world, rng.split(number), update));
      return played;
    }),
  );
}

async function toTheEnd(from: Episode, rng: Rng, { env, signal }: UpdateContext): Promise<PlayedOn> {
  const world = await from.fork();
  const rewards: number[] = [];
  try {
    while (world.ending === undefined) {
      const action = pick(world.admissible() ?? [], rng);
      if (action === undefined) {
        throw new EngineError(
          "needs-unmet",
          `The world "${env.id}" does not list its actions, so nobody can play at random in it. Use --set continuations.by=policy.`,
          { details: { world: env.id } },
        );
      }
      const { reward } = await world.step(action, { signal });
      rewards.push(scoreValue(reward) ?? 0);
    }
    return { rewards, outcome: scoreValue(world.reward) ?? 0 };
  } finally {
    await world.close();
  }
}
