/** Rewards as the estimators read them: scores of rows, rewards of tokens, returns of steps. */
import { trajectoriesOf } from "./batch-index.ts";
import { add, columnOf, entry, real, intAt } from "./columns.ts";
import type { CreditBatch, CreditRow, IndexedBatch } from "./credit.ts";
import { eachTrained, tokenArrays, trainedSum } from "./tokens.ts";

/** The outcome of the row's trajectory. */
export function outcomeAt({ index }: IndexedBatch, row: number): number {
  return real(index.outcomeOf, intAt(index.trajectoryOf, row));
}

/** Whether the row's trajectory is known to have succeeded. */
export function hasSucceeded(batch: IndexedBatch, { trajectory }: CreditRow): boolean {
  return batch.trajectories.get(trajectory)?.success === true;
}

/**
 * Score of each row: the outcome of its trajectory, or the sum of its own token rewards where it has them, less the
 * penalty where the environment could not understand the action. So steps of one trajectory may differ.
 */
export function rowScores(batch: IndexedBatch, invalidPenalty: number): Float64Array {
  return columnOf(batch.rows, ({ tokenRewards, mask, valid }, at) => {
    const score = tokenRewards === undefined ? outcomeAt(batch, at) : trainedSum(mask, tokenRewards);
    return valid ? score : score - invalidPenalty;
  });
}

/** Rewards of tokens: the row's own, or its score on the last trained token. */
export function tokenRewards(batch: IndexedBatch, invalidPenalty: number): Float64Array[] {
  const rewards = tokenArrays(batch.rows);
  for (const [at, { mask, tokenRewards: own, valid }] of batch.rows.entries()) {
    const target = entry(rewards, at);
    const last = mask.lastIndexOf(1);
    if (last === -1) continue;
    if (own === undefined) target[last] = outcomeAt(batch, at);
    else eachTrained(mask, (token) => (target[token] = real(own, token)));
    if (!valid) add(target, last, -invalidPenalty);
  }
  return rewards;
}

/** x_k + gamma * x_(k+1) + ..., along each trajectory. */
export function discountedSums(batch: IndexedBatch, values: Float64Array, gamma: number): Float64Array {
  const sums = new Float64Array(values.length);
  for (const [, steps] of trajectoriesOf(batch)) {
    let later = 0;
    for (let place = steps.length - 1; place >= 0; place -= 1) {
      const at = intAt(steps, place);
      later = real(values, at) + gamma * later;
      sums[at] = later;
    }
  }
  return sums;
}

/**
 * Discounted return of each step, G_t = r_t + gamma * G_(t+1), by trajectory. The penalty of an invalid action is taken
 * from its own return only, after discounting: earlier steps do not pay for it.
 */
export function stepReturns(
  batch: IndexedBatch<CreditRow & { readonly reward: number }>,
  gamma: number,
  invalidPenalty: number,
): Float64Array {
  const returns = new Float64Array(batch.rows.length);
  for (const [, steps] of trajectoriesOf(batch)) {
    let later = 0;
    for (let place = steps.length - 1; place >= 0; place -= 1) {
      const at = intAt(steps, place);
      const { reward, valid } = entry(batch.rows, at);
      later = reward + gamma * later;
      returns[at] = valid ? later : later - invalidPenalty;
    }
  }
  return returns;
}

/**
 * The rows, in which an action costs nothing where all trajectories of its task, two or more, have one outcome: there the
 * penalty would be all there is to learn, and a policy that never succeeds would learn to do little. Rows that have
 * rewards of tokens stay as they are, and so does a trajectory that is compared with none of its task.
 */
export function withoutLonePenalties<Row extends CreditRow>({
  rows,
  trajectories,
}: CreditBatch<Row>): {
  readonly rows: readonly Row[];
  readonly forgiven: number;
} {
  const outcomes = new Map<string, Map<string, number | undefined>>();
  for (const { task, trajectory } of rows) {
    const own = outcomes.get(task) ?? new Map<string, number | undefined>();
    outcomes.set(task, own.set(trajectory, trajectories.get(trajectory)?.outcome));
  }
  const even = new Set(
    [...outcomes].flatMap(([task, own]) => (own.size > 1 && new Set(own.values()).size === 1 ? [task] : [])),
  );
  let forgiven = 0;
  const left = rows.map((row): Row => {
    if (row.valid || row.tokenRewards !== undefined || !even.has(row.task)) return row;
    forgiven += 1;
    return { ...row, valid: true };
  });
  return { rows: left, forgiven };
}

/** 1 for the first step of each trajectory: what counts where a trajectory counts once. */
export function firstSteps(batch: IndexedBatch): Uint8Array {
  const first = new Uint8Array(batch.rows.length);
  for (const [, steps] of trajectoriesOf(batch)) first[intAt(steps, 0)] = 1;
  return first;
}
