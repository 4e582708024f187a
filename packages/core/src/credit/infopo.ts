/**
 * InfoPO: a turn earns by how much its observation changed what the policy did next; loud where outcomes are all equal.
 */
import { option } from "limbeck-base/base/option";
import { trajectoriesOf } from "./batch-index.ts";
import { countOf, entry, type Grouping, groupSums, meanOf, onMembers, real, intAt } from "./columns.ts";
import { type CreditRow, defineCredit, type IndexedBatch } from "./credit.ts";
import { episodes } from "./examples.ts";
import { groupStatistics, onRows, taskGroups, trajectoryAdvantages, trajectoryGroups } from "./groups.ts";
import { trainedCount } from "./row.ts";
import { singleton } from "./shared-options.ts";
import { trainedSum } from "./tokens.ts";

export const infopo = defineCredit({
  info: {
    title: "InfoPO",
    paper: "InfoPO: Information-Driven Policy Optimization for User-Centric Agents",
    confidence: "code",
    source: "kfq20/InfoPO @ c26e93c2; verl/trainer/ppo/core_algos.py: compute_info_grpo_advantage",
    formula: [
      "gain_k = mean over the tokens of action k + 1 of (log-probability - log-probability without the observation after turn k), / tokens of action k",
      "a = z(gain over the task's tokens whose gain is not 0), 0 elsewhere",
      "A_outcome = z(outcome), the same for every token; equalTurns: times (tokens of the trajectory / turns) / tokens of the turn",
      "A = A_outcome + beta * exp(-decay * epoch) * gate * ratio * a,   gate = sigmoid(-std(outcomes of the task) / gateTemperature)",
      "ratio = min(1, max(std of A_outcome over tokens, 1) / std of a over tokens)",
    ],
    meaning: "Rewards questions and look-ups whose answers were used, most where outcomes say nothing.",
    departures: [
      "Published code fades beta twice where a decay is set (in the reward and again in the advantage: exp(-2 decay epoch)), and counts epochs itself; here it fades once, by the option epoch, which a training does not raise. No published configuration sets a decay.",
      "The observation's effect is read from the next row: its tokens scored with and without the observation before them. In its place published code puts No information found., over the marks of its message too where the world does not say which part is the observation; here Nothing happens. stands between the marks (provider masked-observation).",
      "A group of one keeps its outcome and counts as deviation 1, so its gate is shut, as in published code.",
      "Published code scores a trajectory by the sum of its turns' rewards, rounded to four decimals; here by its outcome. It can also share a trajectory's advantage among its turns by their rewards or gains (R2G, EM, InfoGRPO); its scripts give every token the same, as here. Option equalTurns is ours.",
      "Beta 0.1 and gateTemperature 0.05 are those of the function and of one of three published configurations (tau2); the others have 0.5 and 0.5, and 0.3 and 0.5 (ColBench).",
      "1e-6, which is added to both deviations of the ratio there, is left out.",
      "A turn with an empty observation has no gain there; here it has one wherever the next row carries log-probabilities without it.",
    ],
  },
  needs: ["oldLogprobs", "withoutObservation"],
  options: {
    beta: option.number(0.1, "weight of the information part", { least: 0 }),
    decay: option.number(0, "how fast beta fades with the epoch", { least: 0 }),
    epoch: option.number(0, "epochs trained so far", { least: 0 }),
    gateTemperature: option.number(0.05, "deviation of outcomes at which the gate is 0.27", { least: 1e-6 }),
    equalTurns: option.flag(
      false,
      "turns share the outcome alike, whatever their length; false gives each token the same",
    ),
    singleton: singleton("raw", "the trajectories of one task"),
  },
  laws: { shift: true, scale: "neither", zeroSum: false },
  example: {
    about: "Two failed dialogues; the first question changed what was done next more than the second.",
    batch: episodes({
      X: {
        outcome: 0,
        steps: [{ logprobs: { old: [-1] } }, { logprobs: { old: [-0.2], withoutObservation: [-0.8] } }],
      },
      Y: {
        outcome: 0,
        steps: [{ logprobs: { old: [-1] } }, { logprobs: { old: [-0.5], withoutObservation: [-0.7] } }],
      },
    }),
  },
  compute: (batch, options) => {
    const outcome = trajectoryAdvantages(batch, options);
    const outcomes = onRows(batch, outcome.advantages);
    const shares = options.equalTurns ? turnShares(batch) : undefined;
    const spread = outcomes.map((value, at) => value * (shares?.[at] ?? 1));
    const intrinsic = intrinsicAdvantages(batch);
    const gates = onRows(batch, gateOf(batch, options.gateTemperature));
    const noise = tokenDeviation(batch, intrinsic);
    const ratio = noise === 0 ? 1 : Math.min(1, Math.max(tokenDeviation(batch, spread), 1) / noise);
    const weight = options.beta * Math.exp(-options.decay * options.epoch) * ratio;
    return {
      terms: {
        outcome: { weight: 1, perRow: spread },
        information: { weight, perRow: intrinsic.map((value, at) => value * real(gates, at)) },
      },
      metrics: {
        ...outcome.metrics,
        meanGate: meanOf(gates),
        ratio,
      },
    };
  },
});

