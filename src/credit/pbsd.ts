/**
 * PBSD: an outcome's advantage is shared among turns by how much each supports the verified answer.
 *
 *   E_k = sum over the turn's tokens of (log-probability with the answer in the prompt - without)
 *   w_k = K * softmax_k(sign(A_outcome) * E_k / temperature)      A_k = A_outcome * w_k
 */
import { option } from "../base/index.ts";
import { defineCredit, type CreditRow, type IndexedBatch } from "./credit.ts";
import { episodes } from "./examples.ts";
import { deviation, epsilon, singleton } from "./shared-options.ts";
import { stepsOf, trajectoryAdvantages } from "./trajectory-groups.ts";

interface EvidenceOptions {
  readonly temperature: number;
  readonly clamp: number;
  readonly perToken: boolean;
}

export const pbsd = defineCredit({
  info: {
    title: "PBSD",
    paper: "PBSD: Privileged Bayesian Self-Distillation for Long-Horizon Credit Assignment",
    confidence: "inferred",
    formula: [
      "E_k = sum over the turn's tokens of (log-probability with the verified answer shown - without);   by Bayes the sum of E over the turns is ln p(answer | trajectory) / p(answer)",
      "w_k = K * softmax(sign(A_outcome) * clamp(E_k) / temperature), mean 1 over the K turns;   A_k = A_outcome * w_k",
    ],
    meaning:
      "In good rollouts the turns that point to the answer gain most; in bad ones those that point away lose most.",
    departures: [
      "Only the abstract was read; softmax weights, the clamp at 5 and the temperature are ours.",
      "Turns of a trajectory without a verified answer (gold: null) share alike.",
    ],
  },
  needs: ["oldLogprobs", "answerTeacher"],
  options: {
    temperature: option.number(1, "of the softmax over turns", { least: 1e-6 }),
    clamp: option.number(5, "largest evidence of a turn either way", { least: 0 }),
    perToken: option.flag(false, "evidence divided by the turn's tokens"),
    normByStd: option.flag(true, "divide the outcome by the group's deviation"),
    singleton: singleton("raw"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
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
    for (let trajectory = 0; trajectory < batch.index.trajectories; trajectory += 1) {
      const advantage = outcome.advantages[trajectory] as number;
      const steps = stepsOf(batch, trajectory);
      const weights = turnWeights(batch, steps, Math.sign(advantage), options);
      for (const [place, at] of steps.entries()) {
        perRow[at] = advantage * (weights[place] as number);
        largest = Math.max(largest, weights[place] as number);
      }
    }
    return { terms: { turn: { weight: 1, perRow } }, metrics: { ...outcome.metrics, largestTurnWeight: largest } };
  },
});

/** ln p(turn | history, answer) - ln p(turn | history); 0 where there is no verified answer. */
export function turnEvidence({ mask, logprobs }: CreditRow): number {
  const { old, answerTeacher } = logprobs ?? {};
  if (old === undefined || answerTeacher === undefined) return 0;
  let sum = 0;
  for (let token = 0; token < mask.length; token += 1) {
    if (mask[token] === 1) sum += (answerTeacher[token] as number) - (old[token] as number);
  }
  return sum;
}

/** Weights of a trajectory's turns, with mean 1. */
export function turnWeights(batch: IndexedBatch, steps: Int32Array, sign: number, options: EvidenceOptions): number[] {
  const { temperature, clamp, perToken } = options;
  const scores = Array.from(steps, (at) => {
    const evidence = turnEvidence(batch.rows[at] as CreditRow);
    const own = perToken ? evidence / Math.max(batch.index.tokens[at] as number, 1) : evidence;
    return (sign * Math.max(-clamp, Math.min(clamp, own))) / temperature;
  });
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => (power * steps.length) / total);
}
