/** The workflows that the statistics analyst writes for groups of household episodes, carried out to the letter. */
import { expect } from "vitest";
import type { Analysis } from "../../packages/core/src/skill/skill.ts";
import { createStatisticsAnalyst } from "../../packages/core/src/skill/statistics/statistics.ts";
import { LEADS } from "../../packages/core/src/skill/statistics/wording.ts";
import type { Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { householdGroups, solves, type GroupsOptions } from "./household-groups.ts";

const analyst = createStatisticsAnalyst();

/** The commands after "This worked:"; household commands hold no semicolon. */
function workflowOf(analysis: Analysis): string[] | undefined {
  const text = analysis.episodeSkill?.text ?? "";
  const at = text.indexOf(`${LEADS.worked}: `);
  return at === -1 ? undefined : text.slice(at + LEADS.worked.length + 2, -1).split("; ");
}

/** Carries out the workflow of every group, and counts. */
export async function replay(options: GroupsOptions) {
  const { env, groups } = await householdGroups(options);
  const total = { groups: groups.length, solvable: 0, replayed: 0, length: 0, shortestSibling: 0, stepSkills: 0 };
  const analyses: Analysis[] = [];
  for (const group of groups) {
    const found = await analyst.analyse(group, { maxStepSkills: 5 });
    analyses.push(...found);
    total.stepSkills += found.reduce((sum, { stepSkills }) => sum + stepSkills.size, 0);
    const ways = [...new Set(found.flatMap((analysis) => workflowOf(analysis)?.join("; ") ?? []))];
    if (ways.length === 0) continue;
    expect(ways).toHaveLength(1);
    const [way = ""] = ways;
    const commands = way.split("; ");
    total.solvable += 1;
    total.replayed += (await solves(env, (group[0] as Trajectory).task, commands)) ? 1 : 0;
    total.length += commands.length;
    const wins = group.filter(({ success }) => success === true).map(({ steps }) => steps.length);
    total.shortestSibling += Math.min(...wins);
  }
  return { ...total, groups, analyses };
}
