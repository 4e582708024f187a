/** What the statistics analyst writes, held against the episodes that it rests on. */
import { expect, test } from "vitest";
import { replay } from "./support/replayed-workflows.ts";
import { tries } from "./support/thorough.ts";

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
