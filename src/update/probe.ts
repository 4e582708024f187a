/** How well the teacher itself acts with the skills it teaches from: episodes of its own, the skill in the opening. */
import { evaluateAgent, type Evaluation } from "../eval/evaluate.ts";
import type { Analysis } from "../skill/skill.ts";
import type { Task, Trajectory } from "../trajectory/trajectory.ts";
import { agentFor } from "./agent.ts";
import type { UpdateContext } from "./context.ts";

/** One episode for each task of the update that has a skill; undefined when none has. */
export async function probeTeacher(update: UpdateContext, temperature: number): Promise<Evaluation | undefined> {
  const { env, record, signal } = update;
  const skills = skillsByTask(record.episodes, record.analyses);
  if (skills.size === 0) return undefined;
  const policy = update.teacherPolicy();
  const { evaluation } = await evaluateAgent({
    env,
    agent: agentFor(update, { policy, temperature, tell: ({ id }) => skills.get(id)?.skill }),
    tasks: [...skills.values()].map(({ task }) => task),
    seed: `${update.seed} probe ${update.update}`,
    signal,
  });
  update.deadline?.check();
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
