/** Known walks through the corridor, and an update on them that tells which rows it learned from and what came of it. */
import { expect } from "vitest";
import type { Teacher } from "../../packages/core/src/distill/teacher.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import type { BackwardReport, Scorer } from "../../packages/policy/src/policy/policy.ts";
import type { TrainRow } from "../../packages/policy/src/policy/objective.ts";
import type { LocalModel } from "../../packages/policy/src/policy/local/local-model.ts";
import { copyWeights } from "../../packages/policy/src/policy/local/weights.ts";
import { byteTokenizer } from "../../packages/policy/src/policy/tabular/script-tokenizer.ts";
import { createScriptedPolicy } from "../../packages/policy/src/policy/tabular/scripted-policy.ts";
import { createStrategy } from "../../packages/core/src/rollout/registry.ts";
import { createTokenAgent } from "../../packages/core/src/walk/mind/token-agent.ts";
import { rollOut } from "../../packages/core/src/walk/line/roll-out.ts";
import type { Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { corridor, corridorDialect, smallModel, tryRecipe, type TryParts } from "./recipe-bench.ts";

/** Walks of one task by name, each its actions: "east west wait" goes east, goes west and waits. */
export type Walks = Readonly<Record<string, string>>;

const ACTIONS: Readonly<Record<string, string>> = { east: "go east", west: "go west", wait: "wait" };

/** Really played, one task after the other. The names are the episodes' ids. After its last action a walk waits. */
export async function walked(...tasks: readonly Walks[]): Promise<readonly Trajectory[]> {
  return await played(
    corridor(),
    tasks.map((walks) =>
      Object.fromEntries(
        Object.entries(walks).map(([id, walk]) => [id, walk.split(" ").map((word) => ACTIONS[word] ?? word)]),
      ),
    ),
  );
}

/** The same in any world, with the actions written out. */
export async function played(
  env: Env,
  plans: readonly Readonly<Record<string, readonly string[]>>[],
): Promise<readonly Trajectory[]> {
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { count: plans.length })) tasks.push(task);
  const done: Trajectory[] = [];
  for (const [at, task] of tasks.entries()) {
    for (const [id, plan] of Object.entries(plans[at] ?? {})) {
      const policy = createScriptedPolicy({ script: ({ index }) => plan[index] ?? "wait" });
      const agent = createTokenAgent({ policy, dialect: corridorDialect, answerTokens: 16 });
      const strategy = createStrategy("group", { size: 1 });
      const { trajectories } = await rollOut({ env, agent, tasks: [task], seed: id, strategy });
      done.push(...trajectories.map((one) => ({ ...one, id })));
    }
  }
  return done;
}

/** The same episodes with the log-probabilities that they would have if this model had said them. */
export async function asSaidBy(model: Scorer, episodes: readonly Trajectory[]): Promise<readonly Trajectory[]> {
  return await Promise.all(
    episodes.map(async (one) => {
      const scored = await model.score(one.streams.map(({ ids, mask }) => ({ ids, mask })));
      const streams = one.streams.map((stream, at) => ({ ...stream, logprobs: scored[at]?.logprob as Float32Array }));
      return { ...one, streams };
    }),
  );
}

/**
 * A teacher with opinions of its own: the model with larger weights, which make its words far from equally likely. The
 * small model itself is near to indifferent, whatever skill it reads.
 */
export function boldTeacher(model: LocalModel): Teacher {
  const weights = copyWeights(model.weights);
  weights.flat.forEach((one, at) => (weights.flat[at] = 3 * one));
  return { scorer: model.scorerWith(weights), learned: () => undefined, state: undefined };
}

/** One step of the optimiser: its rows, what the model thought of their trained tokens before it, and the report. */
export interface LearnedBatch {
  readonly rows: readonly TrainRow[];
  readonly before: readonly Float32Array[];
  readonly report: BackwardReport;
}

/** Runs one update of the recipe on a small model that keeps what it was given to learn from. */
export async function watchRecipe(name: string, { model: given, ...parts }: TryParts) {
  const model = given ?? (await smallModel());
  const learned: LearnedBatch[] = [];
  const backward: LocalModel["backward"] = async (rows, objective, options) => {
    const before = await logprobsOf(model, rows);
    const report = await model.backward(rows, objective, options);
    learned.push({ rows, before, report });
    return report;
  };
  const watched = Object.create(model, { backward: { value: backward } }) as LocalModel;
  const tried = await tryRecipe(name, { ...parts, model: watched });
  return { ...tried, learned, first: learned[0] as LearnedBatch };
}

