/** SD-GRPO: tokens up to a boundary are judged by one reward, the rest by another. */
import { option } from "limbeck-base/base/option";
import { columnOf, entry, real } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { asTerm, outcomeAdvantages } from "./groups.ts";
import { comparison, epsilon } from "./shared-options.ts";
import { tokenArrays } from "./tokens.ts";

export const sdGrpo = defineCredit({
  info: {
    title: "SD-GRPO",
    paper: "DynFrame: Adaptive Reasoning-Driven Multimodal Framework with Dynamic Frame Augmentation",
    confidence: "code",
    source:
      "zhangguanghao523/DynFrame @ d9c01134; README.md: Segment-Decoupled GRPO; src/llmtuner/train/grpo/video_aware_trainer.py: _generate_and_score_completions",
    formula: [
      "A_t = z(split.before over the task's rows) for t up to the boundary;   z(split.after) behind it",
      "z(x) = (x - mean(x)) / (std(x) + epsilon)",
      "scalar: A = z(split.before + split.after) on the whole row;   scalar-each: A = z(z(split.before) + z(split.after))",
      "z(split.before) is over the rows that have a first part, z(split.after) over the rows that have a second one",
      "a row without a boundary uses z(split.after) throughout",
    ],
    meaning: "Credits the decision what to look at and the answer given afterwards apart from each other.",
    departures: [
      "The authors describe separate segments, and their released trainer has one scalar: the sum, or, as its script sets, the sum of what was compared apart. Here the description. Option form.",
      "The rewards are the caller's: published, how well span and rate of the frames were chosen, and the answer with its format. The script weighs format 0.1, answer 0.6 and rate 0.3, without the span, and compares the three apart; here there are two parts of weight 1.",
      "A part that only one row of a task has is compared with nothing and gets 0 (option singleton). Form scalar-each counts a missing first part as 0; published code leaves it out of mean and deviation.",
      "A response cut off before the boundary says token: null; what one without the boundary earns is not described there.",
      "A published training keeps a divergence of 0.02, clips at 0.3 and takes means of responses, which are settings of the training, and samples at temperature 0.7 from the likeliest 0.8 and 100, with a penalty of 1.05 for repetition; here at 1 from all words. Its mask takes out the frames alone, so that the time stamps and frame borders that it inserts are trained; here the mask is the caller's.",
    ],
  },
  needs: ["splitRewards"],
  options: {
    form: option.choice(
      "segments",
      ["segments", "scalar", "scalar-each"],
      "segments apart, or one score for the row: of the sum, or of the sum of both compared apart",
    ),
    ...comparison("zero", "the step rows of one task"),
    epsilon: epsilon(1e-4),
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
    const ends = batch.rows.map(({ signals: { split }, mask }) =>
      split.token === null ? 0 : Math.min(split.token + 1, mask.length),
    );
    const second = columnOf(batch.rows, ({ signals: { split } }) => split.after);
    if (options.form !== "segments") {
      const compared = (values: Float64Array): Float64Array =>
        options.form === "scalar" ? values : outcomeAdvantages(batch, values, options).advantages;
      const rest = compared(second);
      const sums = compared(first).map((value, at) => value + real(rest, at));
      return asTerm("sum", outcomeAdvantages(batch, sums, options));
    }
    // A row takes part in the comparison of what it has: an answer is no search that found nothing.
    const counted = (has: (at: number, place: number) => boolean): Uint8Array =>
      Uint8Array.from(batch.rows, ({ mask }, at) => Number(mask.some((is, place) => is === 1 && has(at, place))));
    const hasFirst = counted((at, place) => place < entry(ends, at));
    const hasRest = counted((at, place) => place >= entry(ends, at));
    const decision = outcomeAdvantages(batch, first, { ...options, counted: hasFirst });
    const answer = outcomeAdvantages(batch, second, { ...options, counted: hasRest });
    const [before, after] = [tokenArrays(batch.rows), tokenArrays(batch.rows)];
    for (const [at, end] of ends.entries()) {
      if (hasFirst[at] === 1) entry(before, at).fill(real(decision.advantages, at), 0, end);
      if (hasRest[at] === 1) entry(after, at).fill(real(answer.advantages, at), end);
    }
    return {
      terms: { decision: { weight: 1, perToken: before }, answer: { weight: 1, perToken: after } },
      metrics: answer.metrics,
    };
  },
});
