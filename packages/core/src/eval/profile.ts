/** What a policy did on a set of tasks: success and pass@k with intervals, families of tasks, and what it cost. */
import { checkOptions, may } from "limbeck-base/base/options";
import { boundedMean } from "limbeck-base/base/statistics/share";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { mean } from "limbeck-base/base/statistics/summary";
import { meanPassAtK } from "limbeck-base/base/statistics/pass-at-k";
import { tInterval } from "limbeck-base/base/statistics/student-t";
import type { Interval } from "limbeck-base/base/statistics/interval";
import { familyOf } from "limbeck-base/trajectory/household-family";
import { byTask } from "limbeck-base/trajectory/rows";
import { tally, type EpisodeTally, isEnough, isOutOfRoom, isSeen } from "limbeck-base/trajectory/tally";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { sampledTokens } from "limbeck-base/trajectory/sampled-tokens";
import { invalidShare } from "./evaluate.ts";

export interface Estimate extends Interval {
  readonly mean: number;
}

/** Mean with its Student-t interval; null without values. */
export function estimateOf(values: readonly number[], confidence = 0.95): Estimate | null {
  if (values.length === 0) return null;
  const { mean: centre, low, high } = tInterval(values, confidence);
  return { mean: centre, low, high };
}

export interface Family {
  readonly family: string;
  readonly tasks: number;
  readonly episodes: number;
  readonly success: Estimate;
  readonly meanSteps: number;
}

export interface Efficiency {
  /**
   * Steps relative to the reference, over solved episodes of tasks that the reference solved too: 1 is as many, 2 twice
   * as many. Null without any.
   */
  readonly stepsToReference: (Estimate & { readonly episodes: number }) | null;
  /**
   * Success weighted by path length (Anderson et al. 2018): solved episodes count reference steps / max(own, reference
   * steps), others 0; over tasks that the reference solved. Null without any.
   */
  readonly weightedSuccess: (Estimate & { readonly tasks: number }) | null;
  /** Of all episodes, divided by the solved ones: what one success costs. Null when nothing was solved. */
  readonly stepsPerSuccess: number | null;
  readonly tokensPerSuccess: number | null;
  /** Sampled tokens and model calls of an episode, on average; 0 for scripts. */
  readonly tokensPerEpisode: number;
  readonly modelCallsPerEpisode: number;
  /** Time of the whole evaluation divided by its episodes, many of which ran at once; null when it was not taken. */
  readonly secondsPerEpisode: number | null;
}

export interface Profile {
  readonly tasks: number;
  readonly episodes: number;
  /** Tries that were seen of the task that had the fewest. */
  readonly samples: number;
  readonly solved: number;
  /** Episodes that are part of no share, and why: the world, the policy or the judge failed, or they are unscored. */
  readonly failed: number;
  readonly causes: EpisodeTally["causes"];
  /** Episodes that came to their end without a word on success. Those that were scored count as not solved. */
  readonly unjudged: number;
  /**
   * Mean over tasks of their share of solved tries. With one try a task it is the Wilson interval. NaN where fewer than
   * half of the episodes were seen.
   */
  readonly success: Estimate;
  readonly passAtK: readonly (Estimate & { readonly k: number })[];
  /** Families of tasks, where the world names them. */
  readonly families: readonly Family[];
  readonly meanSteps: number;
  /** Over solved episodes; NaN without any. */
  readonly meanStepsSolved: number;
  /** Share of the actions that the world refused. */
  readonly invalid: number;
  readonly efficiency: Efficiency;
}

export interface ProfileOptions {
  /** Steps in which a reference solved each task, by its id. */
  readonly reference?: ReadonlyMap<string, number>;
  readonly seconds?: number;
  readonly confidence?: number;
}

export const PROFILE_CHECKS = {
  seconds: may.amount,
  confidence: { kind: "number", above: 0, most: 1 },
} as const;

/**
 * Success, steps, families and efficiency of finished episodes.
 *
 * @example
 * const { trajectories } = await evaluate({ env: "household", policy: "expert", tasks: 2 });
 * const { success, families } = profileOf(trajectories);
 * console.log(success.mean, families.map(({ family }) => family)); // 1 [ "look_at_obj_in_light", "pick_and_place_simple" ]
 */
