/** Information-gain policy optimisation (IGPO): turns earn what they add to the probability of the reference answer. */
import { trajectoriesOf } from "./batch-index.ts";
import { countOf, real, intAt } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { twoSearches } from "./examples.ts";
import { taskGroups, trajectoryAdvantages } from "./groups.ts";
import { gainAdvantages, informationGains } from "./information-gain.ts";
import { discountedSums } from "./scores.ts";
import { comparison, gamma } from "./shared-options.ts";

export const igpo = defineCredit({
  info: {
    title: "IGPO",
    paper: "Information Gain-based Policy Optimization, arXiv 2510.14967",
    confidence: "code",
    source:
      "debajoycs98/IGPO @ 86601963; verl/trainer/ppo/core_algos.py: compute_grpo_outcome_advantage with info_gain_norm_mode separate",
    formula: [
      "gain_k = p(answer after turn k) - p(answer before),   p = exp(mean log-probability of the reference answer)",
      "r_k = z(gain over all turns of the task); the answer turn has no gain and earns z(outcome over the task's trajectories)",
      "A_k = r_k + gamma * A_(k+1)",
    ],
    meaning: "Pays each turn for bringing the right answer closer, and the last one for giving it.",
    departures: [
      "Code of its authors has the deviation over n (option deviation) with 1e-8 added to the variance, and as a function's default one mean over gains and outcomes together; its scripts take them apart, as here, and differences of mean log-probabilities. Its weights of outcomes (0.5 to 1) and gains (1 to 0.5) over a training, off in its script, are not here.",
      "There a gain of exactly 0 is written as 1e-10 and counts. A turn whose normalised reward is exactly 0 takes the value of the next turn without discount, which is the same at gamma 1.",
      "A trajectory cut off before it answered keeps the gain of its last turn, and its outcome is added there; published code gives that turn the outcome alone.",
      "Rows without a reference answer (gold: null) have no gains; what is left is GRPO.",
      "The probability there is that of the answer's own tokens behind a fixed phrase (Now there's enough information to answer), of the first of several right answers; here that of the whole finishing action, its end of turn included.",
      "Published outcomes are the word F1 with the right answer, -2 for a wrong form; here they are the world's. Its loss adds up the tokens of a conversation before the mean over conversations (seq-mean-token-sum); here token-mean, unless aggregation says otherwise.",
    ],
  },
  needs: ["answerLogprob"],
  mayNeed: { truncation: "to tell an answer turn from one that was cut off" },
  options: {
    gamma: gamma(1, "turn rewards"),
    ...comparison("zero", "the trajectories of one task"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: twoSearches,
  compute: (batch, options) => {
    const gained = informationGains(batch);
    const turns = gainAdvantages(gained, taskGroups(batch), options);
    const outcome = trajectoryAdvantages(batch, options);
    const endings = new Float64Array(batch.rows.length);
    for (const [at, steps] of trajectoriesOf(batch)) {
      endings[intAt(steps, steps.length - 1)] = real(outcome.advantages, at);
    }
    return {
      terms: {
        outcome: { weight: 1, perRow: discountedSums(batch, endings, options.gamma) },
        information: { weight: 1, perRow: discountedSums(batch, turns, options.gamma) },
      },
      metrics: { ...outcome.metrics, turnsWithGain: countOf(gained.counted) },
    };
  },
});
