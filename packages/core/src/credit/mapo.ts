/** Mixed advantages for dialogue (MAPO, later MICA): a turn's return against its peers, and its own score against the task's. */
import { option } from "limbeck-base/base/option";
import { defineCredit } from "./credit.ts";
import { episodes } from "./examples.ts";
import { groupAdvantages, taskGroups, turnGroups } from "./groups.ts";
import { stepReturns } from "./scores.ts";
import { deviation, epsilon, gamma, invalidPenalty, share } from "./shared-options.ts";

export const mapo = defineCredit({
  info: {
    title: "MAPO",
    paper: "MAPO: Mixed Advantage Policy Optimization for Long-Horizon Multi-Turn Dialogue",
    confidence: "reading",
    source:
      "two readings of arXiv 2603.06194v3, by then called MICA: a third party's implementation of its equations, and a summary with its weights; the authors' code was not found",
    formula: [
      "G_k = r_k + gamma * G_(k+1),   r_k the judge's score of turn k",
      "A_k = mix * z(G_k among the task's rows of turn k) + (1 - mix) * z(r_k among all rows of the task)",
      "version mapo: (1 - mix) * z(G_k among all rows of the batch)",
    ],
    meaning: "Credit for turns of a dialogue from a judge's score of each, compared by turn and over the task.",
    departures: [
      "The paper's r_k is how much nearer the user's state came to being satisfied; here it is any score of a step.",
      "The readings give no discount: gamma is ours, and so is giving 0 to a turn without peers.",
      "Version mapo follows the abstract of the paper's first version: one return, compared twice.",
    ],
  },
  needs: ["stepRewards"],
  options: {
    mix: share(0.5, "share of the comparison by turn"),
    version: option.choice(
      "mica",
      ["mica", "mapo"],
      "the other part: scores within the task, or returns within the batch",
    ),
    gamma: gamma(0.9, "turn returns"),
    deviation: deviation("population"),
    epsilon: epsilon(1e-8),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "same", zeroSum: true },
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
    const isLater = options.version === "mica";
    const values = isLater ? stepReturns(batch, 0, options.invalidPenalty) : returns;
    const others = isLater ? taskGroups(batch) : { of: new Int32Array(returns.length), count: 1 };
    return {
      terms: {
        turn: { weight: options.mix, perRow: groupAdvantages(returns, turnGroups(batch), group).advantages },
        all: { weight: 1 - options.mix, perRow: groupAdvantages(values, others, group).advantages },
      },
    };
  },
});
