/** Flow-GRPO: every turn is a row with its trajectory's outcome, and all turns of a task are one group. */
import { option } from "limbeck-base/base/option";
import { defineCredit } from "./credit.ts";
import { episodes } from "./examples.ts";
import { asTerm, outcomeAdvantages } from "./groups.ts";
import { requireNeeds } from "./needs.ts";
import { rowScores } from "./scores.ts";
import { comparison, invalidPenalty } from "./shared-options.ts";

export const flowGrpo = defineCredit({
  info: {
    title: "Flow-GRPO",
    paper: "In-the-Flow Agentic System Optimization (AgentFlow), arXiv 2510.05592",
    confidence: "code",
    source:
      "lupantech/AgentFlow @ b9400643; agentflow/verl/trainer.py: compute_advantage over turns, is_drop_mask; the estimator: volcengine/verl @ b178a3cd",
    formula: [
      "A_i = (S_i - mean(S)) / (std(S) + epsilon)   over all turn rows of the task; rows with too long a prompt are dropped afterwards",
    ],
    meaning: "The final outcome on every turn, compared over turns, so that long trajectories weigh more.",
    departures: [
      "Where lengths vary strongly multi-context-grpo is the fairer choice.",
      "The paper takes mean and deviation over trajectories and gives every trajectory the same weight in the loss, and each of its turns; as in published code, the statistics here go by turn rows and the loss by tokens.",
      "Published code keeps rewards and advantages in bfloat16, so they have two to three digits; here they are not rounded.",
      "Published code leaves out a few rows at random, so that the rest fill whole mini-batches; here all are trained.",
      "Published runs drop rows whose prompt is longer than 18,432 tokens; here there is no limit unless maxPromptTokens is set. They play at temperature 0.7; here at 1.",
      "An episode without a score is left out; published code gives it the reward 0. Published runs train the planner alone, at most three turns, beside frozen models for the other parts; here every row of the episode is trained.",
    ],
  },
  mayNeed: { promptLengths: "with maxPromptTokens" },
  options: {
    maxPromptTokens: option.limit(null, "rows with a longer prompt are not trained", { least: 1, whole: true }),
    ...comparison("raw", "the step rows of one task"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "same", zeroSum: true },
  example: {
    about: "A good trajectory of two turns and a bad one of three.",
    batch: episodes({ X: { outcome: 1, steps: [{}, {}] }, Y: { outcome: 0, steps: [{}, {}, {}] } }),
  },
  compute: (batch, options) => {
    const longest = options.maxPromptTokens;
    if (longest !== null) requireNeeds(["promptLengths"], batch, "Flow-GRPO with maxPromptTokens");
    const isLong = (at: number): boolean => longest !== null && (batch.rows[at]?.signals?.promptTokens ?? 0) > longest;
    return {
      ...asTerm("outcome", outcomeAdvantages(batch, rowScores(batch, options.invalidPenalty), options)),
      dropped: [...batch.rows.keys()].filter(isLong),
    };
  },
});
