/** What came after each step: the teacher judges an action knowing what the world answered to it. */
import { createSkill } from "../../skill/create-skill.ts";
import type { Skill } from "../../skill/skill.ts";
import { labelOutcome } from "../../skill/outcome.ts";
import { command as quoted } from "../../skill/statistics/wording.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { contextOptionTable, defineContext } from "./context.ts";

export const futureObservations = defineContext({
  info: {
    title: "Future observations",
    meaning: "At every step, what the world answered to it and to the next ones, as far as `context.horizon`.",
    missing: "where nothing was observed after the step",
  },
  options: { horizon: contextOptionTable.horizon },
  prepare: (episodes, _sources, { horizon }) =>
    Promise.resolve({
      kind: "told",
      analyses: new Map(
        episodes.flatMap((trajectory) => {
          const stepSkills = futuresOf(trajectory, horizon);
          if (stepSkills.size === 0) return [];
          const { id } = trajectory;
          return [[id, { trajectory: id, outcome: labelOutcome(trajectory), stepSkills }]];
        }),
      ),
    }),
});

function futuresOf({ steps, closing }: Trajectory, horizon: number): ReadonlyMap<number, Skill> {
  const seen = [
    ...steps.map(({ observation }) => observation),
    ...(closing === undefined ? [] : [closing.observation]),
  ];
  return new Map(
    steps.flatMap(({ index }, at) => {
      const texts = seen.slice(at + 1, at + 1 + horizon).map(quoted);
      const text = texts.filter((one) => one !== "").join(" Then: ");
      return text === "" ? [] : [[index, createSkill("step", `Then: ${text}`, [])]];
    }),
  );
}
