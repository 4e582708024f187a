/** Skills that stay in the prompt: what was learned from earlier episodes of a family of tasks, at the opening of new ones. */
import { appendOnly, withOpening, type Prompting } from "../rollout/index.ts";
import { skillOpening, type Analysis, type InjectionOptions } from "../skill/index.ts";
import { familyOf, type Task, type Trajectory } from "../trajectory/index.ts";

/** The text of a skill, by family of tasks. */
export type FamilySkills = Readonly<Record<string, string>>;

/** The last episode skill of every family among these. */
export function familySkills(
  episodes: readonly Trajectory[],
  analyses: ReadonlyMap<string, Analysis>,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { id, task } of episodes) {
    const text = analyses.get(id)?.episodeSkill?.text;
    if (text !== undefined) found[familyOf(task)] = text;
  }
  return found;
}

/** How an agent with these skills is prompted; plainly where there are none. */
export function promptingWith(skills: FamilySkills, injection: InjectionOptions): Prompting {
  const textFor = (task: Task): string | undefined =>
    Object.hasOwn(skills, familyOf(task)) ? skills[familyOf(task)] : undefined;
  return withOpening(appendOnly, skillOpening(textFor, injection));
}