/** Log-probabilities of the trained tokens, 0 at the others. */
export async function logprobsOf(model: Scorer, rows: readonly TrainRow[]): Promise<Float32Array[]> {
  const scored = await model.score(rows.map(({ ids, mask }) => ({ ids, mask })));
  return scored.map(({ logprob }) => logprob as Float32Array);
}

export function sum(values: ArrayLike<number>): number {
  return Array.from(values).reduce((total, value) => total + value, 0);
}

/** What is trained of a row, as text; the end of an answer is a line break. */
export function trainedText({ ids, mask }: Pick<TrainRow, "ids" | "mask">): string {
  return byteTokenizer().decode(ids.filter((_, at) => mask[at] === 1));
}

/** Everything that a row holds, as text. */
export function wholeText({ ids }: Pick<TrainRow, "ids">): string {
  return byteTokenizer().decode(ids);
}

/** Values of each episode's trained tokens, a list for each step. An episode without a row is not there. */
export function stepValues(
  episodes: readonly Trajectory[],
  rows: readonly TrainRow[],
  valuesOf: (row: TrainRow) => Float64Array | undefined = ({ advantages }) => advantages,
): Readonly<Record<string, number[][]>> {
  return Object.fromEntries(
    rows.map((row) => {
      const own = episodes.find(({ id }) => id === row.trajectory);
      const values = valuesOf(row) ?? new Float64Array();
      const lists = (own?.steps ?? []).map(({ span }) =>
        [...values.subarray(span?.start, span?.end)].filter((_, at) => row.mask[(span?.start ?? 0) + at] === 1),
      );
      return [row.trajectory, lists];
    }),
  );
}

/** One number for each step, where all its tokens have the same; a list of several numbers otherwise. */
export function stepCredits(
  episodes: readonly Trajectory[],
  rows: readonly TrainRow[],
): Readonly<Record<string, (number | number[])[]>> {
  const values = Object.entries(stepValues(episodes, rows));
  const one = (list: number[]): number | number[] => (new Set(list).size === 1 ? (list[0] as number) : list);
  return Object.fromEntries(values.map(([id, steps]) => [id, steps.map(one)]));
}

/** Of each pair that was learned from, by how much the chosen side's log-probability rose more than the rejected one's. */
export async function marginsAfter(
  model: Scorer,
  { rows, before }: LearnedBatch,
): Promise<Readonly<Record<string, number>>> {
  const after = await logprobsOf(model, rows);
  const margins: Record<string, number> = {};
  rows.forEach(({ pair = "", rank }, row) => {
    const rise = sum(after[row] ?? []) - sum(before[row] ?? []);
    margins[pair] = (margins[pair] ?? 0) + (rank === 1 ? rise : -rise);
  });
  return margins;
}

/** The chosen and the rejected row of each pair, where a side is one row. */
export function pairedRows({ rows }: Pick<LearnedBatch, "rows">): ReadonlyMap<string, readonly [TrainRow, TrainRow]> {
  const chosen = rows.filter(({ rank }) => rank === 1);
  return new Map(
    chosen.map((row) => {
      const [other, ...more] = rows.filter(({ pair, rank }) => pair === row.pair && rank === 0);
      if (other === undefined || more.length > 0) throw new Error(`${row.pair} has not one rejected row.`);
      return [row.pair ?? "", [row, other]];
    }),
  );
}

/** What both sides of each pair are trained on, the chosen one first. */
export function sidesOf(learned: Pick<LearnedBatch, "rows">): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries([...pairedRows(learned)].map(([pair, sides]) => [pair, sides.map(trainedText)]));
}

export function times(count: number, value: number): number[] {
  return Array.from({ length: count }, () => value);
}

/** These numbers within rounding, for `toEqual`. */
export function near(values: readonly number[], digits = 9): unknown[] {
  return values.map((value) => expect.closeTo(value, digits) as unknown);
}
