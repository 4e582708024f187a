/**
 * A2TGPO: information gains compared turn by turn, summed over what is left, and a clip range that follows them.
 *
 *   A_k = A_outcome + w * sum_{j >= k} gamma^(j - k) z_j / sqrt(turns left)      z within (task, turn)
 *   clip range of turn k: eps0 * (1 + beta * tanh(z_k))
 */
import { option } from "../base/index.ts";
import { defineCredit } from "./credit.ts";
import { twoSearches } from "./examples.ts";
import { groupAdvantages } from "./group-advantages.ts";
import { informationGains, withoutUncounted } from "./information-gain.ts";
import { deviation, epsilon, gamma, singleton } from "./shared-options.ts";
import { discountedSums, onRows, trajectoryAdvantages, turnGroups } from "./trajectory-groups.ts";

export const a2tgpo = defineCredit({
  info: {
    title: "A2TGPO",
    paper: "A2TGPO: Agentic Turn-Group Policy Optimization with Adaptive Turn-level Clipping",
    confidence: "inferred",
    formula: [
      "z_k = z(gain among the task's rows of turn k);   gain as in IGPO",
      "A_k = A_outcome + informationWeight * sum over j >= k of gamma^(j - k) * z_j / sqrt(turns with a gain from k on)",
      "clip range of turn k = clip range * (1 + clipSpread * tanh(z_k))",
    ],
    meaning: "Compares what turns of the same depth found out, and lets informative turns move further.",
    departures: [
      "Constants are ours. One account of it has 2 * sigmoid(z) - 1, which is tanh(z / 2), and a spread of 0.3.",
      "The clip range travels beside the advantages (clipScales); the objective clipped multiplies its range by it.",
    ],
  },
  needs: ["answerLogprob"],
  mayNeed: { truncation: "to tell an answer turn from one that was cut off" },
  options: {
    informationWeight: option.number(1, "weight of the information part"),
    gamma: gamma(1, "normalised gains"),
    clipSpread: option.number(0.5, "how far the clip range follows the gain", { least: 0, most: 1 }),
    singleton: singleton("raw"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: twoSearches,
  compute: (batch, options) => {
    const { gains, counted } = informationGains(batch);
    const group = { ...options, scale: true };
    const turns = groupAdvantages(gains, turnGroups(batch), { ...group, singleton: "zero", counted }).advantages;
    const normalised = withoutUncounted(turns, counted);
    const left = discountedSums(batch, Float64Array.from(counted), 1);
    const sums = discountedSums(batch, normalised, options.gamma);
    const information = sums.map((sum, at) => (counted[at] === 1 ? sum / Math.sqrt(left[at] as number) : 0));
    const outcome = trajectoryAdvantages(batch, group);
    return {
      terms: {
        outcome: { weight: 1, perRow: onRows(batch, outcome.advantages) },
        information: { weight: options.informationWeight, perRow: information },
      },
      metrics: { ...outcome.metrics, turnsWithGain: counted.reduce((sum, one) => sum + one, 0) },
      clipScales: normalised.map((value) => 1 + options.clipSpread * Math.tanh(value)),
    };
  },
});
