/** Batches and results of rewards, in the shape that tests read best. */
import { askRewards, giveRewards } from "../../packages/core/src/reward/give-rewards.ts";
import type { Givens, PureReward, RewardMethod } from "../../packages/core/src/reward/reward.ts";
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Reward, Score, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { sampleStep, sampleTrajectory } from "./samples.ts";

type Options = Readonly<Record<string, unknown>>;

/** The score in a form that fits on a line: a number, or "unscored: why". */
export function plain(score: Score | undefined): number | string {
  if (score === undefined) return "missing";
  return score.kind === "scored" ? Number(score.value.toFixed(9)) + 0 : `unscored: ${score.why}`;
}

/** The trajectory-level score of each trajectory, or of a part of it. */
export function totals(
  method: PureReward,
  batch: readonly Trajectory[],
  options: Options = {},
  more: { readonly part?: string; readonly givens?: Givens } = {},
): (number | string)[] {
  const { rewards } = giveRewards(method, batch, { options, givens: more.givens ?? {} });
  return rewards.map((list) => whole(list, named(method, more.part)));
}

/** The scores of each trajectory's own steps. */
export function stepTotals(
  method: PureReward,
  batch: readonly Trajectory[],
  options: Options = {},
  givens: Givens = {},
): (number | string)[][] {
  return giveRewards(method, batch, { options, givens }).rewards.map((list) => perStep(list, method.id));
}

export async function asked(
  method: RewardMethod,
  batch: readonly Trajectory[],
  givens: Givens,
  more: { readonly options?: Options; readonly part?: string } = {},
): Promise<(number | string)[]> {
  const { rewards } = await askRewards(method, batch, { options: more.options ?? {}, givens });
  return rewards.map((list) => whole(list, named(method, more.part)));
}

export function whole(list: readonly Reward[], name: string): number | string {
  return plain(list.find((reward) => reward.name === name && reward.step === undefined)?.score);
}

export function perStep(list: readonly Reward[], name: string): (number | string)[] {
  return list
    .filter((reward) => reward.name === name && reward.step !== undefined && reward.tokens === undefined)
    .map(({ score }) => plain(score));
}

function named(method: RewardMethod, part: string | undefined): string {
  return part === undefined ? method.id : `${method.id}.${part}`;
}

/** An episode with these step rewards. */
export function withSteps(id: string, values: readonly number[], more: Partial<Trajectory> = {}): Trajectory {
  return sampleTrajectory(id, { steps: values.map((value, at) => sampleStep(at, { reward: scored(value) })), ...more });
}

/** An episode with these actions; the state changes with each unless keys are given. */
export function withActions(id: string, actions: readonly string[], more: Partial<Trajectory> = {}): Trajectory {
  return sampleTrajectory(id, { steps: actions.map((action, at) => sampleStep(at, { action })), ...more });
}

export { sampleStep, sampleTrajectory };

/** A judge with a list of answers, the last one for ever. */
export function judgeSaying(...answers: readonly (string | Error)[]): {
  readonly judge: (prompt: string) => Promise<string>;
  readonly prompts: readonly string[];
} {
  const prompts: string[] = [];
  const judge = (prompt: string): Promise<string> => {
    const answer = answers[Math.min(prompts.length, answers.length - 1)] ?? "";
    prompts.push(prompt);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { judge, prompts };
}
