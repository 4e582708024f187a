/** A2TGPO: information gains compared turn by turn, summed over what is left, and a clip range that follows them. */
import { option } from "limbeck-base/base/option";
import { countOf, real } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { twoSearches } from "./examples.ts";
import { onRows, trajectoryAdvantages, turnGroups } from "./groups.ts";
import { gainAdvantages, informationGains } from "./information-gain.ts";
import { discountedSums } from "./scores.ts";
import { comparison, gamma, share } from "./shared-options.ts";

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
    clipSpread: share(0.5, "how far the clip range follows the gain"),
    ...comparison("raw", "the trajectories of one task"),
  },
  clipScales: true,
  laws: { shift: true, scale: "same", zeroSum: false },
  example: twoSearches,
  compute: (batch, options) => {
    const gained = informationGains(batch);
    const { counted } = gained;
    const normalised = gainAdvantages(gained, turnGroups(batch), options);
    const left = discountedSums(batch, Float64Array.from(counted), 1);
    const sums = discountedSums(batch, normalised, options.gamma);
    const information = sums.map((sum, at) => (counted[at] === 1 ? sum / Math.sqrt(real(left, at)) : 0));
    const outcome = trajectoryAdvantages(batch, options);
    return {
      terms: {
        outcome: { weight: 1, perRow: onRows(batch, outcome.advantages) },
        information: { weight: options.informationWeight, perRow: information },
      },
      metrics: { ...outcome.metrics, turnsWithGain: countOf(counted) },
      clipScales: normalised.map((value) => 1 + options.clipSpread * Math.tanh(value)),
    };
  },
});
