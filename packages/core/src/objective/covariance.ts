/** Covariance of advantage and log-probability at each token, over the batch: what Clip-Cov and KL-Cov choose by. */
import type { RowView } from "./token-objective.ts";

export interface TokenCovariance {
  readonly row: number;
  readonly token: number;
  readonly covariance: number;
}

/** (A - mean A) * (log p - mean log p), means over the trained tokens of the batch. Read from `frozen`: a choice has no gradient. */
export function covariances(views: readonly RowView<"advantages">[]): TokenCovariance[] {
  let [advantage, logprob, count] = [0, 0, 0];
  for (const { frozen, trained, fields } of views) {
    for (const token of trained) {
      advantage += fields.advantages[token] as number;
      logprob += frozen[token] as number;
      count += 1;
    }
  }
  return views.flatMap(({ at, frozen, trained, fields }) =>
    Array.from(trained, (token) => ({
      row: at,
      token,
      covariance:
        ((fields.advantages[token] as number) - advantage / count) * ((frozen[token] as number) - logprob / count),
    })),
  );
}

/** How many tokens a control takes: a share of the batch, at least one. */
export function chosenCount(tokens: number, share: number): number {
  return Math.max(Math.floor(share * tokens), 1);
}

/** The chosen tokens of each row. */
export function byRow(chosen: readonly TokenCovariance[]): ReadonlyMap<number, ReadonlySet<number>> {
  const rows = new Map<number, Set<number>>();
  for (const { row, token } of chosen) {
    const known = rows.get(row) ?? new Set();
    known.add(token);
    rows.set(row, known);
  }
  return rows;
}
