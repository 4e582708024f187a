/** Any reward of the registry as a grader: format, tool-match, progress. */
import type { JsonObject } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { readRewardPlan } from "limbeck-core/reward/plan-file";
import { rewardTrajectories } from "limbeck-core/reward/registry";
import { scored } from "limbeck-base/trajectory/score";
import { defineGrader } from "../grader.ts";

export const reward = defineGrader({
  id: "reward",
  meaning: "What a reward by name gives, from 0 to 1; or whether it gives at least so much.",
  options: {
    name: option.text("outcome", "its name"),
    settings: { kind: "json", default: {}, meaning: "its options" },
    least: option.limit(null, "1 from here on, else 0; none: the reward itself"),
  },
  grade: async ({ trajectory }, { name, settings, least }, { ask }) => {
    const plan = readRewardPlan({ rewards: [{ use: name, options: settings as JsonObject }] }, `the reward ${name}`);
    const given = await rewardTrajectories([trajectory], plan, ask === undefined ? {} : { judge: ask });
    const score = given.trajectories[0]?.reward ?? trajectory.reward;
    return { score: least === null || score.kind === "unscored" ? score : scored(Number(score.value >= least)) };
  },
});
