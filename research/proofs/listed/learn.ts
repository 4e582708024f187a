/** Groups, credit by a method of the engine, and a step of the chooser; how well it does by then, from what it has spent. */
import { createRng, type Rng } from "../../../packages/base/src/base/rng.ts";
import { mean } from "../../../packages/base/src/base/statistics/summary.ts";
import type { Task } from "../../../packages/base/src/trajectory/trajectory.ts";
import { assignCredit } from "../../../packages/core/src/credit/assign.ts";
import type { CreditMethod } from "../../../packages/core/src/credit/credit.ts";
import type { CreditRow } from "../../../packages/core/src/credit/row.ts";
import type { Env } from "../../../packages/core/src/env/env.ts";
import type { Demonstrator } from "../../../packages/core/src/env/expert.ts";
import {
  chancesOf,
  placesOf,
  play,
  push,
  type Guide,
  type Played,
  type Playing,
  type Reading,
  type Weights,
} from "./chooser.ts";

export const tasksOf = (env: Env, split: string, offset: number, count: number): readonly Task[] => [
  ...(env.tasks(split, { offset, count }) as Iterable<Task>),
];

/** Success over tasks, one episode each. */
export async function successOf(tasks: readonly Task[], playing: Playing): Promise<readonly Played[]> {
  const played: Played[] = [];
  for (const task of tasks) played.push(await play(task, task.id, playing));
  return played;
}

export const solved = (played: readonly Played[]): number => mean(played.map(({ trajectory }) => Number(trajectory.success === true))); // prettier-ignore

/** A start that imitates what a demonstrator does in these tasks, read so often in any order. */
export async function imitate(
  weights: Weights,
  tasks: readonly Task[],
  demonstrator: Demonstrator,
  { env, reading, rng, passes, rate }: { readonly env: Env; readonly reading: Reading; readonly rng: Rng; readonly passes: number; readonly rate: number }, // prettier-ignore
): Promise<{ readonly steps: number; readonly success: number }> {
  const shown: { readonly places: readonly Int32Array[]; readonly taken: number }[] = [];
  const ends: number[] = [];
  for (const task of tasks) {
    const demonstration = demonstrator.start(task, createRng(`shown ${task.id}`));
    const episode = await env.open(task);
    const before: string[] = [];
    while (episode.ending === undefined) {
      const listed = episode.admissible() ?? [];
      const action = demonstration.next({
        action: before.at(-1),
        observation: episode.observation,
        admissible: listed,
      });
      const context = reading.context(task, episode.observation, before);
      const taken = listed.indexOf(action);
      if (taken >= 0) shown.push({ places: listed.map((one) => placesOf(context, reading.action(one, task, before))), taken }); // prettier-ignore
      await episode.step(action);
      before.push(action);
    }
    ends.push(Number(episode.success === true));
  }
  for (let at = 0; at < passes * shown.length; at += 1) {
    const { places, taken } = shown[rng.int(shown.length)] as (typeof shown)[number];
    push(weights, { places, taken, chances: chancesOf(weights, places) }, rate);
  }
  return { steps: shown.length, success: mean(ends) };
}

/** What a credit method is given of an episode beside its outcome. */
export interface Given {
  readonly outcome: number;
  /** For each step. */
  readonly rows?: readonly Partial<CreditRow>[];
}

export interface Crediting {
  readonly credit: CreditMethod;
  readonly options?: Readonly<Record<string, number | string | boolean | null>>;
  /** Of the whole update. Default: success. */
  readonly given?: (played: readonly Played[]) => readonly Given[];
  /** Of each episode's steps, in the place of rows of one step each. */
  readonly advantages?: (played: readonly Played[]) => readonly (readonly number[])[];
}

