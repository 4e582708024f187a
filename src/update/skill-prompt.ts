/** Skills that stay in the prompt: what was learned from earlier episodes of a family of tasks, at the opening of new ones. */
import { withSkill } from "../eval/lift/index.ts";
import { appendOnly, type Prompting } from "../rollout/index.ts";
import type { Analysis, InjectionOptions } from "../skill/index.ts";
import { familyOf, type Trajectory } from "../trajectory/index.ts";

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
  return (task, form) => {
    const plain = appendOnly(task, form);
    const skill = Object.hasOwn(skills, familyOf(task)) ? skills[familyOf(task)] : undefined;
    return skill === undefined ? plain : withSkill(plain, skill, injection);
  };
}
