/** Copies of the world at points of finished episodes: each episode is walked through once and forked where it is asked. */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { mapLimit } from "limbeck-base/base/concurrency";
import type { Episode } from "../../env/env.ts";
import type { Step } from "limbeck-base/trajectory/trajectory";
import type { RowSpan } from "./contexts.ts";
import type { UpdateContext } from "../context.ts";

/** The point just before a step's answer, or after some tokens of it. */
export interface Point {
  readonly place: RowSpan;
  /** Steps before it, from the root, as `pastOf` places them. */
  readonly past: readonly Step[];
  /** How many tokens of the answer are kept. */
  readonly tokens: number;
}

/** Episodes that are walked through at the same time. */
const AT_ONCE = 16;

/** Works with one world for each point, undefined where the episode cannot be walked again; closes them afterwards. */
export async function withWorlds<Result>(
  points: readonly Point[],
  update: UpdateContext,
  work: (worlds: readonly (Episode | undefined)[]) => Promise<Result>,
): Promise<Result> {
  const worlds: (Episode | undefined)[] = points.map(() => undefined);
  const byEpisode = groupedBy(points.keys(), (at) => points[at]?.place.trajectory.id);
  try {
    await mapLimit([...byEpisode.values()], AT_ONCE, (places) => walkThrough(points, places, update, worlds));
    return await work(worlds);
  } finally {
    await Promise.all(worlds.flatMap((world) => (world === undefined ? [] : [world.close()])));
  }
}

async function walkThrough(
  points: readonly Point[],
  places: readonly number[],
  { env, signal }: UpdateContext,
  worlds: (Episode | undefined)[],
): Promise<void> {
  const stepOf = (at: number): number => (points[at] as Point).place.step.index;
  const ordered = places.toSorted((left, right) => stepOf(left) - stepOf(right));
  const deepest = points[ordered.at(-1) as number] as Point;
  const world = await env.open(deepest.place.trajectory.task, { signal });
  let taken = 0;
  try {
    for (const at of ordered) {
      for (; taken < stepOf(at) && world.ending === undefined; taken += 1) {
        await world.step(deepest.past[taken]?.action ?? "", { signal });
      }
      if (world.ending === undefined) worlds[at] = await world.fork();
    }
  } finally {
    await world.close();
  }
}
