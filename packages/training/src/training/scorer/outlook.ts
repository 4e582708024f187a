/**
 * Labels with less luck in them: half how the episode ended, half what became, on average, of all episodes that had as far
 * to go after as many steps. How far it is the demonstrator says (see replay-labels.ts). What has ended is worth how it ended.
 *
 *   p_d = (successes_d + k p) / (n_d + k);   p_dt = (successes_dt + k p_d) / (n_dt + k),   k = 8, d = distance, t = steps done
 *   outlook = (p_dt + success) / 2
 */
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { DISTANCE } from "./replay-labels.ts";

/** The name of the labels. */
export const OUTLOOK = "outlook";
/** How many episodes the wider mean counts for. */
const PRIOR = 8;

interface Tally {
  count: number;
  successes: number;
}

/** By step of each trajectory, what it is worth after it; fitted to the first, given for all. */
export function outlooks(
  fitted: readonly Trajectory[],
  all: readonly Trajectory[],
): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const tallies = new Map<string, Tally>();
  const tally = (key: string): Tally => {
    const known = tallies.get(key) ?? { count: 0, successes: 0 };
    tallies.set(key, known);
    return known;
  };
  for (const trajectory of fitted) {
    if (trajectory.success === null) continue;
    for (const keys of placesOf(trajectory).values()) {
      for (const key of keys ?? []) {
        const own = tally(key);
        own.count += 1;
        own.successes += Number(trajectory.success);
      }
    }
  }
  // From the widest to the narrowest.
  const chance = (keys: readonly string[]): number =>
    keys.reduce((wider, key, at) => {
      const { count, successes } = tally(key);
      return at === 0 ? successes / Math.max(1, count) : (successes + PRIOR * wider) / (count + PRIOR);
    }, 0);
  return new Map(
    all.map((trajectory) => [
      trajectory.id,
      new Map(
        [...placesOf(trajectory)].flatMap(([step, keys]) => {
          if (trajectory.success === null) return [];
          const own = Number(trajectory.success);
          return [[step, keys === undefined ? own : (chance(keys) + own) / 2] as const];
        }),
      ),
    ]),
  );
}

/** The means that each step belongs to; undefined for the last one, and for all of an episode that was not played again. */
function placesOf({ steps, rewards }: Trajectory): ReadonlyMap<number, readonly string[] | undefined> {
  const distances = new Map(
    rewards.flatMap(({ name, step, score }) =>
      name === DISTANCE && step !== undefined ? [[step, scoreValue(score) ?? Number.POSITIVE_INFINITY] as const] : [],
    ),
  );
  return new Map(
    steps.map(({ index }, at) => {
      const distance = distances.get(index);
      if (distance === undefined || at === steps.length - 1) return [index, undefined];
      return [index, ["all", `${distance}`, `${distance} after ${at + 1}`]];
    }),
  );
}