/** What makes turns share alike while the mean over the trajectory's tokens stays. */
function turnShares(batch: IndexedBatch): Float64Array {
  const { tokens } = batch.index;
  const shares = new Float64Array(batch.rows.length);
  for (const [, steps] of trajectoriesOf(batch)) {
    const lengths = steps.map((at) => intAt(tokens, at));
    const total = lengths.reduce((sum, length) => sum + length, 0);
    for (const at of steps) if (tokens[at] !== 0) shares[at] = total / countOf(lengths) / intAt(tokens, at);
  }
  return shares;
}

/** Gains over tokens of each row; 0 where no observation followed, or its effect is exactly none. */
function intrinsicAdvantages(batch: IndexedBatch): Float64Array {
  const { tokens } = batch.index;
  const gains = new Float64Array(batch.rows.length);
  for (const [, steps] of trajectoriesOf(batch)) {
    for (const [place, at] of steps.subarray(0, -1).entries()) {
      const gain = observationEffect(entry(batch.rows, intAt(steps, place + 1)));
      gains[at] = tokens[at] === 0 ? 0 : gain / intAt(tokens, at);
    }
  }
  return normalised(gains, tokens, taskGroups(batch));
}

/** z over the task's gains that are not 0. A row stands for as many equal tokens as it has. */
function normalised(gains: Float64Array, tokens: Int32Array, groups: Grouping): Float64Array {
  const weights = gains.map((gain, at) => (gain === 0 ? 0 : intAt(tokens, at)));
  const counts = onMembers(groups, groupSums(groups, weights));
  const sums = onMembers(
    groups,
    groupSums(
      groups,
      gains.map((gain, at) => real(weights, at) * gain),
    ),
  );
  const distances = gains.map((gain, at) => gain - real(sums, at) / real(counts, at));
  const squares = distances.map((distance, at) => (gains[at] === 0 ? 0 : real(weights, at) * distance ** 2));
  const spreads = onMembers(groups, groupSums(groups, squares));
  return distances.map((distance, at) => {
    const count = real(counts, at);
    return gains[at] === 0 || count <= 1 ? 0 : distance / (Math.sqrt(real(spreads, at) / (count - 1)) + 1e-6);
  });
}

function observationEffect({ mask, logprobs }: CreditRow): number {
  const { old, withoutObservation } = logprobs ?? {};
  if (old === undefined || withoutObservation === undefined || !mask.includes(1)) return 0;
  return trainedSum(mask, old, withoutObservation) / trainedCount(mask);
}

/** 0.5 where a task's outcomes are all equal, near 0 where they differ. */
function gateOf(batch: IndexedBatch, temperature: number): Float64Array {
  const groups = trajectoryGroups(batch);
  const { scales } = groupStatistics(batch.index.outcomeOf, groups, { singleton: "raw", epsilon: 0 });
  return onMembers(
    groups,
    scales.map((scale) => 1 / (1 + Math.exp(scale / temperature))),
  );
}

/** Unbiased, over the trained tokens of the batch. */
function tokenDeviation({ index }: IndexedBatch, perRow: Float64Array): number {
  const { tokens, totalTokens } = index;
  if (totalTokens < 2) return 0;
  const mean = perRow.reduce((sum, value, at) => sum + intAt(tokens, at) * value, 0) / totalTokens;
  const squares = perRow.reduce((sum, value, at) => sum + intAt(tokens, at) * (value - mean) ** 2, 0);
  return Math.sqrt(squares / (totalTokens - 1));
}
