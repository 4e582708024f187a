/** What the statistics analyst writes, held against the world: its workflows are carried out to the letter. */
import { expect, test } from "vitest";
import type { Analysis } from "../src/skill/skill.ts";
import { createStatisticsAnalyst } from "../src/skill/statistics/statistics.ts";
import { LEADS } from "../src/skill/statistics/wording.ts";
import type { Trajectory } from "../src/trajectory/index.ts";
import { householdGroups, solves, type GroupsOptions } from "./support/household-groups.ts";
import { tries } from "./support/thorough.ts";

const analyst = createStatisticsAnalyst();

/** The commands after "This worked:"; household commands hold no semicolon. */
function workflowOf(analysis: Analysis): string[] | undefined {
  const text = analysis.episodeSkill?.text ?? "";
  const at = text.indexOf(`${LEADS.worked}: `);
  return at === -1 ? undefined : text.slice(at + LEADS.worked.length + 2, -1).split("; ");
}

async function replay(options: GroupsOptions) {
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

test("every skill rests on steps that exist, and says commands that were given", async () => {
  const tasks = tries(4, 12);
  const { groups, analyses } = await replay({ dial: "tiny", tasks, rollouts: 8, keys: "world" });
  const trajectories = new Map(groups.flat().map((trajectory) => [trajectory.id, trajectory]));
  expect(analyses).toHaveLength(8 * tasks);
  for (const analysis of analyses) {
    expect(analysis.episodeSkill).toBeDefined();
    for (const skill of [analysis.episodeSkill, ...analysis.stepSkills.values()]) {
      expect(skill?.text.length).toBeLessThan(450);
      for (const { trajectory, steps } of skill?.evidence ?? []) {
        const known = trajectories.get(trajectory)?.steps.map(({ index }) => index) ?? [];
        expect(steps.every((step) => known.includes(step))).toBe(true);
      }
    }
    for (const { text, evidence } of analysis.stepSkills.values()) {
      const given = evidence.map(
        ({ trajectory, steps }) => trajectories.get(trajectory)?.steps[steps[0] as number]?.action,
      );
      expect(given.some((action) => text.includes(action ?? "\n"))).toBe(true);
    }
  }
});
