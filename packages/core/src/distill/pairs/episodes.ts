/** Whole episodes of a group: the best with the worst, the second best with the second worst, and so on. */
import { option } from "limbeck-base/base/option";
import { byGroup } from "limbeck-base/trajectory/rows";
import { outcomeOf } from "limbeck-base/trajectory/outcome";
import { scoreValue } from "limbeck-base/trajectory/score";
import { stepsFrom } from "./answers.ts";
import { definePairSource, pairOf } from "./pair.ts";

export const episodes = definePairSource({
  info: {
    title: "Episodes of a group",
    paper: "DPO, arXiv 2305.18290; on trajectories: ETO, arXiv 2403.02502, GRAPE, arXiv 2411.19309",
    confidence: "paper",
    source:
      "arXiv 2411.19309, section on trajectory-wise preferences; arXiv 2403.02502, section on contrastive pairs, with Yifan-Song793/ETO @ a2fc5da3; construct_preference.py: build_preference",
    formula: [
      "episodes of a group by reward: the k-th best is preferred to the k-th worst, while it earned more",
      "margin = difference of the rewards",
    ],
    meaning: "Prefers whole episodes that earned more to whole episodes of the same group that earned less.",
    departures: [
      "ETO pairs one episode of the policy, played at temperature 0, with the expert's of the same task, whichever earned more, and cuts a failure to five rounds more than the expert's (not in ALFWorld). Here both sides are episodes of one group, and whole; of an odd number the middle one takes no part.",
      "ETO plays with a worked example in the prompt and learns without it; here a side is learned behind the prompt it was played with (a guided retry behind the prompt without its guidance).",
      "GRAPE pairs each of the best m episodes of a task with each of the worst m, m * m pairs; here the k-th best with the k-th worst alone: of six episodes 3 pairs, there 9 with m = 3. GRAPE ranks by the policy's own likelihood, costs of stages and success together; here the reward of the episode ranks.",
      "A branch takes part with its own steps; episodes without a score take none.",
    ],
  },
  level: "trajectory",
  options: {
    gap: option.number(0, "rewards must differ by more than this", { least: 0 }),
  },
  find: (trajectories, { gap }) =>
    byGroup(trajectories).flatMap(({ trajectories: group }) => {
      const ranked = group
        .flatMap((trajectory) => {
          const value = scoreValue(outcomeOf(trajectory).reward);
          const steps = stepsFrom(trajectory);
          return value === undefined || steps.length === 0 ? [] : [{ trajectory, value, steps }];
        })
        .toSorted((left, right) => right.value - left.value || (left.trajectory.id < right.trajectory.id ? -1 : 1));
      return ranked.slice(0, Math.floor(ranked.length / 2)).flatMap((better, at) => {
        const worse = ranked.at(-1 - at);
        if (worse === undefined || better.value - worse.value <= gap) return [];
        const [chosen, rejected] = [better, worse].map(({ trajectory, steps }) => ({
          trajectory: trajectory.id,
          steps,
        }));
        if (chosen === undefined || rejected === undefined) return [];
        return [pairOf(better.trajectory.task.id, chosen, rejected, better.value - worse.value)];
      });
    }),
});
