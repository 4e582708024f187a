/** A2TGPO: information gains compared turn by turn, summed over what is left, and a clip range that follows them. */
import { option } from "limbeck-base/base/option";
import { countOf, real } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { twoSearches } from "./examples.ts";
import { onRows, trajectoryAdvantages, turnGroups } from "./groups.ts";
import { gainAdvantages, informationGains } from "./information-gain.ts";
import { discountedSums } from "./scores.ts";
import { comparison, deviation, gamma, share } from "./shared-options.ts";

export const a2tgpo = defineCredit({
  info: {
    title: "A2TGPO",
    paper: "A2TGPO: Agentic Turn-Group Policy Optimization with Adaptive Turn-level Clipping",
    confidence: "code",
    source:
      "CuSO4-Chen/A-TGPO, a stored copy without its commit; ATGPO/verl_atgpo/verl/trainer/ppo/core_algos.py: compute_igpo_step_advantage (turn-group-v1d), compute_policy_loss_gspo_turn; ATGPO/scripts/ATGPO_multihop_qwen3_4B.sh",
    formula: [
      "z_k = z(gain among the task's rows of turn k);   gain as in IGPO",
      "A_k = A_outcome + informationWeight * sum over j >= k of gamma^(j - k) * z_j / sqrt(turns with a gain from k on)",
      "clip range of turn k = clip range * (1 + clipSpread * (2 * sigmoid(z_k) - 1))",
    ],
    meaning: "Compares what turns of the same depth found out, and lets informative turns move further.",
    departures: [
      "The published ratio is one for each turn: the mean over its tokens of new less old log-probability, clipped at 0.003 below and 0.004 above. Here the clip range travels beside the advantages (clipScales), and the objective clipped multiplies its range, 0.2 of a token's ratio, by it, and bounds negative advantages at 3 (dualClip), which the published loss does not. Its function has the mean over conversations of their token means; its configuration could not be read.",
      "Clip ranges act from the second step on a batch: the published script takes 8 (8 of 64 questions, 16 answers each), a training here by default one (setting miniBatches).",
      "Published gains are differences of the answer's mean log-probability, over its own tokens behind a fixed phrase; here of its probability, as the formula of IGPO has it, over the whole finishing action and its end of turn.",
      "The weight 0.3 is that of the published script; its function has 1, and gains and outcomes under one mean (joint).",
      "Published code gives the first search no gain (its tokens have the advantage and the clip range of the second), ends a turn before the next search tag, and scores the answer after the last search without its result; the last turn has the outcome alone there, where it was cut off too. Here every turn but the answer has a gain, taken after its observation, and so has the last turn of a trajectory that was cut off.",
      "Published code takes neighbouring tokens with equal advantages for one turn, numbers turns by their gains, and takes a gain of exactly 0 for no turn end, so that its tokens count to the turn after it. Here steps are turns.",
      "1e-8, which is added to the variance there, is left out: a gain one deviation of 1e-4 above its group's mean has z 0.70 there and 0.99 here.",
    ],
  },
  needs: ["answerLogprob"],
  mayNeed: { truncation: "to tell an answer turn from one that was cut off" },
  options: {
    informationWeight: option.number(0.3, "weight of the information part"),
    gamma: gamma(1, "normalised gains"),
    clipSpread: share(0.3, "how far the clip range follows the gain"),
    ...comparison("zero", "the trajectories of one task"),
    deviation: deviation("population"),
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
      clipScales: normalised.map((value) => 1 + options.clipSpread * Math.tanh(value / 2)),
    };
  },
});
