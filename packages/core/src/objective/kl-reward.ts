/**
 * Divergence from a reference policy in the reward: r_t -= beta k_t where the token is trained.
 *
 * It comes before the advantage. Outcome estimators add the rewards of a row up, so there it is one penalty for the row.
 */
import { badOption } from "limbeck-base/base/options";
import { EngineError } from "limbeck-base/base/errors";
import { unknownName } from "limbeck-base/base/registry";
import { KL_ESTIMATORS, klValue, type KlEstimator } from "./kl-estimators.ts";

export interface KlRewardRow {
  readonly rewards: Float64Array;
  readonly mask: Uint8Array;
  /** Of the policy that drew the tokens. */
  readonly logprobs: Float64Array;
  readonly reference: Float64Array;
}

export interface KlRewardOptions {
  readonly beta: number;
  /** Default: "k1". */
  readonly estimator?: KlEstimator;
}

/**
 * Rewards with the penalty; the input is left as it is.
 *
 * @example
 * const row = { rewards: Float64Array.of(0, 1), mask: Uint8Array.of(1, 1), logprobs: Float64Array.of(-1, -1), reference: Float64Array.of(-1, -3) };
 * console.log(klInReward(row, { beta: 0.25 })); // Float64Array(2) [ 0, 0.5 ]
 */
export function klInReward(row: KlRewardRow, { beta, estimator = "k1" }: KlRewardOptions): Float64Array {
  if (!Number.isFinite(beta)) throw badOption("klInReward", "beta", beta, "a finite number");
  if (!KL_ESTIMATORS.includes(estimator)) throw unknownName(estimator, KL_ESTIMATORS, "estimator of klInReward");
  for (const field of ["mask", "logprobs", "reference"] as const) {
    if (row[field].length === row.rewards.length) continue;
    const lengths = `${row[field].length} entries in ${field} for ${row.rewards.length} rewards`;
    throw new EngineError("bad-row", `klInReward: there are ${lengths}; they must be equal.`, { details: { field } });
  }
  return row.rewards.map((reward, token) => {
    if (row.mask[token] !== 1) return reward;
    return reward - beta * klValue(estimator, (row.logprobs[token] as number) - (row.reference[token] as number));
  });
}
