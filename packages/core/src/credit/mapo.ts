/** Mixed advantages for dialogue (MAPO): a turn's return against the same turn of its peers, and against the batch. */
import { defineCredit } from "./credit.ts";
import { episodes } from "./examples.ts";
import { groupAdvantages, turnGroups } from "./groups.ts";
import { stepReturns } from "./scores.ts";
import { deviation, epsilon, gamma, invalidPenalty, share } from "./shared-options.ts";

export const mapo = defineCredit({
  info: {
    title: "MAPO",
    paper: "MAPO: Mixed Advantage Policy Optimization for Long-Horizon Multi-Turn Dialogue",
    confidence: "inferred",
    formula: [
      "G_k = judge's score of turn k + gamma * G_(k+1)",
      "A_k = mix * z(G_k among the task's rows of turn k) + (1 - mix) * z(G_k among all rows of the batch)",
    ],
    meaning: "Credit for turns of a dialogue from a judge's score of each, compared by turn and over the batch.",
    departures: ["Only the abstract was read: mix and gamma are ours, and so is giving 0 to a turn without peers."],
  },
  needs: ["stepRewards"],
  options: {
    mix: share(0.5, "share of the comparison by turn"),
    gamma: gamma(0.9, "turn returns"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Two dialogues of two turns; the judge gave 0.55 and 0.5, and 0.2 and 0.",
    batch: episodes({
      X: { outcome: 1, steps: [{ reward: 0.55 }, { reward: 0.5 }] },
      Y: { outcome: 0, steps: [{ reward: 0.2 }, { reward: 0 }] },
    }),
  },
  compute: (batch, options) => {
    const returns = stepReturns(batch, options.gamma, options.invalidPenalty);
    const group = { ...options, singleton: "zero" };
    const all = { of: new Int32Array(returns.length), count: 1 };
    return {
      terms: {
        turn: { weight: options.mix, perRow: groupAdvantages(returns, turnGroups(batch), group).advantages },
        batch: { weight: 1 - options.mix, perRow: groupAdvantages(returns, all, group).advantages },
      },
    };
  },
});
