/** Multi-context GRPO: one advantage for a trajectory, copied to each of its contexts. */
import { defineCredit } from "./credit.ts";
import { episodes } from "./examples.ts";
import { onRows, trajectoryAdvantages } from "./groups.ts";
import { comparison } from "./shared-options.ts";

export const multiContextGrpo = defineCredit({
  info: {
    title: "Multi-context GRPO",
    paper: "MemSearcher, arXiv 2511.02805",
    confidence: "code",
    source: "icip-cas/MemSearcher @ 83a3bea2; verl/trainer/ppo/ray_trainer.py: compute_1D_grpo_advantage, fit",
    formula: [
      "A = (R - mean(R)) / (std(R) + epsilon)   over the task's trajectories; every row of a trajectory has the same",
    ],
    meaning: "GRPO over trajectories for agents that rebuild their context, whatever the number of contexts.",
    departures: [
      "Published runs take the mean over all tokens of a mini-batch, so that long and many contexts weigh more, with a KL term and an entropy bonus of 0.001 each; here the objective is chosen beside it. A step there takes 640 contexts, so 1,280 trajectories are 2 steps with one context each, 6 with three (another of its scripts: 320); here the number of steps is a setting.",
    ],
  },
  options: comparison("raw", "the trajectories of one task"),
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "A good trajectory of two contexts and a bad one of three.",
    batch: episodes({ X: { outcome: 1, steps: [{}, {}] }, Y: { outcome: 0, steps: [{}, {}, {}] } }),
  },
  compute: (batch, options) => {
    const { advantages, metrics } = trajectoryAdvantages(batch, options);
    return { terms: { outcome: { weight: 1, perRow: onRows(batch, advantages) } }, metrics };
  },
});
