/** How well the teacher itself acts with the skills it teaches from: episodes of its own, the skill in the opening. */
import { mean } from "limbeck-base/base/statistics/summary";
import { evaluateAgent, type Evaluated, type Evaluation } from "../eval/evaluate.ts";
import type { Analysis } from "../skill/skill.ts";
import { tally } from "limbeck-base/trajectory/tally";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { agentFor } from "./agent.ts";
import { keep, measure, type UpdateContext } from "./context.ts";

/** One episode for each task of the update that has a skill; undefined when none has. */
export async function probeTeacher(update: UpdateContext, temperature: number): Promise<Evaluation | undefined> {
  const { record } = update;
  const skills = skillsByTask(record.episodes, record.analyses);
  if (skills.size === 0) return undefined;
  const { evaluation } = await played(update, skills, { label: "probe", temperature, samples: 1 });
  return evaluation;
}

/**
 * Only the skills that help: the teacher plays each task again, so often, with the best skill of its group. Where it
 * solves no larger share than the group did without, the group's skills are dropped. A group that all solved is not
 * played: nothing could help it.
 */
export async function provenSkills(
  update: UpdateContext,
  episodes: readonly Trajectory[],
  analyses: ReadonlyMap<string, Analysis>,
  samples: number,
): Promise<ReadonlyMap<string, Analysis>> {
  const skills = [...skillsByTask(episodes, analyses)].filter(([task]) => shareSolved(episodes, task) < 1);
  const { temperature } = update.settings;
  const { trajectories } =
    skills.length === 0
      ? { trajectories: [] }
      : await played(update, new Map(skills), { label: "replay", temperature, samples });
  const helpful = new Set(
    skills.map(([task]) => task).filter((task) => shareSolved(trajectories, task) > shareSolved(episodes, task)),
  );
  const { solved, seen } = tally(trajectories);
  measure(
    update,
    { tasks: skills.length, helpful: helpful.size, ...(seen === 0 ? {} : { success: solved / seen }) },
    "replay/",
  );
  const taskOf = new Map(episodes.map(({ id, task }) => [id, task.id]));
  return new Map([...analyses].filter(([id]) => helpful.has(taskOf.get(id) ?? "")));
}

function shareSolved(some: readonly Trajectory[], task: string): number {
  const { solved, seen } = tally(some.filter((one) => one.task.id === task));
  return seen === 0 ? 0 : solved / seen;
}

/**
 * All skills or none: the teacher plays every task of the update once with its skill, in the first update that has skills and
 * so many updates later again. Until it solves more than the policy did on the same tasks, nothing is taught.
 */
export async function trustedSkills(
  update: UpdateContext,
  episodes: readonly Trajectory[],
  analyses: ReadonlyMap<string, Analysis>,
  every: number,
): Promise<ReadonlyMap<string, Analysis>> {
  const { record, settings } = update;
  const last = record.kept?.["trial"] as { readonly update: number; readonly helps: boolean } | undefined;
  const skills = skillsByTask(episodes, analyses);
  if (skills.size === 0) return analyses;
  if (last !== undefined && update.update < last.update + every) return last.helps ? analyses : new Map();
  const { temperature } = settings;
  const { solved, seen } = tally(
    (await played(update, skills, { label: "trial", temperature, samples: 1 })).trajectories,
  );
  const [teacher, policy] = [
    seen === 0 ? 0 : solved / seen,
    mean([...skills.keys()].map((task) => shareSolved(episodes, task))),
  ];
  const helps = teacher > policy;
  keep(update, { ...record.kept, trial: { update: update.update, helps } });
  measure(update, { teacher, policy, helps: Number(helps) }, "trial/");
  return helps ? analyses : new Map();
}

/** The teacher acts, with the skill of each task in its opening. */
async function played(
  update: UpdateContext,
  skills: ReturnType<typeof skillsByTask>,
  { label, temperature, samples }: { readonly label: string; readonly temperature: number; readonly samples: number },
): Promise<Evaluated> {
  const { env, signal } = update;
  const policy = update.teacherPolicy();
  const evaluated = await evaluateAgent({
    env,
    agent: agentFor(update, { policy, temperature, tell: ({ id }) => skills.get(id)?.skill }),
    tasks: [...skills.values()].map(({ task }) => task),
    seed: `${update.seed} ${label} ${update.update}`,
    samples,
    signal,
  });
  update.deadline?.check();
  return evaluated;
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