export interface Learning extends Crediting {
  readonly weights: Weights;
  readonly env: Env;
  readonly reading: Reading;
  readonly seed: number;
  readonly tasks: number;
  readonly group: number;
  readonly rate: number;
  /** Own steps after which it ends. */
  readonly steps: number;
  /** The first task of the training split. */
  readonly offset: number;
  readonly guide?: (task: Task, member: number) => Guide | undefined;
  readonly look?: Playing["look"];
  /** Own steps between two looks at how well it does. Default: none. */
  readonly every?: number;
  readonly measure?: (spent: number) => Promise<void>;
  /** How an episode is played. Default: `play`. */
  readonly playing?: typeof play;
}

export interface Update {
  /** Own steps before it. */
  readonly x: number;
  readonly success: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** Until so many own steps are spent; all steps count, given ones too. */
export async function learn(plan: Learning): Promise<readonly Update[]> {
  const { weights, env, reading, seed, tasks, group, rate, steps, offset, every, measure } = plan;
  const rng = createRng(`learn ${seed}`);
  const updates: Update[] = [];
  let [spent, seen] = [0, 0];
  let options = plan.options ?? {};
  await measure?.(0);
  let next = every ?? Number.POSITIVE_INFINITY;
  while (spent < steps) {
    const played: Played[] = [];
    for (const task of tasksOf(env, "train", offset + seen, tasks)) {
      for (let member = 0; member < group; member += 1) {
        const guide = plan.guide?.(task, member);
        const own = { env, weights, reading, rng, ...(guide === undefined ? {} : { guide }), ...(plan.look === undefined ? {} : { look: plan.look }) }; // prettier-ignore
        played.push(await (plan.playing ?? play)(task, `${task.id} ${member}`, own));
      }
    }
    seen += tasks;
    const metrics = improve(weights, played, { ...plan, options }, rate / tasks);
    for (const [option, metric] of Object.entries(plan.credit.carries ?? {})) {
      if (metrics[metric] !== undefined && option !== "task") options = { ...options, [option]: metrics[metric] };
    }
    updates.push({ x: spent, success: solved(played), metrics });
    spent += played.reduce((sum, { choices }) => sum + choices.length, 0);
    if (spent < next && spent < steps) continue;
    next += every ?? Number.POSITIVE_INFINITY;
    await measure?.(spent);
  }
  return updates;
}

function improve(
  weights: Weights,
  played: readonly Played[],
  { credit, options = {}, given, advantages: own }: Crediting,
  rate: number,
): Update["metrics"] {
  if (own !== undefined) {
    for (const [at, steps] of own(played).entries()) pushAll(weights, played[at]?.choices ?? [], steps, rate);
    return {};
  }
  const known: readonly Given[] = given?.(played) ?? played.map(({ trajectory }) => ({ outcome: Number(trajectory.success === true) })); // prettier-ignore
  const rows = played.flatMap(({ trajectory: { id, group, steps }, choices }, at) =>
    steps.map(({ stateKey, valid, reward }, step): CreditRow => ({
      task: group,
      trajectory: id,
      step,
      state: stateKey,
      valid,
      ...(reward.kind === "scored" ? { reward: reward.value } : {}),
      mask: Uint8Array.of(choices[step]?.length === 0 ? 0 : 1),
      ...known[at]?.rows?.[step],
    })),
  );
  const trajectories = new Map(
    played.map(({ trajectory: { id, success } }, at) => [id, { outcome: known[at]?.outcome ?? 0, success }]),
  );
  const { advantages, metrics } = assignCredit(credit, { rows, trajectories }, options);
  pushAll(
    weights,
    played.flatMap(({ choices }) => choices),
    advantages.map((own) => own[0] ?? 0),
    rate,
  );
  return metrics;
}

function pushAll(weights: Weights, choices: Played["choices"], advantages: readonly number[], rate: number): void {
  for (const [at, choice] of choices.entries()) {
    const advantage = advantages[at] ?? 0;
    if (advantage !== 0) for (const one of choice) push(weights, one, rate * advantage);
  }
}
