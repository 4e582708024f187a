/** SD-GRPO: tokens up to a boundary are judged by one reward, the rest by another. */
import { option } from "../base/index.ts";
import { columnOf, entry, real } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { asTerm, outcomeAdvantages } from "./groups.ts";
import { comparison } from "./shared-options.ts";
import { tokenArrays } from "./tokens.ts";

export const sdGrpo = defineCredit({
  info: {
    title: "SD-GRPO",
    paper: "DynFrame: Adaptive Reasoning-Driven Multimodal Framework with Dynamic Frame Augmentation",
    confidence: "inferred",
    formula: [
      "A_t = z(split.before over the task's rows) for t up to the boundary;   z(split.after) behind it",
      "scalar: A = z(split.before + split.after) on the whole row",
      "a row without a boundary uses z(split.after) throughout and counts as 0 among the first rewards",
    ],
    meaning: "Credits the decision what to look at and the answer given afterwards apart from each other.",
    departures: [
      "The published description has separate segments, the released trainer one scalar for the sum; here the description. Option form.",
      "A response cut off before the boundary says token: null.",
    ],
  },
  needs: ["splitRewards"],
  options: {
    form: option.choice("segments", ["segments", "scalar"], "segments apart, or one score for the row"),
    ...comparison("raw", "the step rows of one task"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Four answers of two tokens; the first looked well and answered wrong.",
    batch: answers(
      [0, 1, 0, 1],
      [
        [0.9, 0],
        [0.3, 1],
        [0.3, 0],
        [0.9, 1],
      ].map(([before = 0, after = 0]) => ({ mask: [1, 1], signals: { split: { token: 0, before, after } } })),
    ),
  },
  compute: (batch, options) => {
    const first = columnOf(batch.rows, ({ signals: { split } }) => (split.token === null ? 0 : split.before));
    const second = columnOf(batch.rows, ({ signals: { split } }) => split.after);
    if (options.form === "scalar") {
      const sums = first.map((value, at) => value + real(second, at));
      return asTerm("sum", outcomeAdvantages(batch, sums, options));
    }
    const decision = outcomeAdvantages(batch, first, options);
    const answer = outcomeAdvantages(batch, second, options);
    const [before, after] = [tokenArrays(batch.rows), tokenArrays(batch.rows)];
    for (const [at, { signals, mask }] of batch.rows.entries()) {
      const end = signals.split.token === null ? 0 : Math.min(signals.split.token + 1, mask.length);
      entry(before, at).fill(real(decision.advantages, at), 0, end);
      entry(after, at).fill(real(answer.advantages, at), end);
    }
    return {
      terms: { decision: { weight: 1, perToken: before }, answer: { weight: 1, perToken: after } },
      metrics: answer.metrics,
    };
  },
});
