/** Runs a reward over a batch: options parsed, needs checked, awards named and held to the contract. */
import { EngineError } from "limbeck-base/base/errors";
import { resolveOptions } from "limbeck-base/base/options";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import { createForest } from "limbeck-base/trajectory/forest";
import { unscored } from "limbeck-base/trajectory/score";
import type { Reward, Score, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Award, Awards, Givens, PureReward, References, RewardMethod } from "./reward.ts";

export interface GiveOptions {
  /** What the reward is stored as. Default: its id. Two of one kind in a plan need two names. */
  readonly as?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly givens?: Givens;
}

export interface Given {
  /** One list for each trajectory, in the order of the batch. */
  readonly rewards: readonly (readonly Reward[])[];
  readonly metrics: Readonly<Record<string, number>>;
  readonly references?: References;
}

/** A reward that needs no answer from outside, at once. */
export function giveRewards(method: PureReward, batch: readonly Trajectory[], more: GiveOptions = {}): Given {
  const options = prepare(method, batch, more);
  return named(method, batch, method.score(batch, options, more.givens ?? {}), more.as);
}

/** Any reward; waits for judges and verifiers. */
export async function askRewards(
  method: RewardMethod,
  batch: readonly Trajectory[],
  more: GiveOptions = {},
): Promise<Given> {
  const options = prepare(method, batch, more);
  return named(method, batch, await method.score(batch, options, more.givens ?? {}), more.as);
}

function prepare(method: RewardMethod, batch: readonly Trajectory[], more: GiveOptions): OptionValues<DeepTable> {
  createForest(batch);
  const missing = method.needs.filter((need) => more.givens?.[need] === undefined);
  if (missing.length > 0) {
    throw new EngineError(
      "needs-unmet",
      `The reward ${method.id} needs ${missing.join(" and ")}, which was not given. Pass it in "givens".`,
      { details: { reward: method.id, missing } },
    );
  }
  return resolveOptions(method.options, more.options ?? {}, method.id);
}

function named(method: RewardMethod, batch: readonly Trajectory[], given: Awards, as = method.id): Given {
  if (given.awards.length !== batch.length) {
    throw broken(method, `it gave ${given.awards.length} lists for ${batch.length} trajectories`);
  }
  const rewards = given.awards.map((awards, at) =>
    awards.map((award) => toReward(method, batch[at] as Trajectory, award, as)),
  );
  const lists = rewards.map((list) => list.filter(({ step }) => step === undefined));
  const metrics = {
    ...given.metrics,
    trajectories: batch.length,
    unscored: lists.filter((list) => list.some(({ name, score }) => name === as && score.kind === "unscored")).length,
  };
  return { rewards, metrics, ...(given.references === undefined ? {} : { references: given.references }) };
}

function toReward(method: RewardMethod, trajectory: Trajectory, award: Award, as: string): Reward {
  const { part, score, step, tokens, comment } = award;
  const own = step === undefined ? undefined : ownStep(trajectory, step);
  if (step !== undefined && own === undefined)
    throw broken(method, `"${trajectory.id}" has no step ${step} of its own`);
  if (tokens !== undefined) {
    const length = own?.span === undefined ? 0 : own.span.end - own.span.start;
    const inside = tokens.start >= 0 && tokens.start <= tokens.end && tokens.end <= length;
    if (!inside)
      throw broken(method, `"${trajectory.id}" has no tokens ${tokens.start} to ${tokens.end} in step ${step}`);
  }
  return {
    name: part === undefined ? as : `${as}.${part}`,
    source: `reward:${method.id}`,
    score: finite(score),
    ...withoutUndefined({ step, tokens, comment }),
  };
}

/** Steps count on without gaps, so the place follows from the index. */
function ownStep({ steps }: Trajectory, index: number): Step | undefined {
  const found = steps[index - (steps[0]?.index ?? 0)];
  return found?.index === index ? found : undefined;
}

/** A number that is none says nothing about the trajectory; it is unscored, not zero. */
function finite(score: Score): Score {
  if (score.kind === "unscored" || Number.isFinite(score.value)) return score;
  return unscored(`the score is ${score.value}, which is not a finite number`);
}

function broken(method: RewardMethod, what: string): EngineError {
  return new EngineError("reward-contract", `The reward ${method.id} breaks the reward contract: ${what}.`);
}
