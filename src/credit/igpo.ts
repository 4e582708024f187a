/**
 * Information-gain policy optimisation (IGPO): turns earn what they add to the probability of the reference answer.
 *
 *   r_k = z(gain of turn k over the task's turns), the answer turn z(outcome)      A_k = r_k + gamma * A_(k+1)
 */
import { defineCredit } from "./credit.ts";
import { twoSearches } from "./examples.ts";
import { groupAdvantages } from "./group-advantages.ts";
import { informationGains, lastOf, withoutUncounted } from "./information-gain.ts";
import { deviation, epsilon, gamma, singleton } from "./shared-options.ts";
import { discountedSums, trajectoryAdvantages } from "./trajectory-groups.ts";

export const igpo = defineCredit({
  info: {
    title: "IGPO",
    paper: "Information Gain-based Policy Optimization, arXiv 2510.14967",
    confidence: "paper",
    formula: [
      "gain_k = p(answer after turn k) - p(answer before),   p = exp(mean log-probability of the reference answer)",
      "r_k = z(gain over all turns of the task); the answer turn has no gain and earns z(outcome over the task's trajectories)",
      "A_k = r_k + gamma * A_(k+1)",
    ],
    meaning: "Pays each turn for bringing the right answer closer, and the last one for giving it.",
    departures: [
      "Code of its authors (November 2025) subtracts means of returns by token position instead; that of SIOP's authors has this formula with the deviation over n. Options deviation, singleton.",
      "A trajectory cut off before it answered keeps the gain of its last turn, and its outcome is added there.",
      "Rows without a reference answer (gold: null) have no gains; what is left is GRPO.",
    ],
  },
  needs: ["answerLogprob"],
  mayNeed: { truncation: "to tell an answer turn from one that was cut off" },
  options: {
    gamma: gamma(1, "turn rewards"),
    singleton: singleton("raw"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: twoSearches,
  compute: (batch, options) => {
    const { gains, counted } = informationGains(batch);
    const group = { ...options, scale: true };
    const tasks = { of: batch.index.taskOf, count: batch.index.tasks };
    const turns = groupAdvantages(gains, tasks, { ...group, singleton: "zero", counted }).advantages;
    const outcome = trajectoryAdvantages(batch, group);
    const endings = new Float64Array(batch.rows.length);
    for (let at = 0; at < batch.index.trajectories; at += 1)
      endings[lastOf(batch, at)] = outcome.advantages[at] as number;
    return {
      terms: {
        outcome: { weight: 1, perRow: discountedSums(batch, endings, options.gamma) },
        information: { weight: 1, perRow: discountedSums(batch, withoutUncounted(turns, counted), options.gamma) },
      },
      metrics: { ...outcome.metrics, turnsWithGain: counted.reduce((sum, one) => sum + one, 0) },
    };
  },
});
