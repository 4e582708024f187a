/** What a model does on tasks it has not learnt from, at both temperatures, by success and by what the world counts. */
import { evaluate, type Evaluated } from "limbeck";
import { isObject } from "../../../packages/base/src/base/json.ts";
import { mistakenWorlds } from "./worlds.ts";

export interface LookOptions {
  readonly split: "valid" | "test";
  readonly tasks: number;
  readonly threads: number;
}

export interface Seen {
  readonly success: number;
  readonly low: number;
  readonly high: number;
  readonly tasks: number;
  readonly steps: number;
  /** Share of steps that nobody understood. */
  readonly refused: number;
  /** Sums over an episode of what the world gives apart, on average. */
  readonly parts: Readonly<Record<string, number>>;
}

/** Room for the longest answer of both worlds, a name of two words of three syllables each. */
export const ANSWER_TOKENS = 24;

export async function look(
  world: string,
  policy: string,
  options: LookOptions,
): Promise<Readonly<Record<"cool" | "warm", Seen>>> {
  return { cool: await played(world, policy, 0.4, options), warm: await played(world, policy, 1, options) };
}

async function played(env: string, policy: string, temperature: number, options: LookOptions): Promise<Seen> {
  const envOptions = { ...mistakenWorlds[env]?.options };
  const { success, low, high, tasks, meanSteps, trajectories } = await evaluate({
    env,
    envOptions,
    policy,
    temperature,
    answerTokens: ANSWER_TOKENS,
    seed: 1,
    ...options,
  });
  return {
    success: success ?? 0,
    low: low ?? 0,
    high: high ?? 0,
    tasks,
    steps: meanSteps,
    ...counts(trajectories),
  };
}

function counts(trajectories: Evaluated["trajectories"]): Pick<Seen, "refused" | "parts"> {
  const steps = trajectories.flatMap((one) => one.steps);
  const sums: Record<string, number> = {};
  for (const { info } of steps) {
    const parts = info?.["parts"];
    if (!isObject(parts)) continue;
    for (const [name, value] of Object.entries(parts)) sums[name] = (sums[name] ?? 0) + Number(value);
  }
  const each = ([name, sum]: [string, number]) => [name, Math.round((1_000 * sum) / trajectories.length) / 1_000];
  return {
    refused: steps.filter(({ valid }) => !valid).length / Math.max(1, steps.length),
    parts: Object.fromEntries(Object.entries(sums).map(each)) as Record<string, number>,
  };
}
