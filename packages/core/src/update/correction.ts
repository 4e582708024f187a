/**
 * What asynchronous training does about tokens of an earlier version of the policy.
 *
 *   token     the present policy scores the tokens again; each weighs min(exp(old - sampler), truncate)
 *   sequence  the same with one weight for a row, from the sum
 *   bypass    the sampler's log-probabilities are the old ones, and the clip of the loss is the correction
 *   none      as if the tokens were fresh
 */
import type { TrainRow } from "limbeck-policy/policy/objective";
import type { Scorer } from "limbeck-policy/policy/policy";
import type { RolloutCorrection } from "../objective/rollout-correction.ts";

export const CORRECTIONS = ["token", "sequence", "bypass", "none"] as const;
export type CorrectionId = (typeof CORRECTIONS)[number];

export interface Correction {
  readonly method: CorrectionId;
  /** Largest weight; null: not truncated. */
  readonly truncate: number | null;
  /** Rows whose mean divergence from the sampler (k3) is above this are not learned from; null: all are. */
  readonly rejectAbove: number | null;
}

export const DEFAULT_CORRECTION: Correction = { method: "token", truncate: 2, rejectAbove: null };

/** The option of a policy loss that this correction is; none where the loss is to know nothing of it. */
export function lossOption(correction: Correction | undefined): {
  readonly rolloutCorrection?: Partial<RolloutCorrection>;
} {
  if (correction === undefined) return {};
  const { method, truncate, rejectAbove } = correction;
  if (method !== "token" && method !== "sequence") return {};
  const reject = rejectAbove === null ? null : ({ estimator: "k3", by: "mean", above: rejectAbove } as const);
  return { rolloutCorrection: { level: method, truncate, reject } };
}

/** Rows with the present policy's log-probabilities as the old ones, and the sampler's beside them. */
export async function withSampler(
  rows: readonly TrainRow[],
  scorer: Scorer,
  signal: AbortSignal,
): Promise<readonly TrainRow[]> {
  const scored = await scorer.score(
    rows.map(({ ids, mask }) => ({ ids, mask })),
    { statistics: ["logprob"], signal },
  );
  return rows.map((row, at) => ({
    ...row,
    ...(row.oldLogprobs === undefined ? {} : { rolloutLogprobs: row.oldLogprobs }),
    oldLogprobs: Float64Array.from(scored[at]?.logprob ?? []),
  }));
}
