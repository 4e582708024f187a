/** ECHO's shaped advantage: as much as the group agrees, and a bonus where the policy was unsure. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { groupMembers } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages, taskGroups } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { normByStd, outcomeOptions } from "./shared-options.ts";

export const echo = defineCredit({
  info: {
    title: "ECHO (shaped advantage)",
    paper: "ECHO: Entropy-Confidence Hybrid Optimization for Test-Time Reinforcement Learning",
    confidence: "inferred",
    formula: [
      "A' = v A + b H;   A is GRPO's;   v = share of the task's episodes that are right, by majority where nobody knows",
      "H = -ln p of the token under the policy that drew it, at most `most`",
    ],
    meaning: "Trusts a vote as far as the group agrees, and keeps tokens alive at which the policy was unsure.",
    departures: [
      "From an abstract; b is ours. The surprise of the drawn token stands for the entropy, which it estimates without bias.",
      "v is the mean of the task's outcomes, cut to 0 and 1: with the reward `majority` that is the share of the vote.",
    ],
  },
  needs: ["oldLogprobs"],
  options: {
    bonus: option.number(0.01, "b: weight of the surprise", { least: 0 }),
    most: option.number(5, "largest surprise that counts, in nats", { least: 0 }),
    normByStd: normByStd(true),
    ...outcomeOptions,
  },
  laws: { shift: false, scale: "neither", zeroSum: false },
  example: {
    about: "Three of four agree; the last was unsure of its answer.",
    batch: answers(
      [1, 1, 1, 0],
      [-0.1, -0.2, -0.3, -2].map((logprob) => ({ logprobs: { old: [logprob] } })),
    ),
    options: { normByStd: false },
  },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const { advantages, metrics } = outcomeAdvantages(batch, scores, { ...options, scale: options.normByStd });
    const trusted = advantages.slice();
    let total = 0;
    const groups = groupMembers(taskGroups(batch));
    for (const own of groups) {
      const byTrajectory = new Map(own.map((at) => [batch.rows[at]?.trajectory, scores[at] as number]));
      const agreed = mean([...byTrajectory.values()].map((score) => Math.min(1, Math.max(0, score))));
      for (const at of own) trusted[at] = agreed * (advantages[at] as number);
      total += agreed;
    }
    const perToken = batch.rows.map(({ mask, logprobs }) =>
      Float64Array.from(mask, (on, at) => (on === 1 ? Math.min(options.most, -(logprobs?.old?.[at] ?? 0)) : 0)),
    );
    return {
      terms: { outcome: { weight: 1, perRow: trusted }, surprise: { weight: options.bonus, perToken } },
      metrics: { ...metrics, agreement: groups.length === 0 ? 0 : total / groups.length },
    };
  },
});
