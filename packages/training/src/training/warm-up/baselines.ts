/** What can be had in a world without learning: by always the same answer, and by one that is drawn. */
import type { Env } from "limbeck-core/env/env";
import type { Demonstrator } from "limbeck-core/env/expert";
import { evaluateAgent, type Evaluation } from "limbeck-core/eval/evaluate";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { type KnownWay, planOf } from "./lesson.ts";

export interface Baselines {
  /** Always the action that was shown most often. */
  readonly blind: Evaluation;
  readonly answer: string;
  /** One of the actions that the world lists, or, where it lists none, of those that were shown. */
  readonly random: Evaluation;
  /** The better of the two. */
  readonly floor: number;
}

interface Place {
  readonly env: Env;
  readonly tasks: readonly Task[];
  readonly shown: readonly KnownWay[];
  readonly seed: number;
  readonly signal: AbortSignal;
}

export async function measureBaselines({ env, tasks, shown, seed, signal }: Place): Promise<Baselines> {
  const actions = shown.flatMap(planOf);
  const counts = new Map<string, number>();
  for (const action of actions) counts.set(action, (counts.get(action) ?? 0) + 1);
  const answer = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ["", 0] as const)[0];
  const play = async (id: string, start: Demonstrator["start"]): Promise<Evaluation> => {
    const agent = createDemonstratorAgent({ id, summary: id, start });
    return (await evaluateAgent({ env, agent, tasks, seed: `${seed} ${id}`, prefix: `${id}/`, signal })).evaluation;
  };
  const blind = await play("blind", () => ({ next: () => answer }));
  const random = await play("random", (_, rng) => ({
    next: ({ admissible = [] }) => {
      const open = admissible.length === 0 ? actions : admissible;
      return open[rng.int(open.length)] ?? answer;
    },
  }));
  return { blind, answer, random, floor: Math.max(blind.success ?? 0, random.success ?? 0) };
}

/** Nothing is certain to be reached above this. */
const MOST = 0.95;

/** A share of what is left above the baselines, as a success. */
export function above({ floor }: Pick<Baselines, "floor">, share: number): number {
  return Math.min(MOST, floor + share * (1 - floor));
}