export function profileOf(trajectories: readonly Trajectory[], options: ProfileOptions = {}): Profile {
  checkOptions("profileOf", options, PROFILE_CHECKS);
  const { confidence = 0.95 } = options;
  const groups = byTask(trajectories).map((group) => group.trajectories);
  const counts = tally(trajectories);
  const seen = trajectories.filter(isSeen);
  const tries = byTask(isEnough(counts) ? seen : []).map(({ trajectories: group }) => ({
    tries: group.length,
    solved: solvedOf(group).length,
  }));
  const samples = tries.length === 0 ? 0 : Math.min(...tries.map((task) => task.tries));
  const solved = solvedOf(trajectories);
  return {
    tasks: groups.length,
    episodes: trajectories.length,
    samples,
    solved: solved.length,
    failed: counts.lost,
    causes: counts.causes,
    unjudged: trajectories.filter((one) => one.ending !== "failed" && one.success === null && !isOutOfRoom(one)).length,
    success: successOf(groups, confidence),
    passAtK: passes(samples).map((k) => ({ k, ...meanPassAtK(tries, k, confidence) })),
    families: families(groups, confidence),
    meanSteps: meanSteps(seen),
    meanStepsSolved: meanSteps(solved),
    invalid: invalidShare(seen),
    efficiency: efficiency(trajectories, options),
  };
}

/** What the world calls this kind of task: in its data, in the scenario there, or in the name of its game. */
export function taskFamily({ id, data }: Task): string | undefined {
  const inside = [data, data?.["scenario"]].map((place) =>
    typeof place === "object" && place !== null && "family" in place ? place.family : undefined,
  );
  return inside.find((family) => typeof family === "string") ?? familyOf(id);
}

function successOf(groups: readonly (readonly Trajectory[])[], confidence: number): Estimate {
  const seen = groups.map((group) => group.filter(isSeen)).filter(({ length }) => length > 0);
  const tries = Math.max(...seen.map((group) => group.length), 1);
  const shares = isEnough(tally(groups.flat())) ? seen.map((group) => solvedOf(group).length / group.length) : [];
  return boundedMean(shares, confidence, tries);
}

function solvedOf(trajectories: readonly Trajectory[]): Trajectory[] {
  return trajectories.filter(({ success }) => success === true);
}

function meanSteps(trajectories: readonly Trajectory[]): number {
  return mean(trajectories.map(({ steps }) => steps.length));
}

/** 1, 2, 4, … and the number of tries itself. */
function passes(samples: number): number[] {
  const powers = Array.from({ length: 30 }, (_, power) => 2 ** power).filter((k) => k < samples);
  return samples === 0 ? [] : [...powers, samples];
}

function families(groups: readonly (readonly Trajectory[])[], confidence: number): Family[] {
  const named = groupedBy(groups, ([first]) => (first === undefined ? undefined : taskFamily(first.task)));
  return [...named]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([family, members]) => ({
      family,
      tasks: members.length,
      episodes: members.flat().length,
      success: successOf(members, confidence),
      meanSteps: meanSteps(members.flat().filter(isSeen)),
    }));
}

function efficiency(trajectories: readonly Trajectory[], options: ProfileOptions): Efficiency {
  const { reference = new Map<string, number>(), seconds, confidence = 0.95 } = options;
  const solved = solvedOf(trajectories);
  const steps = trajectories.reduce((total, trajectory) => total + trajectory.steps.length, 0);
  const tokens = trajectories.reduce((total, trajectory) => total + (sampledTokens(trajectory) ?? 0), 0);
  const calls = trajectories.reduce((total, { usage }) => total + (usage?.modelCalls ?? 0), 0);
  const ratios = solved.flatMap(({ task, steps }) => {
    const least = reference.get(task.id);
    return least === undefined || least === 0 ? [] : [steps.length / least];
  });
  const seen = isEnough(tally(trajectories)) ? trajectories.filter(isSeen) : [];
  const known = seen.filter(({ task }) => reference.has(task.id));
  const weighted = byTask(known).map((group) =>
    mean(group.trajectories.map((one) => weightOf(one, reference.get(group.id) ?? 0))),
  );
  const ratio = estimateOf(ratios, confidence);
  return {
    stepsToReference: ratio && { ...ratio, episodes: ratios.length },
    weightedSuccess: weighted.length === 0 ? null : { ...boundedMean(weighted, confidence), tasks: weighted.length },
    stepsPerSuccess: solved.length === 0 ? null : steps / solved.length,
    tokensPerSuccess: solved.length === 0 ? null : tokens / solved.length,
    tokensPerEpisode: trajectories.length === 0 ? 0 : tokens / trajectories.length,
    modelCallsPerEpisode: trajectories.length === 0 ? 0 : calls / trajectories.length,
    secondsPerEpisode: seconds === undefined || trajectories.length === 0 ? null : seconds / trajectories.length,
  };
}

function weightOf({ success, steps }: Trajectory, least: number): number {
  return success === true ? least / Math.max(least, steps.length, 1) : 0;
}
