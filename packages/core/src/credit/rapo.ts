/**
 * RaPO: among equally rewarded rollouts, those that stay near the policy of the task before earn more; statistics live
 * on across tasks.
 */
import { deviation, mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { entry, real } from "./columns.ts";
import { defineCredit, type RowWith } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages } from "./groups.ts";
import { trainedCount } from "./row.ts";
import { rowScores } from "./scores.ts";
import { epsilon, invalidPenalty, share } from "./shared-options.ts";
import { eachTrained } from "./tokens.ts";

type Drifted = RowWith<"oldLogprobs" | "previousTask">;

export const rapo = defineCredit({
  info: {
    title: "RaPO",
    paper: "Overcoming Catastrophic Forgetting in Visual Continual Learning with Reinforcement Fine-Tuning",
    confidence: "inferred",
    formula: [
      "k = max(mean over tokens of (log p_old - log p_previousTask), 0), or the k3 estimate of it",
      "R = R_task + retention * R_task * exp(-k / temperature)",
      "across: mu = memory * mu + (1 - memory) * mean(R), variance likewise (over n);   A = clamp((R - mu) / (sqrt(variance) + epsilon))",
      "group: z over the rows of the task",
    ],
    meaning: "Prefers, of two rollouts that solve the new task, the one that forgets less of the old.",
    departures: [
      "Only the abstract was read; constants are ours.",
      "The statistics that live on come in as options priorMean and priorVariance and go out as metrics mean and variance; null begins anew. A training carries them from update to update.",
    ],
  },
  needs: ["oldLogprobs", "previousTask"],
  carries: { priorMean: "mean", priorVariance: "variance" },
  options: {
    retention: option.number(0.5, "weight of the retention reward", { least: 0 }),
    temperature: option.number(1, "divergence at which it has fallen to 0.37", { least: 1e-6 }),
    estimator: option.choice("k1", ["k1", "k3"], "how the divergence is estimated"),
    normalise: option.choice("across", ["across", "group"], "by statistics that live on, or within the task"),
    priorMean: option.limit(null, "mean of rewards so far"),
    priorVariance: option.limit(null, "their variance", { least: 0 }),
    memory: share(0.9, "how much of the past statistics stays"),
    clamp: option.number(5, "largest advantage either way", { least: 0 }),
    epsilon: epsilon(1e-6),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "same", zeroSum: false },
  example: {
    about: "Two right answers, the first nearer to the old policy, and two wrong ones.",
    batch: answers(
      [1, 1, 0, 0],
      [0.1, 0.5, 0, 0].map((drift) => ({ logprobs: { old: [-1], previousTask: [-1 - drift] } })),
    ),
    options: { priorMean: 0.5, priorVariance: 0.25 },
  },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const distances = scores.map((_, at) => drift(entry(batch.rows, at), options.estimator));
    const rewards = scores.map(
      (score, at) => score * (1 + options.retention * Math.exp(-real(distances, at) / options.temperature)),
    );
    const values = [...rewards];
    const known = options.priorMean !== null && options.priorVariance !== null;
    const blend = (before: number | null, now: number): number =>
      known ? options.memory * (before ?? 0) + (1 - options.memory) * now : now;
    const centre = values.length === 0 ? (options.priorMean ?? 0) : blend(options.priorMean, mean(values));
    const variance =
      values.length === 0 ? (options.priorVariance ?? 0) : blend(options.priorVariance, deviation(values) ** 2);
    const metrics = { mean: centre, variance, drift: values.length === 0 ? 0 : mean([...distances]) };
    if (options.normalise === "group") {
      const { advantages } = outcomeAdvantages(batch, rewards, { singleton: "zero", epsilon: options.epsilon });
      return { terms: { retained: { weight: 1, perRow: advantages } }, metrics };
    }
    const scale = Math.sqrt(variance) + options.epsilon;
    const perRow = rewards.map((reward) =>
      Math.max(-options.clamp, Math.min(options.clamp, (reward - centre) / scale)),
    );
    return { terms: { retained: { weight: 1, perRow } }, metrics };
  },
});

/** How far the row lies from what the earlier policy would say; a policy that is surer than it counts as near. */
function drift({ mask, logprobs: { old, previousTask } }: Drifted, estimator: string): number {
  let sum = 0;
  eachTrained(mask, (token) => {
    const difference = real(old, token) - real(previousTask, token);
    sum += estimator === "k1" ? difference : Math.exp(-difference) + difference - 1;
  });
  return mask.includes(1) ? Math.max(sum / trainedCount(mask), 0) : 0;
}
