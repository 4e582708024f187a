/** REINFORCE++ with a group baseline. */
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages } from "./groups.ts";
import { batchWhitened, tooFewTokens } from "./reinforce-plus-plus.ts";
import { rowScores } from "./scores.ts";
import { centringOptions } from "./shared-options.ts";
import { onTokens } from "./tokens.ts";

export const reinforcePlusPlusBaseline = defineCredit({
  info: {
    title: "REINFORCE++ baseline",
    paper: "REINFORCE++, arXiv 2501.03262",
    confidence: "code",
    source:
      "jinyangwu/OPID @ 37a15a5f; verl/trainer/ppo/core_algos.py: compute_reinforce_plus_plus_baseline_outcome_advantage",
    formula: [
      "C_i = S_i - mean(S)   over the rows of one task; a lone row keeps S_i",
      "A = (C - mean(C)) / sqrt(var(C) + 1e-8)   over all trained tokens of the batch",
    ],
    meaning: "Score minus the group's mean, normalised over the whole batch.",
    departures: [
      "Whitening is over tokens, so long responses weigh more in its statistics, as in published code.",
      "The group's mean is over step rows, as in the named code by default; volcengine/verl has one row for a conversation. Option countTrajectoryOnce.",
      "By the configuration of the named code 0.1 is taken from the score of a step whose action was invalid; here nothing (option invalidPenalty).",
      "Published scripts (volcengine/verl) take 0.001 times the divergence from the start (k1) from token rewards before this; here a training takes nothing.",
    ],
  },
  options: { ...centringOptions("raw"), tooFewTokens },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Two answers of 2 and 3 tokens, the first one right.",
    batch: answers([1, 0], [{ mask: [1, 1] }, { mask: [1, 1, 1] }]),
  },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const { advantages, metrics } = outcomeAdvantages(batch, scores, { ...options, scale: false });
    return { terms: batchWhitened(batch, "centred", onTokens(batch.rows, advantages), options.tooFewTokens), metrics };
  },
});
