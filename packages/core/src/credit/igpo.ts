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
      "Code of its authors has the deviation over n (option deviation), and as a function's default one mean over gains and outcomes together; its scripts take them apart, as here, and differences of log-probabilities.",
      "There a gain of exactly 0 is no gain: it counts in no mean, and its turn learns with the next one.",
      "A trajectory cut off before it answered keeps the gain of its last turn, and its outcome is added there.",
      "Rows without a reference answer (gold: null) have no gains; what is left is GRPO.",
    ],
  },
  needs: ["answerLogprob"],
  mayNeed: { truncation: "to tell an answer turn from one that was cut off" },
  options: {
    gamma: gamma(1, "turn rewards"),
    ...comparison("raw", "the trajectories of one task"),
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
