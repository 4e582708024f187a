/** Rewards as the estimators read them: scores of rows, rewards of tokens, returns of steps. */
import type { CreditRow, IndexedBatch } from "./credit.ts";
import { tokenArrays } from "./token-arrays.ts";

/**
 * Score of each row: the outcome of its trajectory, or the sum of its own token rewards where it has them, less the
 * penalty where the environment could not understand the action. So steps of one trajectory may differ.
 */
export function rowScores({ rows, index }: IndexedBatch, invalidPenalty: number): Float64Array {
  const scores = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as CreditRow;
    const score = row.tokenRewards === undefined ? outcome(index, at) : trainedSum(row.tokenRewards, row.mask);
    scores[at] = row.valid ? score : score - invalidPenalty;
  }
  return scores;
}

/** Rewards of tokens: the row's own, or its score on the last trained token. */
export function tokenRewards(batch: IndexedBatch, invalidPenalty: number): Float64Array[] {
  const { rows, index } = batch;
  const rewards = tokenArrays(rows);
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as CreditRow;
    const target = rewards[at] as Float64Array;
    const last = row.mask.lastIndexOf(1);
    if (last === -1) continue;
    if (row.tokenRewards === undefined) target[last] = outcome(index, at);
    else
      for (let token = 0; token <= last; token += 1)
        if (row.mask[token] === 1) target[token] = row.tokenRewards[token] as number;
    if (!row.valid) target[last] = (target[last] as number) - invalidPenalty;
  }
  return rewards;
}

/**
 * Discounted return of each step, G_t = r_t + gamma * G_(t+1), by trajectory. The penalty of an invalid action is taken
 * from its own return only, after discounting: earlier steps do not pay for it.
 */
export function stepReturns(
  { rows, index }: IndexedBatch<CreditRow & { readonly reward: number }>,
  gamma: number,
  invalidPenalty: number,
): Float64Array {
  const returns = new Float64Array(rows.length);
  for (let trajectory = 0; trajectory < index.trajectories; trajectory += 1) {
    let later = 0;
    for (let at = (index.offsets[trajectory + 1] as number) - 1; at >= (index.offsets[trajectory] as number); at -= 1) {
      const place = index.ordered[at] as number;
      const row = rows[place] as CreditRow & { readonly reward: number };
      later = row.reward + gamma * later;
      returns[place] = row.valid ? later : later - invalidPenalty;
    }
  }
  return returns;
}

/** 1 for the first step of each trajectory: what counts where a trajectory counts once. */
export function firstSteps({ rows, index }: IndexedBatch): Uint8Array {
  const first = new Uint8Array(rows.length);
  for (let at = 0; at < index.trajectories; at += 1) first[index.ordered[index.offsets[at] as number] as number] = 1;
  return first;
}

function outcome(index: IndexedBatch["index"], at: number): number {
  return index.outcomeOf[index.trajectoryOf[at] as number] as number;
}

function trainedSum(values: Float64Array, mask: Uint8Array): number {
  let sum = 0;
  for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) sum += values[token] as number;
  return sum;
}
