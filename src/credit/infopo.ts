/**
 * InfoPO: a turn earns by how much its observation changed what the policy did next; loud where outcomes are all equal.
 *
 *   A = A_outcome + beta * gate * ratio * a      gate = sigmoid(-std of the group's scores / temperature)
 */
import { option } from "../base/index.ts";
import { defineCredit, type CreditRow, type IndexedBatch } from "./credit.ts";
import { episodes } from "./examples.ts";
import { groupStatistics } from "./group-advantages.ts";
import { singleton } from "./shared-options.ts";
import { onRows, stepsOf, trajectoryAdvantages, trajectoryGroups } from "./trajectory-groups.ts";

export const infopo = defineCredit({
  info: {
    title: "InfoPO",
    paper: "InfoPO: Information-Driven Policy Optimization for User-Centric Agents",
    confidence: "code",
    formula: [
      "gain_k = mean over the tokens of action k + 1 of (log-probability - log-probability without the observation after turn k), / tokens of action k",
      "a = z(gain over the task's tokens whose gain is not 0), 0 elsewhere",
      "A_outcome = z(outcome) spread over the turns alike: times (tokens of the trajectory / turns) / tokens of the turn",
      "A = A_outcome + beta * exp(-decay * epoch) * gate * ratio * a,   gate = sigmoid(-std(outcomes of the task) / gateTemperature)",
      "ratio = min(1, max(std of A_outcome over tokens, 1) / std of a over tokens)",
    ],
    meaning: "Rewards questions and look-ups whose answers were used, most where outcomes say nothing.",
    departures: [
      "The observation's effect is read from the next row: its tokens scored with and without the observation before them.",
      "Published code gives every turn the credit 1 and so every token the same; here turns share alike, whatever their length. Option equalTurns.",
      "A group of one keeps its outcome and counts as deviation 1, so its gate is shut, as in published code.",
    ],
  },
  needs: ["oldLogprobs", "withoutObservation"],
  options: {
    beta: option.number(0.1, "weight of the information part", { least: 0 }),
    decay: option.number(0, "how fast beta fades with the epoch", { least: 0 }),
    epoch: option.number(0, "epochs trained so far", { least: 0 }),
    gateTemperature: option.number(0.05, "deviation of outcomes at which the gate is 0.27", { least: 1e-6 }),
    equalTurns: option.flag(true, "turns share the outcome alike; false gives each token the same"),
    singleton: singleton("raw"),
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
    const group = { scale: true, singleton: options.singleton, deviation: "unbiased", epsilon: 1e-6 };
    const outcome = trajectoryAdvantages(batch, group);
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
        information: { weight, perRow: intrinsic.map((value, at) => value * (gates[at] as number)) },
      },
      metrics: {
        ...outcome.metrics,
        meanGate: gates.length === 0 ? 0 : gates.reduce((sum, one) => sum + one, 0) / gates.length,
        ratio,
      },
    };
  },
});

/** What makes turns share alike while the mean over the trajectory's tokens stays. */
function turnShares(batch: IndexedBatch): Float64Array {
  const { tokens, trajectories } = batch.index;
  const shares = new Float64Array(batch.rows.length);
  for (let trajectory = 0; trajectory < trajectories; trajectory += 1) {
    const steps = stepsOf(batch, trajectory);
    let [total, turns] = [0, 0];
    for (const at of steps) {
      total += tokens[at] as number;
      turns += (tokens[at] as number) > 0 ? 1 : 0;
    }
    for (const at of steps) if ((tokens[at] as number) > 0) shares[at] = total / turns / (tokens[at] as number);
  }
  return shares;
}

/** Gains over tokens of each row; 0 where no observation followed, or its effect is exactly none. */
function intrinsicAdvantages(batch: IndexedBatch): Float64Array {
  const { tokens, taskOf, tasks } = batch.index;
  const gains = new Float64Array(batch.rows.length);
  for (let trajectory = 0; trajectory < batch.index.trajectories; trajectory += 1) {
    const steps = stepsOf(batch, trajectory);
    for (let place = 0; place + 1 < steps.length; place += 1) {
      const at = steps[place] as number;
      const gain = observationEffect(batch.rows[steps[place + 1] as number] as CreditRow);
      gains[at] = (tokens[at] as number) === 0 ? 0 : gain / (tokens[at] as number);
    }
  }
  return normalised(gains, tokens, taskOf, tasks);
}

/** z over the task's gains that are not 0. A row stands for as many equal tokens as it has. */
function normalised(gains: Float64Array, tokens: Int32Array, taskOf: Int32Array, tasks: number): Float64Array {
  const counts = new Float64Array(tasks);
  const sums = new Float64Array(tasks);
  const squares = new Float64Array(tasks);
  const each = (visit: (at: number, task: number, weight: number) => void): void => {
    for (let at = 0; at < gains.length; at += 1)
      if (gains[at] !== 0) visit(at, taskOf[at] as number, tokens[at] as number);
  };
  each((at, task, weight) => {
    counts[task] = (counts[task] as number) + weight;
    sums[task] = (sums[task] as number) + weight * (gains[at] as number);
  });
  const distance = (at: number, task: number): number =>
    (gains[at] as number) - (sums[task] as number) / (counts[task] as number);
  each((at, task, weight) => {
    squares[task] = (squares[task] as number) + weight * distance(at, task) ** 2;
  });
  const found = new Float64Array(gains.length);
  each((at, task) => {
    const count = counts[task] as number;
    if (count > 1) found[at] = distance(at, task) / (Math.sqrt((squares[task] as number) / (count - 1)) + 1e-6);
  });
  return found;
}

function observationEffect({ mask, logprobs }: CreditRow): number {
  const { old, withoutObservation } = logprobs ?? {};
  if (old === undefined || withoutObservation === undefined) return 0;
  let [sum, count] = [0, 0];
  for (let token = 0; token < mask.length; token += 1) {
    if (mask[token] === 0) continue;
    sum += (old[token] as number) - (withoutObservation[token] as number);
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** 0.5 where a task's outcomes are all equal, near 0 where they differ. */
function gateOf(batch: IndexedBatch, temperature: number): Float64Array {
  const groups = trajectoryGroups(batch);
  const group = { scale: true, singleton: "raw", deviation: "unbiased", epsilon: 0 };
  const { scales } = groupStatistics(batch.index.outcomeOf, groups, group);
  return Float64Array.from(groups.of, (task) => 1 / (1 + Math.exp((scales[task] as number) / temperature)));
}

/** Unbiased, over the trained tokens of the batch. */
function tokenDeviation({ index }: IndexedBatch, perRow: Float64Array): number {
  const { tokens, totalTokens } = index;
  if (totalTokens < 2) return 0;
  let sum = 0;
  for (let at = 0; at < perRow.length; at += 1) sum += (tokens[at] as number) * (perRow[at] as number);
  const mean = sum / totalTokens;
  let squares = 0;
  for (let at = 0; at < perRow.length; at += 1)
    squares += (tokens[at] as number) * ((perRow[at] as number) - mean) ** 2;
  return Math.sqrt(squares / (totalTokens - 1));
}
