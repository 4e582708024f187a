/** PBSD: an outcome's advantage is shared among turns by how much each supports the verified answer. */
import { option } from "limbeck-base/base/option";
import { trajectoriesOf } from "./batch-index.ts";
import { entry, real, intAt } from "./columns.ts";
import { type CreditRow, defineCredit, type IndexedBatch } from "./credit.ts";
import { episodes } from "./examples.ts";
import { trajectoryAdvantages } from "./groups.ts";
import { comparison, normByStd } from "./shared-options.ts";
import { trainedSum } from "./tokens.ts";

interface EvidenceOptions {
  readonly temperature: number;
  readonly clamp: number;
  readonly perToken: boolean;
}

export const pbsd = defineCredit({
  info: {
    title: "PBSD",
    paper: "PBSD: Privileged Bayesian Self-Distillation for Long-Horizon Credit Assignment",
    confidence: "reading",
    source: "public notes on arXiv 2606.09348: the ratio of likelihoods with and without the answer, turn by turn",
    formula: [
      "E_k = sum over the turn's tokens of (log-probability with the verified answer shown - without);   by Bayes the sum of E over the turns is ln p(answer | trajectory) / p(answer)",
      "w_k = K * softmax(sign(A_outcome) * clamp(E_k) / temperature), mean 1 over the K turns;   A_k = A_outcome * w_k",
    ],
    meaning:
      "In good rollouts the turns that point to the answer gain most; in bad ones those that point away lose most.",
    departures: [
      "Notes of others agree on E; how it becomes a weight they do not say: softmax weights, the clamp at 5 and the temperature are ours.",
      "Turns of a trajectory without a verified answer (gold: null) share alike.",
    ],
  },
  needs: ["oldLogprobs", "answerTeacher"],
  options: {
    temperature: option.number(1, "of the softmax over turns", { least: 1e-6 }),
    clamp: option.number(5, "largest evidence of a turn either way", { least: 0 }),
    perToken: option.flag(false, "evidence divided by the turn's tokens"),
    normByStd: normByStd(true),
    ...comparison("raw", "the trajectories of one task"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "A good rollout of three turns; the first points to the answer, the second away from it.",
    batch: episodes({
      X: {
        outcome: 0.8,
        steps: [0.5, -0.2, 0.1].map((evidence) => ({ logprobs: { old: [-1], answerTeacher: [-1 + evidence] } })),
      },
    }),
  },
  compute: (batch, options) => {
    const outcome = trajectoryAdvantages(batch, { ...options, scale: options.normByStd });
    const perRow = new Float64Array(batch.rows.length);
    let largest = 0;
    for (const [trajectory, steps] of trajectoriesOf(batch)) {
      const advantage = real(outcome.advantages, trajectory);
      for (const [place, weight] of turnWeights(batch, steps, Math.sign(advantage), options).entries()) {
        perRow[intAt(steps, place)] = advantage * weight;
        largest = Math.max(largest, weight);
      }
    }
    return { terms: { turn: { weight: 1, perRow } }, metrics: { ...outcome.metrics, largestTurnWeight: largest } };
  },
});

/** ln p(turn | history, answer) - ln p(turn | history); 0 where there is no verified answer. */
export function turnEvidence({ mask, logprobs }: CreditRow): number {
  const { old, answerTeacher } = logprobs ?? {};
  return old === undefined || answerTeacher === undefined ? 0 : trainedSum(mask, answerTeacher, old);
}

/** Weights of a trajectory's turns, with mean 1. */
export function turnWeights(batch: IndexedBatch, steps: Int32Array, sign: number, options: EvidenceOptions): number[] {
  const { temperature, clamp, perToken } = options;
  const scores = Array.from(steps, (at) => {
    const evidence = turnEvidence(entry(batch.rows, at));
    const own = perToken ? evidence / Math.max(intAt(batch.index.tokens, at), 1) : evidence;
    return (sign * Math.max(-clamp, Math.min(clamp, own))) / temperature;
  });
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => (power * steps.length) / total);
}
