/** Episodes of scripted agents in a world, for tests of worlds. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { Demonstrator } from "../../packages/core/src/env/expert.ts";
import type { Env, StepResult } from "../../packages/core/src/env/env.ts";
import { scoreValue } from "../../packages/base/src/trajectory/score.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";

export interface Demonstrated {
  readonly task: Task;
  readonly won: boolean;
  readonly reward: number;
  readonly results: readonly StepResult[];
}

/** One episode of each of the first tasks of a split. */
export async function demonstrated(
  env: Env,
  demonstrator: Demonstrator | undefined,
  { split = "valid", count = 100 }: { readonly split?: string; readonly count?: number } = {},
): Promise<Demonstrated[]> {
  const played: Demonstrated[] = [];
  for await (const task of env.tasks(split, { count })) {
    const episode = await env.open(task);
    const demonstration = demonstrator?.start(task, createRng(task.id));
    const results: StepResult[] = [];
    for (let action: string | undefined; episode.ending === undefined;) {
      const { observation } = episode;
      action = demonstration?.next({ action, observation, admissible: episode.admissible() }) ?? "";
      results.push(await episode.step(action));
    }
    played.push({
      task,
      won: episode.success === true,
      reward: scoreValue(episode.reward) ?? Number.NaN,
      results,
    });
  }
  return played;
}

export function shareWon(played: readonly Demonstrated[]): number {
  return played.filter(({ won }) => won).length / played.length;
}
