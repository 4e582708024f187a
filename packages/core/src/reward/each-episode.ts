/** Work on the whole episode of each trajectory of a batch, several at once. */
import { mapLimit } from "limbeck-base/base/concurrency";
import { option } from "limbeck-base/base/option";
import { unscored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { readEpisodes } from "./read-scores.ts";
import type { Award } from "./reward.ts";

export function concurrencyOption(meaning: string) {
  return option.number(8, meaning, { least: 1, most: 1024, whole: true });
}

export interface EachEpisodeOptions<Result> {
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
  /** What stands for a trajectory whose episode cannot be put together, or has no steps; no judge is asked about it. */
  readonly without: (why: string) => Result;
}

/** Results in the order of the batch. */
export async function eachEpisode<Result>(
  batch: readonly Trajectory[],
  { concurrency, signal, without }: EachEpisodeOptions<Result>,
  work: (trajectory: Trajectory, steps: readonly Step[]) => Promise<Result>,
): Promise<Result[]> {
  const episodes = readEpisodes(batch);
  return await mapLimit(
    batch,
    concurrency,
    async (trajectory) => {
      const steps = episodes.steps(trajectory);
      if (typeof steps === "string") return without(steps);
      return steps.length === 0 ? without("it has no steps") : await work(trajectory, steps);
    },
    signal === undefined ? {} : { signal },
  );
}

/** Awards of the trajectory's own steps, by what stands at their places among those of the whole episode. */
export function ownSteps<Value>(
  { steps }: Trajectory,
  episode: readonly Value[],
  awardOf: (value: Value) => Omit<Award, "step">,
): Award[] {
  const before = episode.length - steps.length;
  return steps.map(({ index }, at) => ({ ...awardOf(episode[before + at] as Value), step: index }));
}

/** The whole reward is missing, and this is why. */
export function noAward(why: string): Award[] {
  return [{ score: unscored(why) }];
}
