/** How well the teacher itself acts with the skills it teaches from: episodes of its own, the skill in the opening. */
import type { Env } from "../env/index.ts";
import { evaluate, type Evaluation } from "../eval/evaluate.ts";
import type { Dialect, Policy } from "../policy/index.ts";
import { appendOnly, createTokenAgent, withOpening } from "../rollout/index.ts";
import { skillOpening, type Analysis, type InjectionOptions } from "../skill/index.ts";
import type { Task, Trajectory } from "../trajectory/index.ts";

export interface ProbeRequest {
  readonly env: Env;
  /** The teacher as a policy. */
  readonly policy: Policy;
  readonly dialect: Dialect;
  readonly answerTokens: number;
  readonly temperature: number;
  readonly episodes: readonly Trajectory[];
  readonly analyses: ReadonlyMap<string, Analysis>;
  /** How a skill is written into the prompt. */
  readonly injection: InjectionOptions;
  readonly seed: string;
  readonly signal: AbortSignal;
}

/** One episode for each task of the update that has a skill; undefined when none has. */
export async function probeTeacher(request: ProbeRequest): Promise<Evaluation | undefined> {
  const { env, policy, dialect, answerTokens, temperature, seed, signal } = request;
  const skills = skillsByTask(request.episodes, request.analyses);
  if (skills.size === 0) return undefined;
  const prompting = withOpening(
    appendOnly,
    skillOpening(({ id }) => skills.get(id)?.skill, request.injection),
  );
  const { evaluation } = await evaluate({
    env,
    agent: createTokenAgent({ policy, dialect, temperature, answerTokens, prompting }),
    tasks: [...skills.values()].map(({ task }) => task),
    seed,
    signal,
  });
  return evaluation;
}

/** A workflow where an episode of the task succeeded, else whatever was written about it. */
export function skillsByTask(
  episodes: readonly Trajectory[],
  analyses: ReadonlyMap<string, Analysis>,
): Map<string, { readonly task: Task; readonly skill: string }> {
  const found = new Map<string, { readonly task: Task; readonly skill: string; readonly solved: boolean }>();
  for (const { id, task, success } of episodes) {
    const skill = analyses.get(id)?.episodeSkill?.text;
    const known = found.get(task.id);
    const better = known === undefined || (success === true && !known.solved);
    if (skill !== undefined && better) found.set(task.id, { task, skill, solved: success === true });
  }
  return found;
}
