/** Households for the chooser: a weak start by imitation, and a training whose success is looked at on the way. */
import { areaUnder } from "limbeck/eval";
import { createRng } from "../../../packages/base/src/base/rng.ts";
import { grpo } from "../../../packages/core/src/credit/grpo.ts";
import { household } from "../../../packages/worlds/src/household/index.ts";
import type { Demonstrator } from "../../../packages/core/src/env/expert.ts";
import type { Env } from "../../../packages/core/src/env/env.ts";
import { noWeights, type Played, type Weights } from "./chooser.ts";
import { imitate, learn, solved, successOf, tasksOf, type Learning } from "./learn.ts";
import { householdReading } from "./readings.ts";

/** Tasks of a seed lie apart from those of the next. */
export const APART = 100_000;

export const demonstratorOf = (name: string): Demonstrator => household.demonstrators?.[name] as Demonstrator;

export interface Errand {
  readonly seed: number;
  readonly split: string;
  /** Tasks for each look at the curve, and at the end. */
  readonly looks: number;
  readonly held: number;
}

/** What a few demonstrations leave. */
export async function startOf(
  env: Env,
  seed: number,
  shown: number,
  { by = "wanderer", passes = 2, rate = 0.02 }: { readonly by?: string; readonly passes?: number; readonly rate?: number } = {}, // prettier-ignore
): Promise<Weights> {
  const weights = noWeights();
  const tasks = tasksOf(env, "train", APART * seed + APART / 2, shown);
  await imitate(weights, tasks, demonstratorOf(by), { env, reading: householdReading, rng: createRng(`start ${seed}`), passes, rate }); // prettier-ignore
  return weights;
}

/** How an errand is looked at: so many of a split, by what was learnt. */
export async function played(
  env: Env,
  weights: Weights,
  { seed, split }: Pick<Errand, "seed" | "split">,
  count: number,
): Promise<readonly Played[]> {
  return await successOf(tasksOf(env, split, APART * seed, count), { env, weights, reading: householdReading, rng: createRng(`held ${seed}`) }); // prettier-ignore
}

export interface Trained {
  readonly before: number;
  readonly after: number;
  readonly area: number;
  readonly updates: number;
  readonly curve: readonly { readonly x: number; readonly y: number }[];
}

export async function trained(
  env: Env,
  start: Weights,
  { seed, split, looks, held }: Errand,
  plan: Partial<Learning> & Pick<Learning, "rate" | "steps">,
): Promise<Trained & { readonly weights: Weights }> {
  const weights = start.slice();
  const curve: { x: number; y: number }[] = [];
  const look = async (count: number): Promise<number> => solved(await played(env, weights, { seed, split }, count));
  const updates = await learn({
    weights,
    env,
    reading: householdReading,
    seed,
    tasks: 4,
    group: 8,
    offset: APART * seed,
    credit: grpo,
    every: plan.steps / 4,
    measure: async (spent) => void curve.push({ x: spent, y: await look(looks) }),
    ...plan,
  });
  const area = areaUnder(curve, { from: 0, to: plan.steps });
  return { weights, before: curve[0]?.y ?? 0, after: await look(held), area, updates: updates.length, curve };
}
