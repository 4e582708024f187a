/** KEPO's gate and its hinted exploration: which episodes are taught, and what a hopeless group learns from. */
import { byGroup } from "limbeck-base/trajectory/rows";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

/** Episodes good enough for the teacher to score: reward at least `threshold`. */
export function gatedEpisodes(episodes: readonly Trajectory[], threshold: number): ReadonlySet<string> {
  const good = episodes.filter(({ reward }) => (scoreValue(reward) ?? Number.NEGATIVE_INFINITY) >= threshold);
  return new Set(good.map(({ id }) => id));
}

/** Groups without any reward above 0. A group with an unknown reward is not among them. */
export function hopelessGroups(
  episodes: readonly Trajectory[],
): { readonly id: string; readonly trajectories: readonly Trajectory[] }[] {
  return byGroup(episodes).filter(({ trajectories }) =>
    trajectories.every(({ reward }) => (scoreValue(reward) ?? Number.POSITIVE_INFINITY) <= 0),
  );
}

export interface Rescued {
  readonly episodes: readonly Trajectory[];
  /** Hinted episodes among them. */
  readonly inserted: readonly string[];
  /** Hopeless groups that no hint has helped; they are not among the episodes. */
  readonly dropped: readonly string[];
}

/** Hinted episodes that earned something, up to `most` a group, in the place of as many that earned nothing. */
export function rescueGroups(episodes: readonly Trajectory[], hinted: readonly Trajectory[], most: number): Rescued {
  const hopeless = new Set(hopelessGroups(episodes).map(({ id }) => id));
  const inserted: string[] = [];
  const dropped: string[] = [];
  const kept = byGroup(episodes).flatMap(({ id, trajectories }) => {
    if (!hopeless.has(id)) return trajectories;
    const better = hinted.filter(({ group, reward }) => group === id && (scoreValue(reward) ?? 0) > 0).slice(0, most);
    if (better.length === 0) {
      dropped.push(id);
      return [];
    }
    inserted.push(...better.map((one) => one.id));
    return [...trajectories.slice(0, Math.max(0, trajectories.length - better.length)), ...better];
  });
  return { episodes: kept, inserted, dropped };
}
