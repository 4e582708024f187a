/**
 * An objective is plain arithmetic on per-token statistics: `(live, frozen, batch) -> {loss, weights}`.
 *
 * `live` and `frozen` hold the same current statistics. What a formula stops the gradient of is read from `frozen`, so
 * finite differences vary `live` only and are right for losses with stopped gradients too. `weights` are
 * d(loss)/d(live statistic). The objective sees the whole batch, so losses over groups and pairs fit.
 */

/** What a backend can compute per token. Entropy and divergence are taken in the graph, not shipped as full rows. */
export type StatisticName = "logprob" | "candidates" | "entropy" | "divergence" | "value" | "quality";

/** One sequence to learn from. Arrays are aligned with `ids`; statistics of position 0 do not exist and are 0. */
export interface TrainRow {
  readonly ids: Int32Array;
  /** 1 where the token is trained on. Statistics of other tokens are not computed and are 0. */
  readonly mask: Uint8Array;
  readonly group?: string;
  readonly trajectory?: string;
  readonly step?: number;
  /** Rows of one pair are compared: the chosen one has the larger `rank`. */
  readonly pair?: string;
  readonly rank?: number;
  /** What logits are divided by before statistics are taken of them, as when the row was sampled. Default: 1. */
  readonly temperature?: number;
  readonly advantages?: Float64Array;
  readonly oldLogprobs?: Float64Array;
  /** Version of the policy that sampled each token, where it is known; -1 for those of another run. */
  readonly versions?: Int32Array;
  readonly referenceLogprobs?: Float64Array;
  /** Log-probabilities under the sampler that made the row, where it is not the trainer. */
  readonly rolloutLogprobs?: Float64Array;
  readonly teacherLogprobs?: Float64Array;
  readonly returns?: Float64Array;
  readonly oldValues?: Float64Array;
  /** Weight of each token in the loss. Default: 1. */
  readonly weights?: Float64Array;
  /** Factor of the clip range at each token. Default: 1. */
  readonly clipScales?: Float64Array;
  readonly candidates?: { readonly count: number; readonly ids: Int32Array };
  /** The teacher's log-probabilities over the vocabulary, or of the candidates, flat, per token. */
  readonly teacher?: Float32Array;
  readonly teacherCandidates?: Float32Array;
  /** 1 where the teacher gave a score; a row without it is taught at every trained token. */
  readonly teacherMask?: Uint8Array;
}

/** Per row and statistic, arrays aligned with the row's tokens. */
export type Statistics = { readonly [Name in StatisticName]?: readonly Float64Array[] };

export interface ObjectiveResult {
  readonly loss: number;
  /** d(loss)/d(live statistic), for the statistics the objective uses. */
  readonly weights: { readonly [Name in StatisticName]?: readonly Float64Array[] };
  readonly metrics?: Readonly<Record<string, number>>;
  /** Of an objective that is a divergence from a teacher: what it is at each token, in nats. */
  readonly divergence?: readonly Float64Array[];
}

export interface Objective {
  /** Statistics it reads; a learner without one of them refuses and names it. */
  readonly needs: readonly StatisticName[];
  /** True when `weights` do not depend on the statistics: a learner then needs one pass instead of two. */
  readonly constantWeights?: boolean;
  readonly compute: (live: Statistics, frozen: Statistics, rows: readonly TrainRow[]) => ObjectiveResult;
}
